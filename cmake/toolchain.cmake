# SPDX-License-Identifier: Apache-2.0
# Compiler settings shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(CLUSTERWRIGHT_CCACHE ccache)
if(CLUSTERWRIGHT_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CLUSTERWRIGHT_CCACHE})
endif()

add_library(clusterwright_options INTERFACE)
target_include_directories(clusterwright_options INTERFACE ${PROJECT_SOURCE_DIR})
# Contracted multiply-adds would make results depend on the processor.
target_compile_options(clusterwright_options INTERFACE -Wall -Wextra -Wshadow -Wconversion -ffp-contract=off)
# GCC 12 warns at -O2 of overlaps in "text" + std::string that cannot be (its bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(clusterwright_options INTERFACE $<$<CONFIG:Release>:-Wno-restrict>)
endif()
if(CLUSTERWRIGHT_WARNINGS_AS_ERRORS)
  target_compile_options(clusterwright_options INTERFACE -Werror)
endif()
if(CLUSTERWRIGHT_SANITIZE)
  target_compile_options(clusterwright_options INTERFACE -fsanitize=${CLUSTERWRIGHT_SANITIZE} -fno-omit-frame-pointer
                                                        -fno-sanitize-recover=all)
  target_link_options(clusterwright_options INTERFACE -fsanitize=${CLUSTERWRIGHT_SANITIZE})
endif()
