// SPDX-License-Identifier: Apache-2.0
#include "sim/json_reader.hpp"
#include "support/catalog_nodes.hpp"
#include "support/catch.hpp"
#include "support/shipped_folders.hpp"
#include "tools/rule_list.hpp"
#include "topology/rules/part_rules.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

TEST_CASE("docs/models/rules.md lists the rules that the program knows", "[laws][rules]") {
  const auto page = read_source(configs.parent_path() / "docs" / "models" / "rules.md", 1 << 20);
  CHECK(page->text() == rule_list_document());
}

TEST_CASE("no shipped part breaks a rule", "[laws][rules]") {
  for (const RuleFinding& found : part_findings(shipped_parts(), shipped_parts())) {
    INFO(found.message);
    CHECK(false);
  }
}
