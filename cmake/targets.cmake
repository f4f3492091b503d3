# SPDX-License-Identifier: Apache-2.0
#
# Defines a function for each kind of target. A function does nothing if the folder has no sources for its target.

# The folder of the test libraries; tests find it in $ENVPOOL_TEST_LIB_DIR.
set(ENVPOOL_TEST_LIB_DIR "${PROJECT_BINARY_DIR}/test_libs")

# Builds the only pybind11 module.
function(envpool_extension name folder)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*.cc" "${PROJECT_SOURCE_DIR}/${folder}/*/*.cc")
  if(NOT sources)
    return()
  endif()
  set(PYBIND11_FINDPYTHON ON)
  find_package(Python 3.10 QUIET COMPONENTS Interpreter Development.Module)
  if(NOT Python_Development.Module_FOUND)
    message(FATAL_ERROR "envpool found no Python.h for ${Python_EXECUTABLE}: install Python's headers "
                        "(Debian, Ubuntu: python3-dev; Fedora: python3-devel).")
  endif()
  if(CMAKE_CROSSCOMPILING)  # CMake lists the system libraries of the running Python
    set_target_properties(Python::Module PROPERTIES INTERFACE_LINK_LIBRARIES "")
  endif()
  find_package(pybind11 3 CONFIG REQUIRED)
  pybind11_add_module(${name} MODULE NO_EXTRAS ${sources})
  target_link_libraries(${name} PRIVATE envpool_flags)
  # Most of the time would be spent on pybind11's headers, so the sources of each folder are compiled together. That takes
  # half of the time.
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS sources)
    get_filename_component(group "${source}" DIRECTORY)
    get_filename_component(group "${group}" NAME)
    string(REGEX REPLACE "^bindings$" "pool" group "${group}")
    set_source_files_properties("${source}" PROPERTIES UNITY_GROUP ${group})
  endforeach()
  install(TARGETS ${name} LIBRARY DESTINATION envpool)
endfunction()

# Builds a shared object that does not use Python and exports `envpool_plugin`, or a test's C functions.
function(envpool_shared_object target output)
  add_library(${target} MODULE ${ARGN})
  set_target_properties(${target} PROPERTIES PREFIX "lib" SUFFIX ".so" OUTPUT_NAME ${output} DEFINE_SYMBOL "")
  target_link_libraries(${target} PRIVATE envpool_flags)
endfunction()

# For make dev: compiles the headers that all environments include once. That halves the time of an environment.
function(envpool_precompiled_header)
  file(CONFIGURE OUTPUT "${PROJECT_BINARY_DIR}/split/header.cc" CONTENT "")
  envpool_shared_object(environments_header environments_header "${PROJECT_BINARY_DIR}/split/header.cc")
  target_compile_definitions(environments_header PRIVATE ENVPOOL_NEVER_THROWS)
  set_target_properties(environments_header PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/environments")
  target_precompile_headers(environments_header PRIVATE "${PROJECT_SOURCE_DIR}/tests/support/split_family.h")
endfunction()

# Reads the list of environments in a family's plugin.cc. Sets `list` to the tables that name their headers, `names` to a
# name for each, and `using` to the namespace in which the environments are. An environment is named after its header, or
# after its class if its header contains several.
function(envpool_environments name)
  set(plugin "${PROJECT_SOURCE_DIR}/envpool/${name}/plugin.cc")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${plugin}")
  file(READ "${plugin}" text)
  string(REGEX MATCHALL "envpool::table<[^>]*\"[^>]*>\\(\\)" list "${text}")
  string(REGEX MATCH "using namespace [^;]*;" using "${text}")
  set(names "")
  foreach(table IN LISTS list)
    string(REGEX REPLACE "envpool::table<([^,]*),.*\"(.*)\".*" "\\1;\\2" class_and_header "${table}")
    list(GET class_and_header 0 class)
    list(GET class_and_header 1 header)
    string(REGEX MATCHALL "\"${header}\"" uses "${list}")
    list(LENGTH uses count)
    get_filename_component(stem "${header}" NAME_WE)
    if(count GREATER 1)
      list(APPEND names "${class}")
    else()
      list(APPEND names "${stem}")
    endif()
  endforeach()
  set(names "${names}" PARENT_SCOPE)
  set(list "${list}" PARENT_SCOPE)
  set(using "${using}" PARENT_SCOPE)
endfunction()

# Writes one source for each environment of a family, and one with their list, and sets `sources` to them. After a change
# of an environment's header, only this environment is compiled again.
function(envpool_source_per_environment name)
  envpool_environments(${name})
  set(folder "${PROJECT_BINARY_DIR}/environments/${name}")
  set(sources "${folder}/plugin.cc")
  set(declarations "")
  set(calls "")
  foreach(table env IN ZIP_LISTS list names)
    string(REGEX REPLACE ".*\"(.*)\".*" "\\1" header "${table}")
    set(declaration "const envpool::abi::Table* ${env}_table()")
    file(CONFIGURE OUTPUT "${folder}/${env}.cc" CONTENT
         "#include \"${header}\"\n\n${using}\n\n${declaration} { return ${table}; }\n" @ONLY)
    list(APPEND sources "${folder}/${env}.cc")
    string(APPEND declarations "${declaration};\n")
    list(APPEND calls "${env}_table()")
  endforeach()
  list(JOIN calls ", " calls)
  file(CONFIGURE OUTPUT "${folder}/plugin.cc" CONTENT "#include \"envpool/core/plugin.h\"

${declarations}
extern \"C\" __attribute__((visibility(\"default\"))) const envpool::abi::Plugin* envpool_plugin() {
  static const envpool::abi::Table* tables[] = {${calls}};
  static const envpool::abi::Plugin plugin{ENVPOOL_ABI, sizeof(tables) / sizeof(tables[0]), tables};
  return &plugin;
}
" @ONLY)
  set(sources "${sources}" PARENT_SCOPE)
endfunction()

# For make dev: builds each environment of a family as a shared object, environments/lib<family>_<environment>.so, with its
# table and its functions for tests, and writes sources that load them, from the list in the family's plugin.cc. A change
# of a header then compiles only the environments that a developer selects. The others remain as they were, complete
# and consistent, because shared objects share no inline functions. Sets `tables` and `functions` to these sources. They
# are not set if the list names no headers.
function(envpool_split_family name)
  envpool_environments(${name})
  if(NOT list)
    return()
  endif()
  set(folder "${PROJECT_BINARY_DIR}/split/${name}")
  set(tables "")
  set(functions "")
  foreach(table env IN ZIP_LISTS list names)
    string(REGEX REPLACE ".*\"(.*)\".*" "\\1" header "${table}")
    string(REPLACE "envpool::table<" "envpool::testing::table<" test_functions "${table}")
    set(source "#include \"${header}\"\n#include \"tests/support/split_family.h\"\n\n${using}\n\nENVIRONMENT_TABLE(${table})\n")
    if(NOT TARGET ${name}_parts)
      string(APPEND source "ENVIRONMENT_FUNCTIONS(${test_functions})\n")
    endif()
    file(CONFIGURE OUTPUT "${folder}/${env}.cc" CONTENT "${source}" @ONLY)
    set(target environment_${name}_${env})
    envpool_shared_object(${target} ${name}_${env} "${folder}/${env}.cc")
    target_link_libraries(${target} PRIVATE $<TARGET_NAME_IF_EXISTS:${name}_parts>)
    target_compile_definitions(${target} PRIVATE ENVPOOL_NEVER_THROWS)
    set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/environments")
    target_precompile_headers(${target} REUSE_FROM environments_header)
    set(library "\"${PROJECT_BINARY_DIR}/environments/lib${name}_${env}.so\"")
    list(APPEND tables "split_table(${library})")
    list(APPEND functions "split_functions(${library})")
  endforeach()
  foreach(kind tables functions)
    list(JOIN ${kind} ",\n    " calls)
    string(TOUPPER ${kind} macro)
    file(CONFIGURE OUTPUT "${folder}/${kind}.cc" CONTENT
         "#include \"tests/support/split_family.h\"\n\nSPLIT_${macro}(\n    ${calls})\n" @ONLY)
    set(${kind} "${folder}/${kind}.cc" PARENT_SCOPE)
  endforeach()
endfunction()

# Builds the shared object lib<target>.so of a family from its plugin.cc and the sources in its subfolders, which its tests
# link too. The target is named after the family, or after the family and a release of an external library; the target
# <target>_library stands for that library.
function(envpool_family name target)
  set(folder "${PROJECT_SOURCE_DIR}/envpool/${name}")
  if(NOT EXISTS "${folder}/plugin.cc")
    return()
  endif()
  set(sources "${folder}/plugin.cc")
  if(ENVPOOL_SPLIT_FAMILIES)
    envpool_split_family(${name})
    if(tables)
      set(sources "${tables}")
    endif()
  elseif(name IN_LIST ENVPOOL_LARGE_FAMILIES OR (ENVPOOL_SANITIZE AND NOT name IN_LIST ENVPOOL_HOST_FAMILIES))
    envpool_source_per_environment(${name})
  endif()
  envpool_shared_object(family_${target} ${target} ${sources})
  target_link_libraries(family_${target} PRIVATE $<TARGET_NAME_IF_EXISTS:${target}_parts>
                                                 $<TARGET_NAME_IF_EXISTS:${target}_library>)
  if(tables)
    target_precompile_headers(family_${target} REUSE_FROM environments_header)
  endif()
  target_compile_definitions(family_${target} PRIVATE ENVPOOL_NEVER_THROWS)  # our portable environments never throw
  if(ENVPOOL_BINDINGS)
    install(TARGETS family_${target} LIBRARY DESTINATION envpool/${name})
  endif()
endfunction()

# Installs the headers of the families that kernels include, so that an installed package can compile kernels for a GPU.
# Headers that only the host uses are not installed. tests/core/device_compile_test.py compares the two lists.
function(envpool_portable_headers)
  set(host_only
      a64 x64 "native_[a-z0-9]+" canvas draw lake_map meanings model_options resize_simd resize_avx2 resize_neon game_info decode palette
      rom_builder cards kitchen_layout "(backgammon|chess|shogi|sparrow)_picture")
  list(JOIN host_only "|" host_only)
  foreach(family IN LISTS ENVPOOL_FAMILIES)
    if(NOT family IN_LIST ENVPOOL_HOST_FAMILIES)
      install(DIRECTORY "envpool/${family}" DESTINATION envpool/include/envpool FILES_MATCHING PATTERN "*.h"
              REGEX "/(${host_only})\\.h$" EXCLUDE)
    endif()
  endforeach()
endfunction()

function(envpool_parts name target)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/envpool/${name}/*/*.cc")
  if(sources)
    add_library(${target}_parts STATIC ${sources})
    set_target_properties(${target}_parts PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_link_libraries(${target}_parts PUBLIC envpool_flags $<TARGET_NAME_IF_EXISTS:${target}_library>)
  endif()
endfunction()

# Builds a library that only tests load, from the sources in tests/ that match the pattern.
function(envpool_test_library name pattern)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/${pattern}")
  get_filename_component(room "${pattern}" DIRECTORY)
  if(sources)
    envpool_shared_object(${name} ${name} ${sources})
    target_link_libraries(${name} PRIVATE $<TARGET_NAME_IF_EXISTS:${room}_parts>)
    set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${ENVPOOL_TEST_LIB_DIR}"
                                             CXX_VISIBILITY_PRESET default)
  endif()
