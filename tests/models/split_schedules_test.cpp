// SPDX-License-Identifier: Apache-2.0
#include "models/plan/stage_schedule.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

using Schedules = std::vector<std::vector<PipelineSlot>>;  // by stage

Schedules zero_bubble(int stages, int micro_batches) {
  Schedules all;
  for (int stage = 0; stage < stages; ++stage) all.push_back(zero_bubble_schedule(stage, stages, micro_batches));
  return all;
}

Schedules dualpipe(int stages, int micro_batches) {
  Schedules all;
  for (int stage = 0; stage < stages; ++stage) all.push_back(dualpipe_schedule(stage, stages, micro_batches));
  return all;
}

/// "F0a B0a W0a": forward, whole backward as D, backward by inputs and by weights; + joins a pair.
std::string written(const std::vector<PipelineSlot>& slots) {
  std::string text;
  for (const PipelineSlot& slot : slots) {
    const char backward = slot.part == BackwardPart::whole ? 'D' : slot.part == BackwardPart::input ? 'B' : 'W';
    text += (slot.forward ? 'F' : backward) + std::to_string(slot.micro_batch) + static_cast<char>('a' + slot.chunk);
    text += slot.with_next ? '+' : ' ';
  }
  return text;
}

/// Times of the passes of a step of equal stages without messages.
struct PassTimes {
  int forward, input, weight;
  int of(const PipelineSlot& slot) const {
    if (slot.forward) return forward;
    return (slot.part == BackwardPart::weight ? 0 : input) + (slot.part == BackwardPart::input ? 0 : weight);
  }
};

/// Works schedules off, each stage its slots in order, a pair as one.
class Walk {
 public:
  Walk(const Schedules& schedules, PassTimes times)
      : schedules_(schedules),
        times_(times),
        stages_(static_cast<int>(schedules.size())),
        next_(schedules.size()),
        clock_(schedules.size()) {}

  /// Idle time of a stage; nothing if all wait for each other.
  std::optional<int> bubble() {
    for (bool moved = true; moved;) {
      moved = false;
      for (int stage = 0; stage < stages_; ++stage)
        while (step(stage)) moved = true;
    }
    int busy = 0;
    for (std::size_t s = 0; s < schedules_.size(); ++s)
      if (next_[s] < schedules_[s].size()) return {};
    for (const PipelineSlot& slot : schedules_.front()) busy += times_.of(slot);
    return *std::max_element(clock_.begin(), clock_.end()) - busy;
  }

 private:
  using Key = std::tuple<bool, int, int, int>;  // forward, chunk, part of the model, micro-batch

  int part(const PipelineSlot& slot, int stage) const { return slot.chunk == 0 ? stage : stages_ - 1 - stage; }

  /// When what the slot needs is there.
  std::optional<int> ready(const PipelineSlot& slot, int stage) const {
    if (slot.part == BackwardPart::weight) return 0;
    const int here = part(slot, stage);
    if (slot.forward && here == 0) return 0;
    const bool turns = !slot.forward && here == stages_ - 1;
    const Key needed{slot.forward || turns, slot.chunk, turns ? here : here + (slot.forward ? -1 : 1),
                     slot.micro_batch};
    const auto found = ended_.find(needed);
    return found == ended_.end() ? std::nullopt : std::optional<int>(found->second);
  }

  bool step(int stage) {
    const auto s = static_cast<std::size_t>(stage);
    if (next_[s] == schedules_[s].size()) return false;
    const std::size_t count = schedules_[s][next_[s]].with_next ? 2 : 1;
    int start = clock_[s], length = 0;
    for (std::size_t i = next_[s]; i < next_[s] + count; ++i) {
      const auto at = ready(schedules_[s][i], stage);
      if (!at) return false;
      start = std::max(start, *at);
      length += times_.of(schedules_[s][i]);
    }
    clock_[s] = start + length;
    for (std::size_t i = next_[s]; i < next_[s] + count; ++i) {
      const PipelineSlot& slot = schedules_[s][i];
      if (slot.part != BackwardPart::weight)
        ended_[{slot.forward, slot.chunk, part(slot, stage), slot.micro_batch}] = clock_[s];
    }
    next_[s] += count;
    return true;
  }

  const Schedules& schedules_;
  PassTimes times_;
  int stages_;
  std::vector<std::size_t> next_;
  std::vector<int> clock_;
  std::map<Key, int> ended_;
};

/// Each (chunk, micro-batch) goes forward once, backward by inputs once, by weights once, in this order.
bool is_complete(const std::vector<PipelineSlot>& slots, int passes) {
  std::map<std::pair<int, int>, std::string> done;
  for (const PipelineSlot& slot : slots) {
    std::string& seen = done[{slot.chunk, slot.micro_batch}];
    if (slot.forward) seen += 'F';
    if (!slot.forward && slot.part != BackwardPart::weight) seen += 'B';
    if (!slot.forward && slot.part != BackwardPart::input) seen += 'W';
  }
  return done.size() == static_cast<std::size_t>(passes) &&
         std::all_of(done.begin(), done.end(), [](const auto& pass) { return pass.second == "FBW"; });
}

