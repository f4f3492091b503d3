# SPDX-License-Identifier: Apache-2.0
#
# Sets the compiler and the flags of all targets.

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

include(CheckLanguage)
check_language(CXX)
if(NOT CMAKE_CXX_COMPILER)
  message(FATAL_ERROR "envpool is compiled on installation and found no C++ compiler: install g++ 11 or newer "
                      "(Debian, Ubuntu: g++; Fedora: gcc-c++) or clang++ 14 or newer, or name one in CXX.")
endif()
enable_language(CXX)
if((CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 11)
   OR (CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 14))
  message(FATAL_ERROR "envpool needs C++20 and found ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} at "
                      "${CMAKE_CXX_COMPILER}: install g++ 11 or clang++ 14, or newer, and name it in CXX.")
endif()

find_package(Threads REQUIRED)

set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# The order of float operations is part of the interface: no fused multiply-add, no fast-math, no -march=native. All
# compilers and machines give the same bits. SIMD code is selected at run time.
add_library(envpool_flags INTERFACE)
target_compile_features(envpool_flags INTERFACE cxx_std_20)
target_compile_options(envpool_flags INTERFACE -ffp-contract=off -Wall -Wextra)
# GCC 12 drops the rounding from two neighbouring assignments of the form `f64 x = f32(y)` when it joins them into vector
# code (tests/core/compilers_test.py shows it). Only its SLP vectorizer does so.
target_compile_options(envpool_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)
# The four-wide SIMD types (core/math/lanes.h) are never passed in a call, so the calling convention does not matter.
target_compile_options(envpool_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-psabi>)
target_include_directories(envpool_flags INTERFACE "${PROJECT_SOURCE_DIR}")
target_link_libraries(envpool_flags INTERFACE Threads::Threads ${CMAKE_DL_LIBS})
if(WIN32)
  target_link_options(envpool_flags INTERFACE -static)  # so that programs do not need the compiler's libraries
  target_link_libraries(envpool_flags INTERFACE synchronization)  # WaitOnAddress
endif()
if(ENVPOOL_ASSERTIONS)
  target_compile_definitions(envpool_flags INTERFACE ENVPOOL_ASSERTIONS=1)
endif()
if(ENVPOOL_SANITIZE)
  # Reports need lines, but no variables, which take a third of the compile time.
  target_compile_options(envpool_flags INTERFACE -fsanitize=${ENVPOOL_SANITIZE} -fno-omit-frame-pointer -g1)
  target_link_options(envpool_flags INTERFACE -fsanitize=${ENVPOOL_SANITIZE})
  if(ENVPOOL_SANITIZE MATCHES "undefined")
    target_compile_options(envpool_flags INTERFACE -fno-sanitize-recover=undefined)
  endif()
endif()
