/// Replays a step: the engine. Same input, same event order, same bytes out; no global state.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "sim/step_graph.hpp"

namespace clusterwright {

/// What happened to one op.
struct OpTrace {
  Picoseconds start;   ///< it took the head of its lane with every dependency met
  Picoseconds active;  ///< work or transfer began; later than `start` only when partners were late
  Picoseconds end;
  OpId released_by;      ///< whose end let it start last; "none": the start of the step or its own launch
  Picoseconds unshared;  ///< what `end - active` would have been alone, at the clock of its rank
};

/// Time that compute ops of a rank class lost because other ops held multiprocessors or memory bandwidth,
/// charged to the op that took most.
struct SharingLoss {
  RankClassId rank;
  ChargeId charge;
  Picoseconds lost;
};

struct ReplayResult {
  Picoseconds end;  ///< last op of the step
  IndexedVector<OpId, OpTrace> ops;
  IndexedVector<RendezvousId, OpId> last_arrival;  ///< the member that everybody waited for
  std::vector<SharingLoss> sharing_losses;         ///< sorted by rank class, then charge; no zero entries
  std::uint64_t events = 0;                        ///< processed, for benchmarks
};

namespace engine {
class Replay;
}

/// Replays one step at several timings: what they have in common is prepared once.
class Replayer {
 public:
  /// @param structure  must outlive the replayer
  explicit Replayer(const StepStructure& structure);
  ~Replayer();

  /// Runs the step from time zero until every op has ended.
  /// @param spare  a result that is not needed any more, for its memory
  /// @throws std::logic_error naming an op that can never start (a cycle, or a rendezvous in crossed lane orders)
  ReplayResult run(const StepTiming& timing, ReplayResult spare = {});

 private:
  std::unique_ptr<engine::Replay> replay_;
};

/// Once, at one timing. @throws std::logic_error as Replayer::run
ReplayResult replay(const StepStructure& structure, const StepTiming& timing);

}  // namespace clusterwright