endfunction()

# Builds the C functions of a header-only portable family's environments, and the functions in its tests' capi.cc. No test
# calls those of the large families.
function(envpool_test_functions family)
  if(TARGET ${family}_parts OR family IN_LIST ENVPOOL_HOST_FAMILIES OR family IN_LIST ENVPOOL_LARGE_FAMILIES)
    return()
  endif()
  set(folder "${PROJECT_SOURCE_DIR}/tests")
  file(GLOB more CONFIGURE_DEPENDS "${folder}/${family}/capi.cc" "${folder}/${family}/*_capi.cc")
  set(list "envpool/${family}/plugin.cc")
  if(ENVPOOL_SPLIT_FAMILIES)
    set(list "${PROJECT_BINARY_DIR}/split/${family}/functions.cc")
  endif()
  envpool_shared_object(${family}_testing ${family}_testing "${folder}/support/functions.cc" ${more})
  target_compile_definitions(${family}_testing PRIVATE "ENVPOOL_FAMILY_LIST=\"${list}\"")
  set_target_properties(${family}_testing PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${ENVPOOL_TEST_LIB_DIR}"
                                                     CXX_VISIBILITY_PRESET default)
  target_compile_options(${family}_testing PRIVATE $<$<CONFIG:Release>:-O1>)  # takes half the time
