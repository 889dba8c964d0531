// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/domain_blocks.hpp"

#include <memory>
#include <vector>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

const DomainShape rack{72, 4}, server{8, 8};

/// Accelerators of each domain; 0: refused.
int used(int accelerators, const DomainShape& shape, std::vector<int> groups = {}) {
  const auto blocks = choose_blocks(accelerators, shape, {{}, std::move(groups)});
  return blocks ? blocks->used : 0;
}

}  // namespace

TEST_CASE("a job uses all accelerators of its domains where it can", "[topology]") {
  CHECK(used(72, rack) == 72);
  CHECK(used(648, rack, {8, 36}) == 72);
  CHECK(used(64, server, {8}) == 8);
  CHECK(choose_blocks(648, rack, {})->idle() == 0);
}

TEST_CASE("groups of 16, 32 and 64 use 64 of the 72 accelerators of a rack", "[topology]") {
  for (const int group : {16, 32, 64}) CHECK(used(256, rack, {group}) == 64);
  const DomainBlocks blocks = *choose_blocks(256, rack, {{}, {64}});
  CHECK(blocks.domains() == 4);
  CHECK(blocks.installed == 288);
  CHECK(blocks.idle() == 4 * 8);
}

TEST_CASE("a number that no equal blocks divide leaves whole nodes of the last rack", "[topology]") {
  const DomainBlocks blocks = *choose_blocks(100, rack, {});  // 72 + 28
  CHECK(blocks.used == 72);
  CHECK(blocks.domains() == 2);
  CHECK(blocks.idle() == 2 * 72 - 100);
  CHECK(used(96, rack, {32}) == 64);  // 64 + 32: blocks of 48 hold no whole groups
}

TEST_CASE("no number of accelerators takes many more racks than its neighbours", "[topology]") {
  for (int accelerators = 76; accelerators < 6'000; accelerators += 4) {
    INFO(accelerators);
    const int fewest = (accelerators + 71) / 72;
    CHECK(8 * choose_blocks(accelerators, rack, {})->domains() <= 9 * fewest);
  }
  CHECK(choose_blocks(264, rack, {})->domains() == 4);     // six of 44 before
  CHECK(choose_blocks(1'024, rack, {})->domains() == 16);  // of 64: an idle ninth keeps the blocks equal
}

TEST_CASE("a part of one node needs no rule, more nodes need equal parts", "[topology]") {
  for (const int part : {1, 2, 3, 4, 5, 6, 7}) CHECK(used(part, server) == part);
  CHECK(used(12, server) == 6);
  CHECK(used(42, server, {6}) == 6);
  CHECK(used(12, server, {4}) == 0);  // 6 + 6 hold no whole groups of 4
  CHECK(used(17, server) == 0);
  CHECK(nearest_sizes(17, server, {}) == std::vector<int>{16, 18});
  CHECK(nearest_sizes(20, server, {{}, {4}}) == std::vector<int>{16, 24});
}

TEST_CASE("the job may state the size of its blocks", "[topology]") {
  CHECK(choose_blocks(256, rack, {32, {}})->domains() == 8);
  CHECK(choose_blocks(16, server, {1, {}})->installed == 128);
  CHECK(choose_blocks(3, server, {4, {}})->used == 3);
  CHECK_FALSE(choose_blocks(250, rack, {32, {}}));
  CHECK_FALSE(choose_blocks(16, server, {9, {}}));
}

TEST_CASE("blocks that need more racks than the network joins give way to full ones", "[topology]") {
  DomainShape nine = rack;
  nine.most_joined = 648;
  CHECK(used(640, rack) == 64);  // ten racks
  CHECK(used(640, nine) == 72);  // eight full racks, and 64 of the ninth
}

TEST_CASE("slices of a torus are cut to the job, so nothing is idle", "[topology]") {
  const DomainShape pod{256, 4, true};
  CHECK(choose_blocks(64, pod, {})->idle() == 0);
  CHECK(choose_blocks(512, pod, {})->idle() == 0);
  CHECK(choose_blocks(384, pod, {})->idle() == 0);  // two slices of 192
}

TEST_CASE("ranks fill the block of one domain after the other", "[topology]") {
  const DomainBlocks blocks = *choose_blocks(256, rack, {});
  CHECK(blocks.accelerator(63) == AcceleratorId(63));
  CHECK(blocks.accelerator(64) == AcceleratorId(72));
  CHECK(blocks.accelerator(255) == AcceleratorId(3 * 72 + 63));
  CHECK(blocks.rank(72) == 64);
  CHECK_FALSE(blocks.rank(64));   // idle
  CHECK_FALSE(blocks.rank(287));  // idle
  for (int rank = 0; rank < 256; ++rank) CHECK(blocks.rank(static_cast<int>(blocks.accelerator(rank).value)) == rank);
}

TEST_CASE("ranks of a placed job are on the domains of their places, and each accelerator knows its rank",
          "[topology]") {
  DomainBlocks blocks = *choose_blocks(100, rack, {});  // 72 + 28
  blocks.places = std::make_shared<const std::vector<int>>(std::vector<int>{5, 2});
  CHECK(blocks.accelerator(0) == AcceleratorId(5 * 72));
  CHECK(blocks.accelerator(72) == AcceleratorId(2 * 72));
  for (int rank = 0; rank < 100; ++rank) CHECK(blocks.rank(static_cast<int>(blocks.accelerator(rank).value)) == rank);
  CHECK_FALSE(blocks.rank(0));            // rack 0 belongs to others
  CHECK_FALSE(blocks.rank(2 * 72 + 28));  // idle
  CHECK_FALSE(blocks.rank(6 * 72));       // beyond
  DomainBlocks same = blocks, first = blocks;
  same.places = std::make_shared<const std::vector<int>>(std::vector<int>{5, 2});
  first.places.reset();
  CHECK(same == blocks);
  CHECK_FALSE(first == blocks);
}
