// SPDX-License-Identifier: Apache-2.0
/// What each value of each field of a layout did in a search.
#pragma once

#include <string>
#include <vector>

#include "tools/output/search_answer.hpp"

namespace clusterwright {

/// One value of one field, with the best plan that has it.
struct SearchChoice {
  std::string field, value;
  const FieldValue* counts = nullptr;
  const FoundLayout* found = nullptr;  ///< nullptr: none fits, or none was replayed
  double behind = 0;                   ///< value of the objective over the best one, minus 1
  std::string why;                     ///< why it is not the best
};

/// All values of all fields with several, in the order of values.
std::vector<SearchChoice> choices_of(const SearchAnswer& answer);

/// Those for people: of a field with many values the ones with the best plans.
std::vector<SearchChoice> worth_a_line(const std::vector<SearchChoice>& all);

}  // namespace clusterwright
