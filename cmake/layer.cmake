# SPDX-License-Identifier: Apache-2.0
# clusterwright_unity(TARGET SOURCES...)
#
# Compiles the sources of one folder together, at most ten at a time: headers are parsed and templates instantiated once
# for all of them. The names in anonymous namespaces of one folder must therefore differ.
function(clusterwright_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(last "")
  foreach(source IN LISTS ARGN)
    if(source MATCHES "\\.cpp$")
      cmake_path(GET source PARENT_PATH folder)
      if(NOT folder STREQUAL last)
        set(last "${folder}")
        set(in_folder 0)
      endif()
      math(EXPR batch "${in_folder} / 10")
      math(EXPR in_folder "${in_folder} + 1")
      file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${folder})
      string(REPLACE "/" "_" name "${name}_${batch}")
      set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${name})
    endif()
  endforeach()
endfunction()

# clusterwright_layer(NAME PUBLIC targets... PRIVATE targets...)
#
# One folder of the house becomes the static library clusterwright_NAME, installed as clusterwright::NAME. Programs
# (main.cpp) stay out of it. Write libraries of headers as $<BUILD_INTERFACE:...>: users of the installed library need
# none of them.
function(clusterwright_layer name)
  cmake_parse_arguments(layer "" "" "PUBLIC;PRIVATE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${name}/*.cpp ${PROJECT_SOURCE_DIR}/${name}/*.hpp)
  list(FILTER sources EXCLUDE REGEX "main\\.cpp$")
  add_library(clusterwright_${name} STATIC ${sources})
  set_target_properties(clusterwright_${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(clusterwright_${name} PUBLIC $<BUILD_INTERFACE:clusterwright_options> ${layer_PUBLIC} PRIVATE ${layer_PRIVATE})
  set_target_properties(clusterwright_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS clusterwright_${name} EXPORT clusterwright ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  clusterwright_unity(clusterwright_${name} ${sources})
endfunction()
