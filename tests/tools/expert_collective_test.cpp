// SPDX-License-Identifier: Apache-2.0
// `clusterwright collective` of dispatch and combine: ranks and experts that do not suit each other.
#include <string>

#include "support/catch.hpp"
#include "support/program_room.hpp"

using namespace clusterwright::testing;

namespace {

const std::string expert_superpod = "collective '" CLUSTERWRIGHT_CONFIGS "/clusters/h100-superpod.json' ";

}  // namespace

TEST_CASE("experts that cannot be dealt or drawn say why, and what would be right", "[cli][collective]") {
  const std::string dispatch = expert_superpod + "--bytes 64M --op dispatch ";
  check_refused(dispatch + "--gpus 60", "E0332", "60 ranks spread unevenly over 8 nodes");
  check_refused(dispatch + "--gpus 60", "E0332", "= help: take whole domains: --gpus 56 or 64");
  check_refused(expert_superpod + "--bytes 64M --op combine --gpus 1021", "E0332", "--gpus 1016 or 1024");
  check_refused(dispatch + "--gpus 16 --experts 4 --top-k 8", "E0332", "a token draws 8 different experts");
  check_refused(dispatch + "--gpus 16 --experts 4 --top-k 8", "E0332", "--top-k of at most 4, or more --experts");
  check_refused(dispatch + "--gpus 8 --experts 8 --top-k 2 --imbalance 3", "E0332", "an --imbalance of at most 2.38");
  // 16 experts on 8 nodes: one node holds 2.
  check_refused(dispatch + "--gpus 64 --experts 16 --domain-limit 1", "E0332", "a higher --domain-limit");
  check_refused(dispatch + "--gpus 16 --algorithm ring", "E0332", "ring cannot run here");
  CHECK(ProgramRoom().run(dispatch + "--gpus 12 --experts 24").code == 0);  // 6 on each of two nodes
}

TEST_CASE("ranks that do not divide the experts are named in a warning", "[cli][collective]") {
  const ProgramRoom room;
  const std::string dispatch = expert_superpod + "--bytes 64M --op dispatch --gpus 64 --experts ";
  CHECK(has(room.run(dispatch + "100").out,
            "warning: 64 ranks do not divide 100 experts evenly: some hold 1, others 2\n"));
  CHECK(has(room.run(dispatch + "100 --format csv").err, "64 ranks do not divide 100 experts"));
  CHECK_FALSE(has(room.run(dispatch + "128").out, "do not divide"));
  CHECK_FALSE(has(room.run(expert_superpod + "--bytes 64M --gpus 24").out, "do not divide"));
}
