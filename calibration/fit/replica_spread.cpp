// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/replica_spread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sourced_value.hpp"
#include "models/prediction/prediction_interval.hpp"
#include "models/settling/replica_jitter.hpp"

namespace clusterwright {

namespace {

constexpr double least_growth = 1e-3;  // of z(R) times computation: pairs below say nothing
constexpr std::size_t least_groups = 3;

/// Two sizes of one job: what the larger one loses beyond the prediction, and what a spread of 1 would make it lose.
struct SizePair {
  std::string group;  ///< stack on an accelerator
  double lost = 0, growth = 0, weight = 0;
};

/// z(R) times the share of computation.
double exposure(const StepRow& row, const StepSlopes& slopes) {
  return -slopes.compute * expected_largest(row.plan.data);
}

std::vector<SizePair> size_pairs(const std::vector<StepRow>& rows, const std::vector<StepSlopes>& slopes) {
  std::map<std::string, std::vector<std::size_t>> jobs;
  for (std::size_t i = 0; i < rows.size(); ++i) jobs[job_key(rows[i].scenario, rows[i].plan)].push_back(i);
  std::vector<SizePair> out;
  for (auto& [job, members] : jobs) {
    std::ranges::stable_sort(members, {}, [&](std::size_t i) { return rows[i].plan.accelerators(); });
    for (std::size_t k = 1; k < members.size(); ++k) {
      const std::size_t a = members[k - 1], b = members[k];
      const double growth = exposure(rows[b], slopes[b]) - exposure(rows[a], slopes[a]);
      if (growth < least_growth) continue;
      out.push_back({rows[a].entry + " on " + rows[a].scenario.cluster.accelerator.id,
                     slopes[b].error - slopes[a].error, growth, std::min(rows[a].share, rows[b].share)});
    }
  }
  return out;
}

/// The spread with the least sum of absolute errors.
double median_spread(const std::vector<SizePair>& pairs, const std::string& left_out) {
  std::vector<double> ratios, weights;
  for (const SizePair& pair : pairs) {
    if (pair.group == left_out) continue;
    ratios.push_back(pair.lost / pair.growth);
    weights.push_back(pair.weight * pair.growth);
  }
  return std::max(0.0, weighted_quantile(ratios, weights, 0.5));
}

}  // namespace

Sourced<double> fitted_spread(const std::vector<StepRow>& rows, const std::vector<StepSlopes>& slopes) {
  const std::vector<SizePair> pairs = size_pairs(rows, slopes);
  std::set<std::string> groups;
  for (const SizePair& pair : pairs) groups.insert(pair.group);
  if (groups.size() < least_groups)
    return sourced_value(0, 0, "definition: replicas run alike; too few published sizes say otherwise");
  const double spread = median_spread(pairs, "");
  double squares = 0;
  for (const std::string& group : groups) squares += std::pow(median_spread(pairs, group) - spread, 2);
  const auto n = static_cast<double>(groups.size());
  return sourced_value(spread, std::sqrt(squares * (n - 1) / n),
                       fmt::format("{} pairs of published steps of one job on different numbers of accelerators, of {} "
                                   "stacks and accelerators",
                                   pairs.size(), groups.size()));
}

}  // namespace clusterwright