endfunction()

# Builds every *_test.cc as a separate program, with tests/support/testing.h. The target core_pool_tests builds those of
# the folder core/pool, whose threads ThreadSanitizer checks; the label of these tests is "core/pool".
function(envpool_cpp_tests)
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tests/*/*_test.cc"
                                       "${PROJECT_SOURCE_DIR}/tests/core/*/*_test.cc")
  # With a release build's -O3, they would take up to twice as long to compile. The Python tests run the engine as it is installed.
  set(options $<$<CONFIG:Release>:-O1>)
  add_library(core_environments STATIC EXCLUDE_FROM_ALL "${PROJECT_SOURCE_DIR}/tests/core/environments.cc")
  target_link_libraries(core_environments PRIVATE envpool_flags)
  target_compile_options(core_environments PRIVATE ${options})
  foreach(source IN LISTS sources)
    get_filename_component(name "${source}" NAME_WE)
    file(RELATIVE_PATH room "${PROJECT_SOURCE_DIR}/tests" "${source}")
    string(REGEX REPLACE "/[^/]*$" "" folder "${room}")
    string(REPLACE "/" "_" group "${folder}")
    string(REGEX REPLACE "/.*$" "" room "${room}")
    if(EXISTS "${PROJECT_SOURCE_DIR}/envpool/${room}/plugin.cc" AND NOT room IN_LIST ENVPOOL_FAMILIES)
      continue()  # this system lacks the family
    endif()
    add_executable(${room}_${name} "${source}")
    # make dev compiles a test when it needs the test.
    set_target_properties(${room}_${name} PROPERTIES EXCLUDE_FROM_ALL ${ENVPOOL_SPLIT_FAMILIES})
    set_target_properties(${room}_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/cpp_tests")
    target_link_libraries(${room}_${name} PRIVATE envpool_flags $<TARGET_NAME_IF_EXISTS:${room}_parts>)
    if(folder STREQUAL "core/pool")
      target_link_libraries(${room}_${name} PRIVATE core_environments)
    endif()
    target_compile_options(${room}_${name} PRIVATE ${options})
    if(NOT TARGET ${group}_tests)
      add_custom_target(${group}_tests)
    endif()
    add_dependencies(${group}_tests ${room}_${name})
    add_test(NAME ${room}/${name} COMMAND ${room}_${name})
    set_tests_properties(${room}/${name} PROPERTIES TIMEOUT 1800 LABELS ${folder}
                         ENVIRONMENT "ENVPOOL_TEST_LIB_DIR=${ENVPOOL_TEST_LIB_DIR}")
  endforeach()
  if(TEST cuda/kernels_test)
    set_tests_properties(cuda/kernels_test PROPERTIES COST 100)  # it takes longest, and starts first
  endif()
endfunction()
