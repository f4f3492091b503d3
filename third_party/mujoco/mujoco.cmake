# SPDX-License-Identifier: Apache-2.0
#
# MuJoCo's headers and library come from its Python package; our package does not contain them. Our shared object links
# to libmujoco.so.<version>, which envpool/mujoco/family.py loads before our shared object. A build for another
# processor names the folder of that processor's package in ENVPOOL_MUJOCO_FOLDER.
set(ENVPOOL_MUJOCO_FOLDER "" CACHE PATH "Folder of Python's package mujoco; empty: the one that Python imports")
set(mujoco_folder "${ENVPOOL_MUJOCO_FOLDER}")
if(NOT mujoco_folder)
  find_package(Python 3.10 QUIET COMPONENTS Interpreter)
  set(mujoco_find "import importlib.util as i; s = i.find_spec('mujoco'); print(s.submodule_search_locations[0] if s else '')")
  execute_process(COMMAND "${Python_EXECUTABLE}" -c "${mujoco_find}" OUTPUT_VARIABLE mujoco_folder
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
file(GLOB mujoco_file "${mujoco_folder}/libmujoco.so.*")
if(NOT mujoco_folder OR NOT mujoco_file)
  message(STATUS "Python's package mujoco is not installed: the family mujoco is not built")
  list(REMOVE_ITEM ENVPOOL_FAMILIES mujoco)
  return()
endif()

add_library(mujoco_library SHARED IMPORTED)
set_target_properties(mujoco_library PROPERTIES IMPORTED_LOCATION "${mujoco_file}"
                                              INTERFACE_INCLUDE_DIRECTORIES "${mujoco_folder}/include"
                                              INTERFACE_LINK_LIBRARIES "${CMAKE_DL_LIBS}")
