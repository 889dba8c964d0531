// SPDX-License-Identifier: Apache-2.0
/// Differences between a named parameter file and the default one.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/job/parameters.hpp"
#include "models/job/scenario.hpp"

namespace clusterwright {

struct ParameterDifference {
  std::string section;  ///< "gemm/bf16", "collectives/all_reduce", "network"
  std::string source;   ///< source of the first number that differs
};

/// Sections with other values; `step`, `memory`, `power` and `network` are one each.
std::vector<ParameterDifference> differing_sections(const ParameterSet& set, const ParameterSet& usual);
std::vector<ParameterDifference> differing_sections(const CollectiveSet& set, const CollectiveSet& usual);

struct AgainstUsual {
  std::string parameters, usual;                  ///< names of the sets
  std::string fitted_for;                         ///< accelerator of the file if it is not the cluster's; else empty
  std::optional<double> least_ratio, most_ratio;  ///< extreme ratios of times over all sizes; equal for a single step
  std::vector<ParameterDifference> differences;
};

/// Nothing where no parameters were named.
/// @param named      on the command line; else the scenario may name some
/// @param step_time  step time with the named parameters, to be compared with the default ones; absent: no ratio
std::optional<AgainstUsual> against_usual(const Scenario& scenario, bool named, std::optional<Seconds> step_time);

/// "Parameters: own; a step takes 3.2 % longer than with h200. Different: gemm/bf16 (fit of 80 samples ...)."
std::string sentence_of(const AgainstUsual& against);

/// Keys: parameters, usual, fitted_for, least_ratio, most_ratio, differences[].
JsonValue json_of(const std::optional<AgainstUsual>& against);

}  // namespace clusterwright
