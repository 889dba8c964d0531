// SPDX-License-Identifier: Apache-2.0
#include "models/memory/memory_verdict.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <utility>

namespace clusterwright {

namespace {

std::string sentence(const LevelUse& use) {
  using Kind = std::pair<const char*, Bytes>;
  const std::array<Kind, 5> kinds = {{{"weights", use.bytes.weights},
                                      {"gradients", use.bytes.gradients},
                                      {"optimizer state", use.bytes.optimizer},
                                      {"activations", use.bytes.activations},
                                      {"the copy of a checkpoint", use.bytes.checkpoint}}};
  const Kind largest =
      *std::max_element(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) { return a.second < b.second; });
  constexpr std::array<const char*, 4> places = {"", "host memory of a node", "the memory pool",
                                                 "the drives of a node"};
  return fmt::format("does not fit: {} would need {:.1f} of {:.1f} GB, most of it {} ({:.1f} GB)",
                     places[static_cast<std::size_t>(use.level)], use.bytes.total().in(gigabyte),
                     use.capacity->in(gigabyte), largest.first, largest.second.in(gigabyte));
}

/// Interval of a total that may lie on either side of the capacity; empty if it does not.
std::string doubt(Bytes capacity, bool fits, const MemoryRange& range) {
  if (fits ? range.high <= capacity : range.low > capacity) return {};
  return fmt::format(" ({:.1f} to {:.1f} GB with the error of the memory model{})", range.low.in(gigabyte),
                     range.high.in(gigabyte), fits ? "" : ": it may fit");
}

}  // namespace

MemoryVerdict judge_memory(const MemoryUse& use, Bytes capacity, int stages, double residual,
                           const std::string& nodes) {
  const bool fits = use.total() <= capacity;
  const MemoryRange range = memory_range(use, residual);
  using Kind = std::pair<const char*, Bytes>;
  const std::array<Kind, 8> kinds = {{{"activations", use.activations},
                                      {"gradients", use.gradients},
                                      {"optimizer state", use.optimizer},
                                      {"weights", use.weights},
                                      {"gathered weights", use.gathered},
                                      {"the working set of a layer", use.working},
                                      {"logits", use.logits},
                                      {"communication buffers", use.buffers}}};
  const Kind largest =
      *std::max_element(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) { return a.second < b.second; });
  std::string who = stages > 1 ? fmt::format("each rank of pipeline stage {}", use.stage) : "each rank";
  if (!nodes.empty()) who += " on " + nodes;
  return {fits, fmt::format("{}: {} {} {:.1f} of {:.1f} GB{}, most of it {} ({:.1f} GB)",
                            !fits ? "does not fit" : (range.high > capacity ? "may fit" : "fits"), who,
                            fits ? "uses" : "needs", use.total().in(gigabyte), capacity.in(gigabyte),
                            doubt(capacity, fits, range), largest.first, largest.second.in(gigabyte))};
}

std::string level_verdict(const std::vector<LevelUse>& uses) {
  for (const LevelUse& use : uses)
    if (!use.fits()) return sentence(use);
  return {};
}

}  // namespace clusterwright
