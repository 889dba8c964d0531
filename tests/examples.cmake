# SPDX-License-Identifier: Apache-2.0
# Installs the build into a scratch folder, builds examples/ against it by find_package, and runs them.
#   cmake -D BUILD=<build tree> -D SOURCE=<checkout> -D COMPILER=<c++> -P examples.cmake
set(scratch ${BUILD}/tests/installed)
file(REMOVE_RECURSE ${scratch})
unset(ENV{CLUSTERWRIGHT_CONFIGS})

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${code}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${scratch}/first)
file(RENAME ${scratch}/first ${scratch}/moved)  # a package must not remember where it was made
run(${CMAKE_COMMAND} -S ${SOURCE}/examples -B ${scratch}/build -G Ninja -D CMAKE_CXX_COMPILER=${COMPILER}
    -D CMAKE_CXX_FLAGS=${FLAGS} -D CMAKE_PREFIX_PATH=${scratch}/moved)
run(${CMAKE_COMMAND} --build ${scratch}/build)

foreach(expected "predict_step|as written: 6\\.[0-9]+ s .*MFU.*recomputed: 8\\.[0-9]+ s" "scale_curve|efficiency.* 1024 .*to buy"
                 "all_reduce|1073741824 .*GB/s|bus GB/s.*1073741824")
  string(REGEX MATCH "^[^|]*" example "${expected}")
  string(REGEX REPLACE "^[^|]*\\|" "" pattern "${expected}")
  run(${scratch}/build/${example})
  message("${out}")
  if(NOT out MATCHES "${pattern}")
    message(FATAL_ERROR "${example} printed nothing like ${pattern}:\n${out}")
  endif()
endforeach()
file(REMOVE_RECURSE ${scratch})
