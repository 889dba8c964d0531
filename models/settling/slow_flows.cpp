// SPDX-License-Identifier: Apache-2.0
#include "models/settling/slow_flows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

constexpr double part_ends[] = {0, 0.5, 0.9, 0.99, 0.999, 1};

/// Says of a step that is too long to simulate that the others are not.
[[noreturn]] void blame_tail(const ConfigError& error, const TailPart& part) {
  Diagnostic out = error.diagnostics().front();
  out.message =
      fmt::format("in the slowest {:g} % of cases that fabric.tail allows, {}", 100 * part.share(), out.message);
  out.help = "state a narrower tail: p99 and p999 are times over the median";
  throw ConfigError(std::move(out));
}

}  // namespace

Picoseconds lost_to_slow_flows(const Scenario& scenario, Picoseconds alike,
                               const std::function<Picoseconds(const Scenario&)>& end_of) {
  const Cluster& cluster = scenario.cluster;
  if (!cluster.spec.fabric.tail || !cluster.has_network()) return {};
  Scenario slower = scenario;
  double lost = 0;
  for (std::size_t k = 1; k < std::size(part_ends); ++k) {
    const TailPart part{part_ends[k - 1], part_ends[k]};
    slower.cluster.slow_flows = part;
    try {
      lost += part.share() * to_seconds(end_of(slower) - alike).in(second);
    } catch (const ConfigError& error) {
      blame_tail(error, part);
    }
  }
  return to_picoseconds(std::max(lost, 0.0) * second);
}

}  // namespace clusterwright
