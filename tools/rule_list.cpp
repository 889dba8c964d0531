// SPDX-License-Identifier: Apache-2.0
#include "tools/rule_list.hpp"

#include <fmt/format.h>

#include "models/job/model_rules.hpp"
#include "topology/rules/facility_rules.hpp"
#include "topology/rules/network_rules.hpp"
#include "topology/rules/node_rules.hpp"
#include "topology/rules/part_rules.hpp"

namespace clusterwright {

std::vector<RuleWords> rule_list() {
  std::vector<RuleWords> list;
  add_part_rules(list);
  add_words(node_rules(), list);
  add_words(nic_network_rules(), list);
  add_words(switch_network_rules(), list);
  add_words(hall_rules(), list);
  add_words(voltage_rules(), list);
  add_words(chain_rules(), list);
  add_model_rules(list);
  return list;
}

std::string rule_list_document() {
  std::string text =
      "# Rules between parts\n\n"
      "Parts that plug into each other must suit each other, and so must fields that describe one thing twice. The "
      "same\n"
      "rules apply to files, to `--set` and to imports. A rule with a code refuses the input; a rule without one is a\n"
      "warning of `run`, `scale`, `size` and `collective`: the parts work together, but lose something. Each message "
      "names\n"
      "both fields with their values. `clusterwright explain rules` prints this page.\n\n"
      "A rule is one line of a table: `topology/rules/part_rules.cpp` (within a part), `node_rules.cpp`,\n"
      "`network_rules.cpp` and `facility_rules.cpp` beside it, and `models/job/model_rules.cpp`. It has a name, two "
      "fields,\n"
      "the relation that must not hold, a code or none, and a function that finds it. `*` is the index of a tier, `+` "
      "that\n"
      "of the next one; `accelerator`, `nic`, `switch`, `cable`, `server`, `stage`, `cooling`, `climate`, "
      "`interconnection` and\n"
      "`price` stand for a part below `parts`. Test: `tests/laws/part_rules_test.cpp` breaks each rule once.\n\n"
      "| rule | refused or warned if | code | then |\n| --- | --- | --- | --- |\n";
  for (const RuleWords& rule : rule_list())
    text += fmt::format("| {} | `{}` {} `{}` | {} | {} |\n", rule.name, rule.first, rule.relation, rule.second,
                        rule.code.empty() ? "warning" : rule.code, rule.then);
  return text;
}

}  // namespace clusterwright
