// SPDX-License-Identifier: Apache-2.0
/// Steps of a run one behind the other, with its pauses, and the power of a rank over them.
#pragma once

#include <cstddef>
#include <vector>

#include "models/site/wave/wave_signal.hpp"
#include "sim/power_meter.hpp"

namespace clusterwright {

/// step: training. checkpoint: hosts write, accelerators idle. stall: all ranks wait in a collective. stopped: the job
/// is gone, accelerators idle.
enum class ChainPhase { step, checkpoint, stall, stopped };

struct ChainPart {
  ChainPhase phase = ChainPhase::step;
  Seconds length;
};

struct ChainRequest {
  Seconds length;       ///< of what is looked at
  Seconds lead;         ///< before it, while filters and storage forget how they began
  Seconds step;         ///< step time
  int every_steps = 0;  ///< between checkpoints; 0: none
  Seconds checkpoint;   ///< pause of one
  Seconds stall;        ///< one pause, a quarter into what is looked at; 0: none
  Seconds stop = {};    ///< when the job is lost, from the begin of the lead; 0: never
};

/// Parts that cover lead and length. Where a checkpoint is rarer than the length, one falls into its middle.
std::vector<ChainPart> chain_of(const ChainRequest& request);

/// Power of a rank in pauses.
struct PausePower {
  Watts idle;
  Watts waiting;  ///< inside a collective whose partners are late
};

/// Power of one rank of a class over a chain.
PowerSignal chained_power(const RankEnergy& step, RankClassId rank, const PausePower& pauses,
                          const std::vector<ChainPart>& chain, Seconds every, std::size_t samples);

}  // namespace clusterwright
