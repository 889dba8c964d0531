/// Memory of one rank by kind, and what the schedule makes of activations over time.
#pragma once

#include "models/job.hpp"
#include "models/prediction.hpp"
#include "models/stack.hpp"
#include "models/stage_layout.hpp"
#include "models/transformer.hpp"

namespace clusterwright {

/// Everything that decides how much a rank stores.
struct MemoryCase {
  const Transformer& model;
  const Plan& plan;
  const StageLayout& layout;
  const SoftwareStack& stack;
  int sequence = 0;
};

/// Parameters that one rank of `stage` holds (before sharding over data-parallel ranks).
double local_parameters(const MemoryCase& c, int stage);

/// Bytes that one layer keeps from forward to backward for one micro-batch, on one rank.
/// @source Korthikanti et al. 2022, section 4, extended to grouped queries and gated MLPs; docs/models.md, "Memory"
Bytes layer_activations(const MemoryCase& c);

/// Memory of one rank of `stage` at the worst instant of the schedule.
MemoryUse memory_of_stage(const MemoryCase& c, int stage);

/// The stage that needs most.
MemoryUse worst_memory(const MemoryCase& c);

/// Whether the worst stage fits, in a sentence that names rank and kind.
struct MemoryVerdict {
  bool fits = false;
  std::string sentence;
};
MemoryVerdict judge_memory(const MemoryUse& use, Bytes capacity, int stages);

}  // namespace clusterwright
