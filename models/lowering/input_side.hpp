// SPDX-License-Identifier: Apache-2.0
/// Data that ranks wait for: what readers do for a micro-batch, what they share, and the chains of a step graph.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/lowering/rank_classes.hpp"
#include "models/plan/plan.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

/// The least time in which every reader supplies a micro-batch, and what sets it.
struct InputSupply {
  Seconds micro_batch;     ///< zero if nothing is a limit
  std::string limited_by;  ///< "preparation", "host storage", "file system"; empty if nothing is
};

/// What one reader does for one micro-batch, and what it shares with others.
struct ReaderWork {
  Bytes bytes;                          ///< from the store
  Seconds preparing;                    ///< on the reader's own cores; zero if nothing is prepared
  std::optional<BytesPerSecond> host;   ///< rate of the store for all readers of one host
  std::optional<BytesPerSecond> total;  ///< for those of all hosts
};

/// Reading runs while earlier tokens are prepared, so a reader alone takes the longest of its parts.
/// @pre scenario.job.input
ReaderWork reader_work(const Scenario& scenario, const Plan& plan);

/// Ranks that read on their host, and in the whole job: those of the first stage that split the batch or a sequence,
/// and under a pipeline their like on the last stage, for labels.
struct ReaderCounts {
  int on_fullest_host = 0;
  int all = 0;
};
ReaderCounts count_readers(const Placement& placement, int host_accelerators);

/// What all readers together can supply. @pre scenario.job.input
InputSupply input_supply(const Scenario& scenario, const Plan& plan);

/// Micro-batches that lie ready when a step starts: as many as the plan says, else as are prefetched; not more than the
/// step uses.
int ready_micro_batches(const Job& job, const Plan& plan);

/// Storage as resources of a step graph.
class InputSide {
 public:
  /// @pre scenario.job.input
  InputSide(StepGraphBuilder& builder, const Scenario& scenario, const Placement& placement,
            const RankClasses& classes);

  /// One micro-batch for the ranks that `c` computes it with: its tokens and, under a pipeline, their labels.
  ChainId read(RankClassId c);
  /// Lowest class of those ranks: names them.
  RankClassId fed_together(RankClassId c) const;
  /// What the accelerator does for it: nothing.
  WorkId nothing() const { return nothing_; }

 private:
  using Uses = std::vector<StepGraphBuilder::LegUse>;

  void use_storage(Uses& uses, RankClassId reader) const;

  StepGraphBuilder& builder_;
  const Placement& placement_;
  const RankClasses& classes_;
  ReaderWork work_;
  WorkId nothing_;
  ResourceId file_system_;
  IndexedVector<HostKindId, ResourceId> hosts_;  // empty where a host is no limit
  std::map<RankClassId, ChainId> chains_;
};

}  // namespace clusterwright
