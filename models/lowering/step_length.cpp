// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/step_length.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/diagnostic.hpp"
#include "sim/step_works.hpp"

namespace clusterwright {

namespace {

Seconds time_alone(const WorkTiming& work) {
  return to_seconds(work.duration) + to_seconds(work.launch);
}

/// Time of a leg without other transfers: its own rate, or what it takes from the capacity of a shared resource.
Seconds time_shared(const StepStructure& structure, const StepTiming& timing, LegId id) {
  const LegTiming& leg = timing.legs[id];
  const Seconds delay = to_seconds(leg.delay);
  if (leg.bytes == 0) return delay;
  double slowest = 1.0 / static_cast<double>(leg.rate_bound);  // seconds per byte
  for (std::size_t use = structure.use_begin[id.value]; use < structure.use_begin[id.value + 1]; ++use) {
    const ResourceUse& taken = structure.uses[use];
    const double share = taken.count * static_cast<double>(timing.coefficients[use]) / coefficient_one;
    const auto capacity = static_cast<double>(timing.capacity[taken.resource]);
    slowest = std::max(slowest, share / capacity);
  }
  return delay + static_cast<double>(leg.bytes) * slowest * second;
}

Seconds time_shared(const StepStructure& structure, const StepTiming& timing, ChainId chain) {
  Seconds total;
  for (LegId leg(structure.chain_begin[chain.value]); leg.value < structure.chain_begin[chain.value + 1]; ++leg.value)
    total += time_shared(structure, timing, leg);
  return total;
}

}  // namespace

/// Simulated time is finite; sharing may stretch a step, hence the wide margin below its 106 days.
void check_length(const StepStructure& structure, const StepTiming& timing) {
  constexpr double longest_days = 20;
  Seconds total;
  std::vector<Seconds> chains;
  for (std::size_t chain = 0; chain + 1 < structure.chain_begin.size(); ++chain)
    chains.push_back(time_shared(structure, timing, ChainId(chain)));
  for_each_work(structure, [&](const StepWork& work) {
    Seconds time = time_alone(timing.works[work.work]);
    if (work.chain.exists()) time += chains[work.chain.value];
    total += static_cast<double>(work.count) * time;
  });
  if (total < longest_days * day) return;
  throw ConfigError({"E0502",
                     fmt::format("the kernels and transfers of one step take {:.0f} days", total.in(day)),
                     {},
                     "",
                     fmt::format("at most {:.0f} can be simulated: a shorter sequence, a smaller batch or faster links",
                                 longest_days)});
}

}  // namespace clusterwright