/// Most chunks between their forward pass and their weight gradients.
int most_held(const std::vector<PipelineSlot>& slots) {
  int held = 0, most = 0;
  for (const PipelineSlot& slot : slots) {
    if (slot.forward) most = std::max(most, ++held);
    if (!slot.forward && slot.part != BackwardPart::input) --held;
  }
  return most;
}

}  // namespace

TEST_CASE("zero bubble is 1F1B with the weight gradients of as many micro-batches put off as stages lie before",
          "[models]") {
  CHECK(written(zero_bubble_schedule(0, 3, 4)) == "F0a F1a F2a B0a W0a F3a B1a W1a B2a W2a B3a W3a ");
  CHECK(written(zero_bubble_schedule(1, 3, 4)) == "F0a F1a B0a F2a B1a W0a F3a B2a W1a B3a W2a W3a ");
  CHECK(written(zero_bubble_schedule(2, 3, 4)) == "F0a B0a F1a B1a F2a B2a W0a F3a B3a W1a W2a W3a ");
}

TEST_CASE("DualPipe on 4 stages of 8 micro-batches takes 4 from each end", "[models]") {
  CHECK(written(dualpipe_schedule(0, 4, 8)) ==
        "F0a F1a F2a F4b B4b W4b F5b F3a+D5b F6b+D0a D6b F7b+D1a D7b B2a W2a B3a W3a ");
  CHECK(written(dualpipe_schedule(1, 4, 8)) ==
        "F0a F4b F1a F5b F2a D4b F6b+D0a F3a+D5b F7b+D1a D6b D2a B7b B3a W7b W3a ");
  // The other half does the same with its chunks swapped, and its micro-batches with them.
  CHECK(written(dualpipe_schedule(3, 4, 8)) ==
        "F4b F5b F6b F0a B0a W0a F1a F7b+D1a F2a+D4b D2a F3a+D5b D3a B6b W6b B7b W7b ");
}

TEST_CASE("zero bubble ends, complete, with no more in flight than 1F1B has on its first stage", "[models]") {
  for (int stages = 1; stages <= 9; ++stages)
    for (int micro_batches = 1; micro_batches <= 3 * stages + 1; ++micro_batches) {
      const Schedules all = zero_bubble(stages, micro_batches);
      INFO(stages << " stages, " << micro_batches);
      REQUIRE(Walk(all, {3, 4, 2}).bubble());
      for (const auto& slots : all) {
        REQUIRE(is_complete(slots, micro_batches));
        REQUIRE(most_held(slots) == std::min(stages, micro_batches));
      }
    }
}

TEST_CASE("DualPipe ends, complete, with one more chunk in flight than stages", "[models]") {
  for (int stages = 2; stages <= 12; stages += 2)
    for (int micro_batches = 2 * stages; micro_batches <= 5 * stages; micro_batches += 2) {
      const Schedules all = dualpipe(stages, micro_batches);
      INFO(stages << " stages, " << micro_batches);
      REQUIRE(Walk(all, {3, 4, 2}).bubble());
      for (const auto& slots : all) {
        REQUIRE(is_complete(slots, micro_batches));
        REQUIRE(most_held(slots) == stages + 1);
      }
    }
}

TEST_CASE("zero bubble loses (P-1)(F + B - 2W), B being the whole backward pass", "[models]") {
  for (const PassTimes t : {PassTimes{10, 10, 10}, {10, 12, 8}, {10, 30, 9}, {7, 5, 5}, {20, 11, 3}})
    for (int stages = 2; stages <= 12; ++stages)
      for (const int micro_batches : {stages, stages + 1, 2 * stages, 5 * stages}) {
        INFO(stages << " stages, " << micro_batches << ", F " << t.forward << " B " << t.input << " W " << t.weight);
        REQUIRE(Walk(zero_bubble(stages, micro_batches), t).bubble() ==
                (stages - 1) * (t.forward + t.input + t.weight - 2 * t.weight));
      }
}

TEST_CASE("DualPipe loses (P/2-1)(F&B + B - 3W), or at most one forward pass less", "[models]") {
  // The stages in the middle start their first backward pass behind a forward pass, not beside it: the others gain up
  // to the difference of input gradients and forward pass each time a pair waits, at most the one forward pass.
  for (const PassTimes t : {PassTimes{10, 10, 10}, {10, 12, 8}, {10, 11, 10}, {10, 15, 9}, {10, 30, 8}})
    for (int stages = 2; stages <= 16; stages += 2)
      for (const int micro_batches : {2 * stages, 2 * stages + 2, 5 * stages}) {
        const int backward = t.input + t.weight, half = stages / 2 - 1;
        const int published = half * (t.forward + backward + backward - 3 * t.weight);
        INFO(stages << " stages, " << micro_batches << ", F " << t.forward << " B " << t.input << " W " << t.weight);
        const int bubble = Walk(dualpipe(stages, micro_batches), t).bubble().value();
        REQUIRE(bubble == published - std::min(t.forward, half * (t.input - t.forward)));
      }
}
