// SPDX-License-Identifier: Apache-2.0
#include "models/plan/stage_schedule.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// "F0 F1 B0 ...", with the chunk as a letter when there are several: "F0a".
std::string written(const std::vector<PipelineSlot>& slots, bool chunks = false) {
  std::string text;
  for (const PipelineSlot& slot : slots) {
    text += (text.empty() ? "" : " ") + std::string(slot.forward ? "F" : "B") + std::to_string(slot.micro_batch);
    if (chunks) text += static_cast<char>('a' + slot.chunk);
  }
  return text;
}

/// Most forwards whose backward is still to come.
int most_in_flight(const std::vector<PipelineSlot>& slots) {
  int held = 0, most = 0;
  for (const PipelineSlot& slot : slots) most = std::max(most, held += slot.forward ? 1 : -1);
  return most;
}

/// Each (chunk, micro-batch) goes forward once, then backward once.
bool is_complete(const std::vector<PipelineSlot>& slots, int chunks, int micro_batches) {
  std::map<std::pair<int, int>, int> passes;
  for (const PipelineSlot& slot : slots)
    if (passes[{slot.chunk, slot.micro_batch}]++ != (slot.forward ? 0 : 1)) return false;
  return slots.size() == 2 * static_cast<std::size_t>(chunks * micro_batches) &&
         passes.size() == static_cast<std::size_t>(chunks * micro_batches);
}

}  // namespace

TEST_CASE("a single stage alternates", "[models]") {
  CHECK(written(interleaved_schedule(0, 1, 1, 3, 1)) == "F0 B0 F1 B1 F2 B2");
}

TEST_CASE("1F1B of 4 stages warms up with as many forwards as stages follow", "[models]") {
  CHECK(written(interleaved_schedule(0, 4, 1, 5, 4)) == "F0 F1 F2 F3 B0 F4 B1 B2 B3 B4");
  CHECK(written(interleaved_schedule(2, 4, 1, 5, 4)) == "F0 F1 B0 F2 B1 F3 B2 F4 B3 B4");
  CHECK(written(interleaved_schedule(3, 4, 1, 5, 4)) == "F0 B0 F1 B1 F2 B2 F3 B3 F4 B4");
}

TEST_CASE("fewer micro-batches than stages go forward together", "[models]") {
  CHECK(written(interleaved_schedule(0, 4, 1, 2, 4)) == "F0 F1 B0 B1");
}

TEST_CASE("interleaved groups of 2 micro-batches visit one chunk after the other", "[models]") {
  // Stage 1 of 2, 2 chunks: warm-up of 2 x 0 + 1 x 2 forwards.
  CHECK(written(interleaved_schedule(1, 2, 2, 4, 2), true) ==
        "F0a F1a F0b B0b F1b B1b F2a B0a F3a B1a F2b B2b F3b B3b B2a B3a");
  // Stage 0: 2 x 1 + 1 x 2.
  CHECK(written(interleaved_schedule(0, 2, 2, 2, 2), true) == "F0a F1a F0b F1b B0b B1b B0a B1a");
}

TEST_CASE("interleaved micro-batches that are no multiple of the stages go in larger groups", "[models]") {
  CHECK(interleaving_group(8, 16) == 8);
  CHECK(interleaving_group(8, 12) == 12);
  CHECK(interleaving_group(4, 10) == 5);
  CHECK(interleaving_group(4, 3) == 0);
  CHECK(interleaving_group(4, 53) == 6);  // eight groups of 6, and one of 5
  // Stage 1 of 2, 2 chunks: warm-up of 2 x 0 + 1 x 3 forwards.
  CHECK(written(interleaved_schedule(1, 2, 2, 3, 3), true) == "F0a F1a F2a F0b B0b F1b B1b F2b B2b B0a B1a B2a");
  // A group of 2 and one of 3 where 5 are no multiple: each visits one chunk after the other.
  CHECK(written(interleaved_schedule(1, 2, 2, 7, 2 + 2), true) ==
        "F0a F1a F2a F3a F0b B0b F1b B1b F2b B2b F3b B3b F4a B0a F5a B1a F6a B2a F4b B3a F5b B4b F6b B5b B6b B4a B5a "
        "B6a");
}

TEST_CASE("every schedule is complete and bounded", "[models]") {
  for (int stages = 1; stages <= 6; ++stages)
    for (int stage = 0; stage < stages; ++stage)
      for (int chunks = 1; chunks <= (stages > 1 ? 4 : 1); ++chunks)
        for (int k = 1; k <= 2 * stages + 1; ++k) {
          const int micro_batches = chunks > 1 ? stages + k - 1 : k;
          const int group = interleaving_group(stages, micro_batches);
          const auto slots = interleaved_schedule(stage, stages, chunks, micro_batches, group);
          const int behind = stages - stage - 1;
          const int warm_up = chunks == 1 ? behind : 2 * behind + (chunks - 1) * group;
          INFO("stage " << stage << " of " << stages << ", " << chunks << " chunks, " << micro_batches);
          REQUIRE(is_complete(slots, chunks, micro_batches));
          REQUIRE(most_in_flight(slots) == std::min(warm_up + 1, micro_batches * chunks));
        }
}
