// SPDX-License-Identifier: Apache-2.0
//
// The macros that Python's public headers need on Windows (x86-64) and macOS. CPython's build writes this file for its
// own system; all other headers are the same on every system. Only cross compilations use it: see README.md.
#pragma once

#define HAVE_ERRNO_H 1
#define HAVE_LONG_LONG 1
#define HAVE_SSIZE_T 1
#define HAVE_STDDEF_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_SYS_TIME_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_WCHAR_H 1
#define SIZEOF_INT 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_PID_T 4
#define SIZEOF_SIZE_T 8
#define SIZEOF_TIME_T 8
#define SIZEOF_UINTPTR_T 8
#define SIZEOF_VOID_P 8
#define WITH_THREAD 1

#if defined(_WIN32)
#define HAVE_DECLSPEC_DLL 1
#define HAVE_USABLE_WCHAR_T 1
#define MS_WIN64 1
#define MS_WINDOWS 1
#define NT_THREADS 1
#define Py_ENABLE_SHARED 1  // functions and objects are imported from Python's DLL
#define SIZEOF_LONG 4
#define SIZEOF_WCHAR_T 2
#elif defined(__APPLE__)
#define HAVE_FORK 1
#define HAVE_PTHREAD_H 1
#define HAVE_SYS_SELECT_H 1
#define SIZEOF_LONG 8
#define SIZEOF_PTHREAD_T 8
#define SIZEOF_WCHAR_T 4
#else
#error "this file is for Windows and macOS"
#endif
