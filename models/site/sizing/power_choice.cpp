// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/power_choice.hpp"

#include <cmath>
#include <limits>

namespace clusterwright {

namespace {

constexpr std::size_t grains = 4096;
constexpr double none = -std::numeric_limits<double>::infinity();

/// Grains of the budget that a way takes, rounded up; more than all where it takes more.
std::size_t grains_of(Watts drawn, Watts budget) {
  const double share = std::ceil(grains * (drawn / budget));
  return share <= static_cast<double>(grains) ? static_cast<std::size_t>(share) : grains + 1;
}

/// Most work of the first jobs by the grains that they may take, and the way of the last of them there.
struct Stage {
  std::vector<double> work = std::vector<double>(grains + 1, none);
  std::vector<std::size_t> way = std::vector<std::size_t>(grains + 1);
};

Stage stage_after(const std::vector<double>& before, const std::vector<PowerChoice>& ways, Watts budget) {
  Stage out;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const std::size_t taken = grains_of(ways[i].drawn, budget);
    for (std::size_t all = taken; all <= grains; ++all)
      if (const double work = before[all - taken] + ways[i].work; work > out.work[all])
        out.work[all] = work, out.way[all] = i;
  }
  return out;
}

}  // namespace

std::vector<std::size_t> most_work(const std::vector<std::vector<PowerChoice>>& jobs, Watts budget) {
  std::vector<Stage> stages;
  std::vector<double> before(grains + 1, 0.0);
  for (const std::vector<PowerChoice>& ways : jobs) {
    stages.push_back(stage_after(before, ways, budget));
    before = stages.back().work;
  }
  if (before[grains] == none) return {};
  std::vector<std::size_t> out(jobs.size());
  std::size_t left = grains;
  for (std::size_t job = jobs.size(); job-- > 0;) {
    out[job] = stages[job].way[left];
    left -= grains_of(jobs[job][out[job]].drawn, budget);
  }
  return out;
}

}  // namespace clusterwright
