# SPDX-License-Identifier: Apache-2.0
# Every header compiles by itself. The test house_rules reads the same from the text in a second; this is the proof, in
# minutes: cmake --build --preset dev --target headers_alone
if(CLUSTERWRIGHT_WARNINGS_AS_ERRORS)
  set(alone "")
  foreach(folder sim topology models calibration tools)
    file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/${folder}/*.hpp)
    list(FILTER headers EXCLUDE REGEX "^calibration/probes/")  # CUDA's, see tests/probes_link.sh
    foreach(header IN LISTS headers)
      string(REPLACE "/" "_" name ${header})
      set(file ${CMAKE_CURRENT_BINARY_DIR}/headers_alone/${name}.cpp)
      file(CONFIGURE OUTPUT ${file} CONTENT "#include \"${header}\"\n" @ONLY)
      list(APPEND alone ${file})
    endforeach()
  endforeach()
  if(alone)
    add_library(headers_alone OBJECT EXCLUDE_FROM_ALL ${alone})
    target_compile_options(headers_alone PRIVATE -O0)
    target_link_libraries(headers_alone PRIVATE clusterwright_options fmt::fmt)
  endif()
endif()
