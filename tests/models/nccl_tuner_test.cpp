// SPDX-License-Identifier: Apache-2.0
/// Regression against a hand-made restatement of NCCL's tuner; not evidence of accuracy (that is validation's job).
#include "models/kernels/collectives/nccl_tuner.hpp"

#include <array>
#include <string_view>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

constexpr Bytes mebi = 1048576 * byte;

NcclMachine eight_h100(int nodes) {
  NcclMachine machine = nccl_machine(NcclGeneration::hopper, true, 8, 450 * gigabyte_per_second, nodes > 1 ? 8 : 0,
                                     nodes > 1 ? 400 * gigabyte_per_second : BytesPerSecond{});
  machine.amd_host = true;
  return machine;
}

struct Choice {
  std::string_view algorithm;
  std::string_view protocol;
  double time_us;
  double bus;  // GB/s
};

Choice best(int nodes, Bytes payload) {
  const TunerEstimate first = nccl_estimates(CollectiveOp::all_reduce, payload, nodes, 8, eight_h100(nodes)).front();
  const int ranks = 8 * nodes;
  const BytesPerSecond bus = payload * (2.0 * (ranks - 1) / ranks) / first.time;
  return {name_of(first.algorithm), name_of(first.protocol), first.time.in(microsecond), bus.in(gigabyte_per_second)};
}

double bulk(int nodes, Algorithm algorithm) {
  const Bytes payload = 8192 * mebi;
  const int ranks = 8 * nodes;
  for (const TunerEstimate& estimate : nccl_estimates(CollectiveOp::all_reduce, payload, nodes, 8, eight_h100(nodes)))
    if (estimate.algorithm == algorithm && estimate.protocol == Protocol::simple)
      return (payload * (2.0 * (ranks - 1) / ranks) / estimate.time).in(gigabyte_per_second);
  return 0;
}

}  // namespace

TEST_CASE("NCCL's choice for small all-reduces on 8 H100 a node is transcribed", "[models][nccl][transcription]") {
  struct Row {
    int nodes;
    double at_64_kb, at_1_mb;  // us
  };
  for (const Row& row : {Row{2, 35, 60}, Row{4, 47, 81}, Row{8, 57, 98}, Row{16, 67, 115}, Row{32, 77, 132},
                         Row{64, 87, 149}, Row{128, 97, 166}}) {
    INFO(row.nodes << " nodes");
    const Choice small = best(row.nodes, mebi / 16), middle = best(row.nodes, mebi);
    CHECK(small.algorithm == "tree");
    CHECK(small.protocol == "LL");
    CHECK(small.time_us == Approx(row.at_64_kb).margin(1));
    CHECK(middle.algorithm == "tree");
    CHECK(middle.protocol == "LL128");
    CHECK(middle.time_us == Approx(row.at_1_mb).margin(1));
  }
  CHECK(best(1, mebi / 16).algorithm == "ring");
  CHECK(best(1, mebi / 16).protocol == "LL");
  CHECK(best(1, mebi / 16).time_us == Approx(16).margin(1));
  CHECK(best(1, mebi).algorithm == "ring");
  CHECK(best(1, mebi).time_us == Approx(28).margin(1));
}

TEST_CASE("NCCL's choice for large all-reduces on 8 H100 a node is transcribed", "[models][nccl][transcription]") {
  struct Row {
    int nodes;
    std::string_view at_16_mb_by;
    double at_16_mb, at_256_mb, at_1_gb, at_8_gb;  // bus bandwidth, GB/s
    std::string_view at_8_gb_by;
  };
  const std::array rows = {
      Row{1, "nvls", 339, 464, 473, 476, "nvls"},       Row{2, "nvls_tree", 233, 435, 455, 461, "nvls_tree"},
      Row{4, "nvls_tree", 164, 338, 357, 379, "ring"},  Row{8, "nvls_tree", 137, 330, 355, 374, "ring"},
      Row{16, "tree", 128, 322, 352, 364, "ring"},      Row{32, "tree", 121, 314, 350, 362, "nvls_tree"},
      Row{64, "tree", 114, 307, 348, 362, "nvls_tree"}, Row{128, "tree", 108, 299, 345, 362, "nvls_tree"}};
  for (const Row& row : rows) {
    INFO(row.nodes << " nodes");
    CHECK(best(row.nodes, 16 * mebi).algorithm == row.at_16_mb_by);
    CHECK(best(row.nodes, 16 * mebi).bus == Approx(row.at_16_mb).epsilon(0.01));
    CHECK(best(row.nodes, 256 * mebi).bus == Approx(row.at_256_mb).epsilon(0.01));
    CHECK(best(row.nodes, 1024 * mebi).bus == Approx(row.at_1_gb).epsilon(0.01));
    CHECK(best(row.nodes, 8192 * mebi).bus == Approx(row.at_8_gb).epsilon(0.01));
    CHECK(best(row.nodes, 8192 * mebi).algorithm == row.at_8_gb_by);
  }
}

TEST_CASE("bulk bandwidths of ring, tree and switch are transcribed", "[models][nccl][transcription]") {
  struct Row {
    int nodes;
    double ring, tree, reduced;
  };
  for (const Row& row :
       {Row{1, 360, 289, 476}, Row{2, 381, 310, 461}, Row{4, 379, 278, 363}, Row{8, 374, 283, 363},
        Row{16, 364, 285, 363}, Row{32, 345, 286, 362}, Row{64, 314, 286, 362}, Row{128, 265, 286, 362}}) {
    INFO(row.nodes << " nodes");
    CHECK(bulk(row.nodes, Algorithm::ring) == Approx(row.ring).epsilon(0.01));
    CHECK(bulk(row.nodes, Algorithm::tree) == Approx(row.tree).epsilon(0.01));
    CHECK(bulk(row.nodes, row.nodes == 1 ? Algorithm::nvls : Algorithm::nvls_tree) ==
          Approx(row.reduced).epsilon(0.01));
  }
}

TEST_CASE("algorithms are offered where the machine has them", "[models][nccl]") {
  const auto offered = [](CollectiveOp op, int nodes, int per_node, const NcclMachine& machine, Algorithm algorithm) {
    for (const TunerEstimate& estimate : nccl_estimates(op, mebi, nodes, per_node, machine))
      if (estimate.algorithm == algorithm) return true;
    return false;
  };
  NcclMachine machine = eight_h100(4);
  CHECK_FALSE(offered(CollectiveOp::all_reduce, 4, 8, machine, Algorithm::nvls));
  CHECK_FALSE(offered(CollectiveOp::all_reduce, 4, 8, machine, Algorithm::collnet_direct));
  machine.collnet_rails = 8;
  CHECK(offered(CollectiveOp::all_reduce, 4, 8, machine, Algorithm::nvls));
  CHECK(offered(CollectiveOp::all_reduce, 4, 8, machine, Algorithm::collnet_direct));
  CHECK(offered(CollectiveOp::all_gather, 4, 1, machine, Algorithm::pat));
  CHECK_FALSE(offered(CollectiveOp::all_gather, 4, 8, machine, Algorithm::pat));
  CHECK_FALSE(offered(CollectiveOp::all_gather, 4, 8, machine, Algorithm::tree));
  CHECK(nccl_estimates(CollectiveOp::all_reduce, mebi, 1, 1, machine).empty());
  CHECK(nccl_estimates(CollectiveOp::all_to_all, mebi, 4, 8, machine).empty());
}
