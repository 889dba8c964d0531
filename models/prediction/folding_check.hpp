// SPDX-License-Identifier: Apache-2.0
/// The step with every accelerator for itself, and what that costs, said before anything is built.
#pragma once

#include "models/job/scenario.hpp"
#include "models/plan/plan.hpp"
#include "sim/sim_time.hpp"

namespace clusterwright {

/// Size of a step, from its folded structure.
struct StepSize {
  double unfolded_ops = 0;  ///< passes and single ops of all ranks
  double bars = 0;          ///< ops of all rank classes, passes taken apart: bars of a timeline, without waits
  Bytes memory() const;     ///< that the unfolded step takes
  Bytes timeline() const;   ///< size of the timeline of the folded step, as a file
};
StepSize step_size(const Scenario& scenario, const Plan& plan);

/// Memory that the machine has, of which a step may take four fifths.
Bytes machine_memory();

/// @throws ConfigError E0503 if an unfolded step does not fit in `available`
void check_unfolded(const StepSize& size, Bytes available);
/// @throws ConfigError E0503 if a timeline is too large for a viewer
void check_timeline(const StepSize& size);

struct UnfoldedCheck {
  int ranks = 0;
  double ops = 0, events = 0;
  Picoseconds end, folded_end;
  bool approximate = false;  ///< classes on the graph, or around stragglers, keep the pace of their slowest members
  bool has_jitter = false;   ///< the prediction adds the jitter of replicas, which neither of the two has
  bool same() const { return end == folded_end; }
};

/// Whether messages of the ranks of some tensor group compete with others on links of their own. Under hashing these
/// are never equally full, so the ranks get out of step at the first message: a replay in step would be for nothing.
bool messages_differ(const Scenario& scenario, const Plan& plan);

/// Replays every accelerator for itself, at the clock of its class in the folded step.
UnfoldedCheck check_folding(const Scenario& scenario, const Plan& plan);

}  // namespace clusterwright
