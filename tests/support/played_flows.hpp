// SPDX-License-Identifier: Apache-2.0
/// A flow case on a fat tree, played by FlowReplay.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/flow_replay.hpp"
#include "support/flow_cases.hpp"

namespace clusterwright::testing {

class PlayedFlows : public FlowSink {
 public:
  /// @param latency_ns  of each link
  PlayedFlows(const FatTreeShape& shape, FlowCase& flows, std::uint32_t latency_ns)
      : links_(shape),
        replay_(std::vector<std::uint64_t>(links_.count(), FatTreeLinks::bytes_per_second)),
        flows_(flows),
        link_latency_(std::int64_t{latency_ns} * 1'000'000),
        paths_(flows.paths()) {}

  void start(const CaseFlow& flow) override {
    Path& path = paths_[flow.path];
    if (path.from != flow.from || path.to != flow.to) lay(path, flow);
    replay_.start(path.route, flow.bytes, flow.number);
  }

  /// @return whether flows are left
  bool advance() {
    if (replay_.instants() == 0) flows_.begin(*this);
    return replay_.advance([&](std::uint64_t number) { flows_.on_end(number, *this); });
  }
  Femtoseconds play() {
    while (advance()) continue;
    return replay_.now();
  }

  const FlowReplay& replay() const { return replay_; }
  const FatTreeLinks& links() const { return links_; }
  FlowRouteId route(std::uint32_t path) const { return paths_[path].route; }

 private:
  struct Path {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    FlowRouteId route;
  };

  void lay(Path& path, const CaseFlow& flow) {
    std::array<std::uint32_t, 6> hops;
    const auto links = links_.route(flow.from, flow.to, hops);
    const Femtoseconds latency{link_latency_ * static_cast<std::int64_t>(links.size())};
    if (path.route.exists())
      replay_.redirect(path.route, links, latency);
    else
      path.route = replay_.add_route(links, latency);
    path.from = flow.from;
    path.to = flow.to;
  }

  FatTreeLinks links_;
  FlowReplay replay_;
  FlowCase& flows_;
  std::int64_t link_latency_;  // in fs
  std::vector<Path> paths_;
};

}  // namespace clusterwright::testing
