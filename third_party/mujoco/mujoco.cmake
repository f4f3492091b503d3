# SPDX-License-Identifier: Apache-2.0
#
# MuJoCo's headers and libraries come from its Python packages; our package does not contain them. The structs of the
# releases that we support differ, so the family is compiled once for each release, with its headers, as
# libmujoco_<release>.so. That shared object links to libmujoco.so.<release>, which envpool/mujoco/releases.py loads
# before ours. The target mujoco_<release>_library stands for MuJoCo's library.
#
# A release that is not the installed one is downloaded with pip into the build folder. If that fails, the family is
# built without the release. A build for another processor names the folders of that processor's packages in
# ENVPOOL_MUJOCO_FOLDER, and downloads nothing.
set(ENVPOOL_MUJOCO_RELEASES "3.17.0;4.0.0" CACHE STRING "Releases of MuJoCo for which the family mujoco is compiled")
set(ENVPOOL_MUJOCO_FOLDER "" CACHE STRING
    "Folders of Python's package mujoco; empty: the one that Python imports, and downloads of the other releases")

# Sets `folder` to a folder with the headers and the library of a release; to an empty string if there is none.
function(envpool_find_mujoco release)
  set(folder "" PARENT_SCOPE)
  set(candidates "${ENVPOOL_MUJOCO_FOLDER}")
  set(download "${PROJECT_BINARY_DIR}/mujoco/${release}")
  if(NOT candidates)
    find_package(Python 3.10 QUIET COMPONENTS Interpreter)
    set(find "import importlib.util as i; s = i.find_spec('mujoco'); print(s.submodule_search_locations[0] if s else '')")
    execute_process(COMMAND "${Python_EXECUTABLE}" -c "${find}" OUTPUT_VARIABLE installed OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(candidates "${installed}" "${download}")
    if(NOT EXISTS "${installed}/libmujoco.so.${release}" AND NOT EXISTS "${download}" AND NOT CMAKE_CROSSCOMPILING
       AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
      message(STATUS "Downloading the headers and the library of MuJoCo ${release}")
      execute_process(COMMAND "${Python_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/third_party/mujoco/download.py" "${release}"
                              "${download}" ERROR_VARIABLE error RESULT_VARIABLE failed)
      if(failed)
        message(STATUS "${error}")
      endif()
    endif()
  endif()
  foreach(candidate IN LISTS candidates)
    if(EXISTS "${candidate}/libmujoco.so.${release}")
      set(folder "${candidate}" PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

foreach(release IN LISTS ENVPOOL_MUJOCO_RELEASES)
  envpool_find_mujoco(${release})
  if(NOT folder)
    message(STATUS "MuJoCo ${release} is not available: the family mujoco is built without it")
    continue()
  endif()
  list(APPEND ENVPOOL_TARGETS_mujoco mujoco_${release})
  add_library(mujoco_${release}_library SHARED IMPORTED)
  set_target_properties(mujoco_${release}_library PROPERTIES
                        IMPORTED_LOCATION "${folder}/libmujoco.so.${release}"
                        INTERFACE_INCLUDE_DIRECTORIES "${folder}/include"
                        INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}")
endforeach()
if(NOT ENVPOOL_TARGETS_mujoco)
  list(REMOVE_ITEM ENVPOOL_FAMILIES mujoco)
endif()
