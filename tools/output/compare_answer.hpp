// SPDX-License-Identifier: Apache-2.0
/// Answer of `compare`: options beside the first one that runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/comparison/compared_option.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"
#include "tools/output/scenario_differences.hpp"

namespace clusterwright {

struct CompareLine {
  ComparedOption option;
  ResultContext context;
  std::string command;  ///< that predicts it alone
};

struct CompareAnswer {
  std::vector<CompareLine> lines;
  bool replanned = false;
};

/// "A" for the first line.
std::string letter_of(std::size_t line);

/// @pre the line has a step
const StepPrediction& step_of(const CompareAnswer& answer, std::size_t line);

std::vector<std::size_t> running(const CompareAnswer& answer);
/// Those of them whose sites break nothing.
std::vector<std::size_t> buildable(const CompareAnswer& answer);

/// First line that runs; nothing where none does.
std::optional<std::size_t> reference_of(const CompareAnswer& answer);

/// Whether another option runs, takes or costs something else than the reference.
bool differs(const CompareAnswer& answer);

/// Time of each option that runs.
ResultTable compared_times(const CompareAnswer& answer);
/// Money and watts of each that has a site.
ResultTable compared_money(const CompareAnswer& answer);
/// Both, a line for each option that runs, for spreadsheets.
ResultTable compared_flat(const CompareAnswer& answer);
/// Charges of a step that differ by 0.2 % of it or more, an option in each column.
ResultTable moved_terms(const CompareAnswer& answer);
std::vector<FieldDifference> field_differences(const CompareAnswer& answer);

/// An option that runs over the reference.
OptionRatio over_reference(const CompareAnswer& answer, std::size_t line);

}  // namespace clusterwright
