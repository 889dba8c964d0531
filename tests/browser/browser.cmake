# SPDX-License-Identifier: Apache-2.0
# Reports in a real browser. The test skips itself (77) where node, playwright-core or a browser is missing.
find_program(CLUSTERWRIGHT_NODE NAMES node nodejs)
if(CLUSTERWRIGHT_NODE)
  add_test(NAME browser_report
           COMMAND ${CLUSTERWRIGHT_NODE} ${CMAKE_CURRENT_SOURCE_DIR}/browser/report_test.mjs $<TARGET_FILE:clusterwright>
                   ${PROJECT_SOURCE_DIR}/configs ${CMAKE_CURRENT_BINARY_DIR}/browser)
  set_tests_properties(browser_report PROPERTIES LABELS browser SKIP_RETURN_CODE 77 TIMEOUT 400)

  # Configs against their schemas with ajv, which lies in the same node_modules.
  add_test(NAME editor_schemas
           COMMAND ${CLUSTERWRIGHT_NODE} ${CMAKE_CURRENT_SOURCE_DIR}/browser/schema_test.mjs $<TARGET_FILE:clusterwright>
                   ${PROJECT_SOURCE_DIR}/configs)
  set_tests_properties(editor_schemas PROPERTIES LABELS browser SKIP_RETURN_CODE 77 TIMEOUT 120)
endif()
