// SPDX-License-Identifier: Apache-2.0
/// Jobs that run beside each other on what one grid connection grants.
///
/// Each job has accelerators and a hall of its own, which `size` would plan for it alone; a limit of all its
/// accelerators holds its part of the power. Powers are means over a step, from the grid, on the design day. The curve
/// of each job is predicted under nine limits between the lowest one and none, and twice more around the answer; then
/// on fewer nodes too.
/// @source docs/models/power.md, "Several jobs under one budget"
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/site/sizing/job_site.hpp"
#include "models/site/sizing/power_division.hpp"

namespace clusterwright {

/// A job in its hall. Both outlive what is made of it.
struct SharingJob {
  const Scenario& scenario;  ///< on nodes of one kind
  const JobSite& site;
  double weight = 1;  ///< of its work against that of others
};

struct JobShare {
  Watts budget;
  std::optional<Watts> limit;  ///< of each accelerator; none where the budget needs none
  SitedStep held;              ///< step under that limit
  Watts drawn;                 ///< at most the budget, of which 0.1 % may be unused
  double speed = 1;            ///< tokens per second over those without a limit
};

struct DividedPower {
  PowerDivision division = PowerDivision::by_job;
  std::vector<JobShare> jobs;
  double useful = 0;  ///< sum of weight * accelerators * speed, with all accelerators of the job
};

struct SharedPower {
  std::vector<PowerCurve> curves;       ///< by job
  std::vector<DividedPower> divisions;  ///< by_job, proportional, equal; one alone where the budget limits nothing
  std::optional<DividedPower> fewer;    ///< with nodes switched off; absent where the budget limits nothing
  Watts free;                           ///< what all draw without limits
  Watts least;                          ///< at their lowest limits
};

/// @param progress  called after each prediction, from any thread
/// @throws ConfigError E0368 for a budget below `least`; as JobSite::plan
SharedPower shared_power(const std::vector<SharingJob>& jobs, Watts budget, const std::function<void()>& progress = {});

}  // namespace clusterwright
