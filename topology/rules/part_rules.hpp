// SPDX-License-Identifier: Apache-2.0
/// Rules within one part of a catalog: fields that contradict each other whatever cluster uses the part.
#pragma once

#include <vector>

#include "topology/parts/catalog.hpp"
#include "topology/rules/part_rule.hpp"

namespace clusterwright {

/// Highest temperature of air that servers are specified for: class A4 of ASHRAE TC 9.9.
inline constexpr double hottest_server_air_c = 45;

/// Rules that the parts break. @param parts  checked parts @param catalog  all parts, which they may name
std::vector<RuleFinding> part_findings(const Catalog& parts, const Catalog& catalog);

void add_part_rules(std::vector<RuleWords>& list);

}  // namespace clusterwright
