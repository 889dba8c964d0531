// SPDX-License-Identifier: Apache-2.0
#include "models/memory/held_micro_batches.hpp"

#include <algorithm>

#include "models/plan/stage_schedule.hpp"

namespace clusterwright {

namespace {

/// Plan with fewer micro-batches and the same number of them in flight: the schedule repeats itself.
Plan as_long_as_matters(Plan plan) {
  plan.micro_batches = std::min(plan.micro_batches, 4 * plan.interleaving_group());
  return plan;
}

bool covers(const std::vector<int>& most, const std::vector<int>& other) {
  for (std::size_t i = 0; i < most.size(); ++i)
    if (most[i] < other[i]) return false;
  return true;
}

/// Most instants of a schedule hold as many as each other: then one covers another only if it equals it.
bool covers(const HeldMicroBatches& most, const HeldMicroBatches& other) {
  if (most.sum == other.sum) return most == other;
  return most.sum > other.sum && covers(most.stored, other.stored) && covers(most.kept, other.kept);
}

}  // namespace

void add_instant(const HeldMicroBatches& now, std::vector<HeldMicroBatches>& fullest) {
  for (const HeldMicroBatches& known : fullest)
    if (covers(known, now)) return;
  std::erase_if(fullest, [&](const HeldMicroBatches& known) { return covers(now, known); });
  fullest.push_back(now);
}

std::vector<HeldMicroBatches> fullest_instants(const Plan& plan, int stage) {
  const auto chunks = static_cast<std::size_t>(plan.virtual_pipeline * plan.weight_copies());
  HeldMicroBatches now{0, std::vector<int>(chunks), std::vector<int>(chunks)};
  std::vector<HeldMicroBatches> fullest;
  bool grown = false;
  for (const PipelineSlot& slot : stage_schedule(as_long_as_matters(plan), stage)) {
    const auto chunk = static_cast<std::size_t>(slot.chunk);
    if (!slot.forward && grown) add_instant(now, fullest);
    if (slot.forward) {
      ++now.stored[chunk];
    } else if (slot.part == BackwardPart::weight) {
      --now.kept[chunk];
    } else {
      --now.stored[chunk];
      if (slot.part == BackwardPart::input) ++now.kept[chunk];
    }
    now.sum += slot.forward ? 1 : slot.part == BackwardPart::input ? 0 : -1;
    grown = slot.forward || slot.part == BackwardPart::input;
  }
  return fullest;
}

}  // namespace clusterwright
