// SPDX-License-Identifier: Apache-2.0
/// Answer of `search` as tables and sentences.
#pragma once

#include <string>
#include <vector>

#include "tools/output/result_table.hpp"
#include "tools/output/search_answer.hpp"

namespace clusterwright {

/// The best plans, a line each.
ResultTable plans_table(const SearchAnswer& answer);
/// For each value of each field: how many layouts, how many fit, the best of them, and why it lost.
ResultTable choices_table(const SearchAnswer& answer);
/// Counts, proof, distance of the second plan, the scenario's own plan, what the stack cannot run.
std::vector<std::string> search_sentences(const SearchAnswer& answer);

/// What was left out of a space, in words; empty for nothing.
std::string left_out_text(LeftOut left_out);

}  // namespace clusterwright
