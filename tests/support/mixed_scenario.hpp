// SPDX-License-Identifier: Apache-2.0
/// Small scenarios on nodes of several kinds.
#pragma once

#include <algorithm>
#include <functional>

#include "support/small_scenario.hpp"

namespace clusterwright::testing {

/// Change of a part that becomes another one.
using PartChange = std::function<void(AcceleratorPart&)>;

/// Puts the last `second` accelerators of a small cluster on nodes of another kind.
inline void set_second_kind(Scenario& s, ClusterSpec spec, int second, const NodeSpec& node,
                            const ParameterSet& parameters) {
  spec.also.push_back({second, node});
  s.cluster = build_cluster(spec, parts(), s.source);
  s.by_kind = {{parameters, {}}};
}

/// `c` with its last `second` accelerators on A100, or on H100 if `c` is of A100.
inline Scenario mixed_scenario(const SmallCase& c, int second) {
  Scenario s = small_scenario(c);
  SmallCase other = c;
  other.hopper = !c.hopper;
  set_second_kind(s, small_cluster(c), second, small_cluster(other).node, small_scenario(other).parameters);
  return s;
}

/// `c` with its last `second` accelerators on a part of its own, with the same fitted parameters.
inline Scenario scenario_beside_twin(const SmallCase& c, int second, const PartChange& change = {}) {
  Scenario s = small_scenario(c);
  ClusterSpec spec = small_cluster(c);
  AcceleratorPart twin = s.cluster.accelerator;
  twin.id = "Twin";
  if (change) change(twin);
  spec.parts.emplace();
  spec.parts->accelerators.push_back(twin);
  NodeSpec node = spec.node;
  node.accelerator = twin.id;
  set_second_kind(s, spec, second, node, s.parameters);
  return s;
}

/// The twin everywhere.
inline Scenario scenario_of_twins(const SmallCase& c, const PartChange& change) {
  Scenario s = small_scenario(c);
  ClusterSpec spec = small_cluster(c);
  AcceleratorPart twin = s.cluster.accelerator;
  twin.id = "Twin";
  change(twin);
  spec.parts.emplace();
  spec.parts->accelerators.push_back(twin);
  spec.node.accelerator = twin.id;
  s.cluster = build_cluster(spec, parts(), s.source);
  return s;
}

}  // namespace clusterwright::testing
