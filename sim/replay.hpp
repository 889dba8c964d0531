// SPDX-License-Identifier: Apache-2.0
/// Replay of a step, event by event: the engine. Same input, same event order, same bytes out; no global state.
///
/// An op starts when the one before it on its lane, all its dependencies and its launch by the host are done. A compute
/// op then takes its duration, longer where others hold multiprocessors or memory bandwidth of its rank
/// (lane_progress.hpp). A communication op waits for its partners and ends with their common chain (transfers.hpp).
///
/// Example: the host issues one op per 2 us. GEMM A takes 5 us, a collective C of the rank alone waits for A and takes
/// 3 us, GEMM B runs behind A on the same lane for 4 us, and GEMM D waits for C. A 2..7, C 7..10, B 7..11, D 11..: what
/// overlaps follows from lanes, dependencies and launches.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/outside_load.hpp"
#include "sim/step_graph.hpp"
#include "sim/step_rounds.hpp"

namespace clusterwright {

/// What happened to one op.
struct OpTrace {
  Picoseconds start;   ///< the op took the head of its lane, with every dependency met
  Picoseconds active;  ///< work or transfer began; later than `start` only when partners were late
  Picoseconds end;
  OpId released_by;      ///< op whose end came last before the start; "none": the step or its own launch began it
  Picoseconds unshared;  ///< `end - active` of the op alone, at the clock of its rank
};

/// Time that compute ops of a rank class lost because other ops held multiprocessors or memory bandwidth,
/// charged to the op that took most.
struct SharingLoss {
  RankClassId rank;
  ChargeId charge;
  Picoseconds lost;
};

struct ReplayResult {
  Picoseconds end;  ///< end of the last op
  IndexedVector<OpId, OpTrace> ops;
  IndexedVector<RendezvousId, OpId> last_arrival;  ///< member that the others waited for
  std::vector<SharingLoss> sharing_losses;         ///< sorted by rank class, then charge; no zero entries
  std::uint64_t events = 0;                        ///< number of processed events, for benchmarks
  IndexedVector<RankClassId, std::vector<Picoseconds>> pass_charges;  ///< time inside passes, by ChargeId
  std::vector<PassChange> pass_changes;                               ///< in order of time
  std::vector<OutsideLoad> pass_loads;                                ///< that occur in them, each once
};

namespace engine {
class Replay;
}

/// The step with those passes taken apart that a replay at `timing` takes apart: whose collectives may meet other
/// transfers, or whose ranks may run short of memory bandwidth.
StepStructure with_closed_passes(StepStructure structure, const StepTiming& timing);

/// Replays of one step at several timings. What depends on the structure alone is prepared once.
class Replayer {
 public:
  /// @param structure  must outlive the replayer
  explicit Replayer(const StepStructure& structure);
  ~Replayer();

  /// Runs the step from time zero until every op has ended.
  /// @param spare  an old result whose memory is used again
  /// @throws std::logic_error naming an op that can never start (a cycle, or a rendezvous in crossed lane orders)
  ReplayResult run(const StepTiming& timing, ReplayResult spare = {});
  /// Runs joined steps side by side until each has ended as often as wanted.
  /// @throws std::logic_error as run
  RoundTimes run_rounds(const StepTiming& timing, const SideBySide& wanted);

  /// Structure that the last result describes: that of the step, or with_closed_passes().
  const StepStructure& structure() const;

 private:
  engine::Replay& replay_at(const StepTiming& timing);

  const StepStructure& structure_;
  std::unique_ptr<engine::Replay> replay_;
  std::vector<char> opened_;  // passes taken apart, by rank class
  StepStructure flat_;
  std::unique_ptr<engine::Replay> flat_replay_;
};

/// Replays a step once. @throws std::logic_error as Replayer::run
ReplayResult replay(const StepStructure& structure, const StepTiming& timing);

}  // namespace clusterwright
