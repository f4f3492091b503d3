# SPDX-License-Identifier: Apache-2.0
#
# Plugins outside this project load this file with find_package(envpool CONFIG REQUIRED). `python -m envpool
# --cmake-dir` prints the value for envpool_DIR.
#
#   envpool_add_plugin(snake plugin.cc)     builds snake.so, a shared object for envpool.register
#   envpool::headers                        target with the headers, C++20, and the flags for reproducible arithmetic

# The first path is for an installed package, the second for the sources.
foreach(folder "${CMAKE_CURRENT_LIST_DIR}/../../../include" "${CMAKE_CURRENT_LIST_DIR}/..")
  if(NOT envpool_INCLUDE_DIR AND EXISTS "${folder}/envpool/core/plugin.h")
    get_filename_component(envpool_INCLUDE_DIR "${folder}" ABSOLUTE)
  endif()
endforeach()
if(NOT envpool_INCLUDE_DIR)
  set(envpool_FOUND FALSE)
  set(envpool_NOT_FOUND_MESSAGE "the headers are missing: install envpool again")
  return()
endif()

if(NOT TARGET envpool::headers)
  add_library(envpool::headers INTERFACE IMPORTED)
  set_target_properties(envpool::headers PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${envpool_INCLUDE_DIR}")
  target_compile_features(envpool::headers INTERFACE cxx_std_20)
  # The order of float operations is part of the interface: without fused multiply-adds, all compilers give the same bits.
  # GCC's SLP vectorizer is off because it drops roundings to f32.
  target_compile_options(envpool::headers INTERFACE -ffp-contract=off $<$<CXX_COMPILER_ID:GNU>:-fno-tree-slp-vectorize>)
endif()

# The sources contain one ENVPOOL_PLUGIN(envpool::table<MyEnv>(), ...). No other symbol is exported.
function(envpool_add_plugin name)
  if(NOT ARGN)
    message(FATAL_ERROR "envpool_add_plugin(${name}) needs sources")
  endif()
  if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release PARENT_SCOPE)
    message(STATUS "envpool: CMAKE_BUILD_TYPE is Release")
  endif()
  add_library(${name} MODULE ${ARGN})
  set_target_properties(${name} PROPERTIES PREFIX "" SUFFIX ".so" CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
                                           VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(${name} PRIVATE envpool::headers)
  if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
    target_link_options(${name} PRIVATE -Wl,-z,defs)
  endif()
endfunction()
