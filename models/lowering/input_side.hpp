// SPDX-License-Identifier: Apache-2.0
/// Data that ranks wait for: work of the readers for a micro-batch, storage that they share, chains of a step graph.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/lowering/kind_prices.hpp"
#include "models/lowering/price_log.hpp"
#include "models/lowering/rank_classes.hpp"
#include "models/lowering/rank_ports.hpp"
#include "models/plan/plan.hpp"
#include "sim/step_graph_builder.hpp"

namespace clusterwright {

/// Least time in which every reader supplies a micro-batch, and its cause.
struct InputSupply {
  Seconds micro_batch;     ///< zero if nothing is a limit
  std::string limited_by;  ///< "preparation", "host storage", "file system", "network"; empty if nothing is
};

/// Work of one reader for one micro-batch, and the rates that it shares with others.
struct ReaderWork {
  Bytes bytes;                          ///< read from the store
  Seconds preparing;                    ///< on the reader's own cores; zero if nothing is prepared
  std::optional<BytesPerSecond> host;   ///< rate of the store for all readers of one host
  std::optional<BytesPerSecond> total;  ///< rate of the store for all readers of all hosts
  std::optional<BytesPerSecond> nics;   ///< rate of the reader's NICs, where the file servers are on the network
};

/// Work of a reader under `plan` on the first kind of nodes. Reading runs while earlier tokens are prepared, so a
/// reader alone takes the longest of its parts.
/// @pre scenario.job.input
ReaderWork reader_work(const Scenario& scenario, const Plan& plan);

/// Ranks that read: those of the first stage that split the batch or a sequence, and under a pipeline the same ranks of
/// the last stage, for labels.
std::vector<RankCoordinates> reading_ranks(const Placement& placement);

struct ReaderCounts {
  int on_fullest_host = 0;
  int all = 0;
};
ReaderCounts count_readers(const Placement& placement, int host_accelerators);

/// Supply of all readers together. @pre scenario.job.input
InputSupply input_supply(const Scenario& scenario, const Plan& plan);

/// Number of micro-batches that lie ready when a step starts: the plan's, else the number that is prefetched; at most
/// the number that the step uses.
int ready_micro_batches(const Job& job, const Plan& plan);

/// Storage as resources of a step graph.
class InputSide {
 public:
  /// @param prices  of a job that states its input
  InputSide(StepGraphBuilder& builder, const KindPrices& prices, const Placement& placement, const RankClasses& classes,
            const RankPorts& ports, PriceLog* log);

  /// Read of one micro-batch for the ranks that compute it together with `c`: its tokens and, under a pipeline, their
  /// labels.
  ChainId read(RankClassId c);
  /// Lowest class of those ranks, which is their name.
  RankClassId fed_together(RankClassId c) const;
  /// Work of the accelerator for a read: none.
  WorkId nothing() const { return nothing_; }

 private:
  using Uses = std::vector<StepGraphBuilder::LegUse>;

  /// Slices of the ranks that read for `fed`.
  std::vector<RankClassId> readers_of(RankClassId fed) const;
  const ReaderWork& work_of(RankClassId c) const { return works_[static_cast<std::size_t>(classes_.kind(c))]; }
  void use_storage(Uses& uses, RankClassId reader) const;
  void use_network(Uses& uses, RankClassId reader) const;

  StepGraphBuilder& builder_;
  const Placement& placement_;
  const RankClasses& classes_;
  const RankPorts& ports_;
  PriceLog* log_;
  std::vector<ReaderWork> works_;  // by kind of nodes
  WorkId nothing_;
  ResourceId file_system_;
  IndexedVector<HostKindId, ResourceId> hosts_;  // none where a host is no limit
  std::map<RankClassId, ChainId> chains_;
};

}  // namespace clusterwright
