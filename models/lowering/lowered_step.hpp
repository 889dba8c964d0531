// SPDX-License-Identifier: Apache-2.0
/// A training step as a structure, and its times as a function of the scenario.
///
/// Lowering has two parts. The structure (which rank does what, and what waits for what) follows from the transformer,
/// the job, the stack, the plan and the places of the ranks. Times, bytes, capacities and watts follow from that and
/// from parts, links, fitted parameters and calibration. Whoever asks what another bandwidth, clock or fit would do
/// lowers once and asks for times again:
///
///   const LoweredStep step(scenario, plan, Folding::folded);
///   Replayer replayer(step.structure());
///   scenario.parameters.network.bandwidth_share.value = 0.8;
///   const ReplayResult result = replayer.run(*step.timing(scenario));
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/lowering/chain_traffic.hpp"
#include "models/lowering/rank_classes.hpp"
#include "models/plan/plan.hpp"
#include "sim/step_graph.hpp"

namespace clusterwright {

class StepProgram;
struct LaidStream;
struct StepRanks;

/// Writes the ops of one rank class.
using WriteProgram = std::function<void(StepProgram&)>;

class LoweredStep {
 public:
  /// @throws ConfigError E0502 if the step would take longer than can be simulated
  LoweredStep(const Scenario& scenario, const Plan& plan, Folding folding);
  LoweredStep(const Scenario& scenario, const Plan& plan, Folding folding, const WriteProgram& write);
  /// Folded step of a job beside another one on the same network, for joined steps (job_pair.hpp).
  /// @param others  streams of the other job
  LoweredStep(const Scenario& scenario, const Plan& plan, const std::vector<LaidStream>& others);
  LoweredStep(LoweredStep&&) noexcept;
  LoweredStep& operator=(LoweredStep&&) noexcept;
  ~LoweredStep();

  const StepStructure& structure() const;
  /// Times of the scenario that was lowered.
  const StepTiming& timing() const;
  /// Times of another scenario; nothing if its step has another structure.
  /// @throws ConfigError as the constructor
  std::optional<StepTiming> timing(const Scenario& scenario) const;

  const StepRanks& ranks() const;
  /// Resource of each uplink of RankClasses::uplinks().
  const IndexedVector<UplinkId, ResourceId>& uplinks() const;
  /// Traffic of the chains that have a stream, ascending by chain.
  const std::vector<ChainTraffic>& traffic() const;

  StepGraph take() &&;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace clusterwright
