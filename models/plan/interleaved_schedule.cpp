// SPDX-License-Identifier: Apache-2.0
#include "models/plan/interleaved_schedule.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

/// The k-th forward (or backward) of a stage: groups of micro-batches visit one chunk after the other.
PipelineSlot slot(int k, bool forward, int group, int chunks) {
  const int in_group = k % (group * chunks);
  const int step = in_group / group;
  return {forward, forward ? step : chunks - 1 - step, k / (group * chunks) * group + k % group};
}

}  // namespace

int interleaving_group(int stages, int micro_batches) {
  for (int group = stages; group <= micro_batches; ++group)
    if (micro_batches % group == 0) return group;
  return 0;
}

std::vector<PipelineSlot> interleaved_schedule(int stage, int stages, int chunks, int micro_batches, int group,
                                               bool pairs) {
  const int total = micro_batches * chunks;
  const int behind = stages - stage - 1;
  // In pairs both passes take as long as the pair, so that twice as many micro-batches are on their way.
  const int once = chunks == 1 && !pairs ? behind : 2 * behind;
  const int ahead = once + (chunks - 1) * group + (pairs ? 1 : 0);
  const int warm_up = std::min(total, ahead);
  const auto at = [&](int k, bool forward) {
    return chunks == 1 ? PipelineSlot{forward, 0, k} : slot(k, forward, group, chunks);
  };
  std::vector<PipelineSlot> order;
  order.reserve(static_cast<std::size_t>(2 * total));
  for (int k = 0; k < warm_up; ++k) order.push_back(at(k, true));
  for (int k = warm_up; k < total; ++k) {
    order.push_back(at(k, true));
    order.back().with_next = pairs;
    order.push_back(at(k - warm_up, false));
  }
  for (int k = total - warm_up; k < total; ++k) order.push_back(at(k, false));
  return order;
}

}  // namespace clusterwright
