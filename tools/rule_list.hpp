// SPDX-License-Identifier: Apache-2.0
/// Every rule between fields and parts that plug into each other; `docs/models/rules.md` lists the same.
#pragma once

#include <string>
#include <vector>

#include "topology/rules/part_rule.hpp"

namespace clusterwright {

/// Rules of all tables: parts, nodes, networks, facilities, transformers and jobs.
std::vector<RuleWords> rule_list();

/// The contents of docs/models/rules.md.
std::string rule_list_document();

}  // namespace clusterwright
