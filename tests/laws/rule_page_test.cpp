// SPDX-License-Identifier: Apache-2.0
#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "support/shipped_folders.hpp"
#include "tools/rule_list.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

TEST_CASE("docs/models/rules.md lists the rules that the program knows", "[laws][rules]") {
  const auto page = read_source(configs.parent_path() / "docs" / "models" / "rules.md", 1 << 20);
  CHECK(page->text() == rule_list_document());
}
