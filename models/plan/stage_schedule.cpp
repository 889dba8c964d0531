// SPDX-License-Identifier: Apache-2.0
#include "models/plan/stage_schedule.hpp"

#include <algorithm>
#include <array>
#include <queue>

#include "models/plan/plan.hpp"

namespace clusterwright {

namespace {

/// k-th forward (or backward) pass of a stage: groups of micro-batches visit one chunk after the other, the last of
/// them perhaps a shorter one.
PipelineSlot slot(int k, bool forward, int micro_batches, int group, int chunks) {
  const int first = k / (group * chunks) * group;  // micro-batch of the group
  const int members = std::min(group, micro_batches - first);
  const int in_group = k - first * chunks;
  const int step = in_group / members;
  return {forward, forward ? step : chunks - 1 - step, first + in_group % members};
}

}  // namespace

int interleaving_group(int stages, int micro_batches) {
  for (int group = stages; group <= micro_batches; ++group)
    if (micro_batches % group == 0 || micro_batches % group >= stages) return group;
  return 0;
}

std::vector<PipelineSlot> interleaved_schedule(int stage, int stages, int chunks, int micro_batches, int group,
                                               bool pairs) {
  const int total = micro_batches * chunks;
  const int behind = stages - stage - 1;
  // In pairs both passes take as long as the pair, so twice as many micro-batches are in flight.
  const int once = chunks == 1 && !pairs ? behind : 2 * behind;
  const int ahead = once + (chunks - 1) * group + (pairs ? 1 : 0);
  const int warm_up = std::min(total, ahead);
  const auto at = [&](int k, bool forward) {
    return chunks == 1 ? PipelineSlot{forward, 0, k} : slot(k, forward, micro_batches, group, chunks);
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

namespace {

/// Appends slots; weight parts are put off in a queue.
class SlotWriter {
 public:
  /// @param first  micro-batch of each chunk
  explicit SlotWriter(std::array<int, 2> first) : next_forward_(first), next_backward_(first) {}

  void forward(int chunk) { slots_.push_back({true, chunk, next_forward_[at(chunk)]++}); }
  void backward(int chunk) { slots_.push_back({false, chunk, next_backward_[at(chunk)]++}); }
  void pair(int forward_chunk, int backward_chunk) {
    forward(forward_chunk);
    slots_.back().with_next = true;
    backward(backward_chunk);
  }
  void input_part(int chunk) {
    backward(chunk);
    slots_.back().part = BackwardPart::input;
    put_off_.push(slots_.back());
    put_off_.back().part = BackwardPart::weight;
  }
  void weight_part() {
    slots_.push_back(put_off_.front());
    put_off_.pop();
  }
  std::size_t put_off() const { return put_off_.size(); }
  std::vector<PipelineSlot> take() {
    while (put_off() > 0) weight_part();
    return std::move(slots_);
  }

 private:
  static std::size_t at(int chunk) { return static_cast<std::size_t>(chunk); }

  std::array<int, 2> next_forward_, next_backward_;
  std::queue<PipelineSlot> put_off_;
  std::vector<PipelineSlot> slots_;
};

/// Schedule of a stage in the first half; one in the second half does the same with its chunks swapped.
class DualPipe {
 public:
  DualPipe(int stage, int stages, int micro_batches)
      : from_end_(std::min(stage, stages - 1 - stage)),
        to_middle_(stages / 2 - 1 - from_end_),
        pairs_(micro_batches / 2 - stages + from_end_ + 1),
        own_(2 * stage < stages ? 0 : 1),
        other_(1 - own_),
        writer_({0, micro_batches / 2}) {}

  std::vector<PipelineSlot> write() {
    warm_up();
    steady();
    drain();
    return writer_.take();
  }

 private:
  void warm_up() {
    for (int i = 0; i < 2 * to_middle_; ++i) writer_.forward(own_);
    for (int i = 0; i <= from_end_; ++i) {
      writer_.forward(own_);
      writer_.forward(other_);
    }
    for (int i = 0; i < to_middle_; ++i) {
      writer_.input_part(other_);
      writer_.weight_part();
      writer_.forward(other_);
    }
  }

  void steady() {
    for (int i = 0; i < pairs_; ++i) {
      if (i == 0 && to_middle_ == 0) {
        // The stage behind waits for this forward pass: it does not share the device.
        writer_.forward(own_);
        writer_.backward(other_);
      } else {
        writer_.pair(own_, other_);
      }
      writer_.pair(other_, own_);
    }
  }

  void drain() {
    for (int i = 0; i < to_middle_; ++i) {
      writer_.backward(other_);
      writer_.pair(other_, own_);
    }
    // The second half of 2 (from_end + 1) backward passes defers its weight parts.
    for (int i = 0; i < 2 * (from_end_ + 1); ++i) {
      const int chunk = i % 2 == 0 ? other_ : own_;
      i <= from_end_ ? writer_.backward(chunk) : writer_.input_part(chunk);
    }
    for (int i = 0; i < to_middle_; ++i) {
      writer_.weight_part();
      writer_.input_part(own_);
    }
  }

  int from_end_, to_middle_;
  int pairs_;
  int own_, other_;  // chunks
  SlotWriter writer_;
};

}  // namespace

std::vector<PipelineSlot> zero_bubble_schedule(int stage, int stages, int micro_batches) {
  const int warm_up = std::min(micro_batches, stages - stage - 1);
  SlotWriter w({0, 0});
  for (int k = 0; k < warm_up; ++k) w.forward(0);
  for (int k = 0; k < micro_batches; ++k) {
    if (warm_up + k < micro_batches) w.forward(0);
    w.input_part(0);
    if (w.put_off() > static_cast<std::size_t>(stage)) w.weight_part();
  }
  return w.take();
}

std::vector<PipelineSlot> dualpipe_schedule(int stage, int stages, int micro_batches) {
  return DualPipe(stage, stages, micro_batches).write();
}

std::vector<PipelineSlot> stage_schedule(const Plan& plan, int stage) {
  switch (plan.schedule) {
    case PipelineSchedule::zero_bubble:
      return zero_bubble_schedule(stage, plan.pipeline, plan.micro_batches);
    case PipelineSchedule::dualpipe:
      return dualpipe_schedule(stage, plan.pipeline, plan.micro_batches);
    case PipelineSchedule::one_forward_one_backward:
      break;
  }
  return interleaved_schedule(stage, plan.pipeline, plan.virtual_pipeline, plan.micro_batches,
                              plan.interleaving_group(), plan.paired);
}

MicroBatchRange micro_batches_of(const Plan& plan, int chunk) {
  if (plan.schedule != PipelineSchedule::dualpipe) return {0, plan.micro_batches - 1};
  const int half = plan.micro_batches / 2;
  return {chunk * half, chunk * half + half - 1};
}

}  // namespace clusterwright
