# SPDX-License-Identifier: Apache-2.0
# Puts the style sheet of reports into the tools layer, as html_style.cpp in the build folder. Configuring runs again when
# the style sheet changes.
set(style_sheet ${PROJECT_SOURCE_DIR}/tools/output/report.css)
set(style_source ${PROJECT_BINARY_DIR}/tools/output/html_style.cpp)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${style_sheet})
file(READ ${style_sheet} REPORT_CSS)
configure_file(${PROJECT_SOURCE_DIR}/tools/output/html_style.cpp.in ${style_source} @ONLY)
target_sources(clusterwright_tools PRIVATE ${style_source})
