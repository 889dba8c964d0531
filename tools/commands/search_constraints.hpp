// SPDX-License-Identifier: Apache-2.0
/// Limits of a search as they are typed: "tensor<=8", "recompute=none,full", "step_time_s<=10".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/search/layout_limits.hpp"
#include "models/settling/step_simulation.hpp"

namespace clusterwright {

struct SearchConstraints {
  LayoutLimits limits;
  std::optional<double> most_step_s;    ///< limit on the step time, in seconds
  std::optional<double> most_nodes_kw;  ///< limit on the mean power of all nodes

  bool accept(const StepSummary& step) const;
};

/// Adds one limit to those before. @throws ConfigError E0404 for a name, sign or value that is not known, and if no
/// value is left
void add_constraint(const std::string& typed, SearchConstraints& constraints);

/// Pins fields of the layout that --set gave.
/// @return their paths, "job.parallel.tensor"
std::vector<std::string> pin_settings(const Scenario& scenario, const std::vector<std::string>& settings,
                                      LayoutLimits& limits);

/// Keeps what both allow. @throws ConfigError E0404 naming the field of which no value is left
void narrow(LayoutLimits& limits, const LayoutLimits& others);

}  // namespace clusterwright
