// SPDX-License-Identifier: Apache-2.0
// Machines that options name, and what the program says about values that suit no machine.
#include <string>

#include "support/catch.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::string slice = "TPU v5p host of a 8x8x8 slice";

double answered_figure(const Outcome& outcome, const char* key) {
  return outcome.json().at(key).as_number();
}

}  // namespace

TEST_CASE("chips of a torus run on the slice that holds them, and the others are named", "[tools][nodes]") {
  const ProgramRoom room;
  const auto chosen = room.run("run llama3-8b --on TPU-v5p --gpus 512");
  REQUIRE(chosen.code == 0);
  CHECK(has(chosen.out, "512 x TPU-v5p (" + slice));
  CHECK(has(chosen.out, "warning: --on TPU-v5p takes \"" + slice + "\", whose domain of 512 suits"));
  const auto named = room.run("run llama3-8b --on '" + slice + "' --gpus 512");
  CHECK_FALSE(has(named.out, "--on TPU-v5p"));
  const std::string on = "run llama3-8b --format json --gpus 512 --on ";
  CHECK(answered_figure(room.run(on + "TPU-v5p"), "step_time_s") ==
        answered_figure(room.run(on + "'" + slice + "'"), "step_time_s"));
  CHECK(has(room.run("collective --on TPU-v5p --gpus 512 --bytes 1G").out, "takes \"" + slice + "\""));
  REQUIRE(room.run("init mine --model llama3-8b --on TPU-v5p --gpus 512").code == 0);
  CHECK(has(content(room.at("mine.json")), slice));
}

TEST_CASE("all sizes of a curve have the slice of the largest", "[tools][nodes]") {
  const ProgramRoom room;
  const auto curve = room.run("scale llama3-8b --on TPU-v5p --gpus 64,512");
  REQUIRE(curve.code == 0);
  CHECK(has(curve.out, slice));
  CHECK_FALSE(has(curve.out, "--on TPU-v5p"));  // its commands confirm the same machine
}

TEST_CASE("a model alone takes a cluster file", "[tools][nodes]") {
  const ProgramRoom room;
  room.write("mine.json", R"({"name": "mine", "accelerators": 64, "node": {"part": "DGX H100"}})");
  const std::string file = "run llama3-8b --set cluster=mine.json --format json";
  const std::string on = "run llama3-8b --on 'DGX H100' --gpus 64 --format json";
  const auto given = room.run(file);
  REQUIRE(given.code == 0);
  CHECK(answered_figure(given, "step_time_s") == answered_figure(room.run(on), "step_time_s"));
  CHECK(answered_figure(room.run(file + " --gpus 16"), "gpus") == 16);
  check_refused("run llama3-8b", "E0404", "or a cluster file: --set cluster=FILE");
  check_refused("run llama3-8b --set cluster.accelerators=64", "E0404", "a model alone names no machine");
}

TEST_CASE("a format that the accelerator lacks names those that it has", "[tools][nodes]") {
  const std::string on_h100 = "run llama3-8b --on H100-SXM --gpus 64 --set job.precision=mxfp8";
  check_refused(on_h100, "E0314", "parameters \"h100-sxm\" have no entry for GEMM in mxfp8");
  check_refused(on_h100, "E0314",
                "H100-SXM with these parameters has bf16, fp16, fp8, fp8-rowwise, fp8-block, int8: choose one of them");
  const std::string on_a100 = "run llama3-8b --on A100-80-SXM --gpus 64 --set job.precision=fp8";
  check_refused(on_a100, "E0314", "A100-80-SXM has no rate for GEMM in fp8");
  check_refused(on_a100, "E0314", "A100-80-SXM with these parameters has bf16, fp16, int8: choose one of them");
}

TEST_CASE("other names of a transport lead to the name that it has here", "[tools][nodes]") {
  const std::string transport = "run llama3-8b --on H100-SXM --gpus 64 --set cluster.fabric.transport=";
  check_refused(transport + "tcp", "E0203", "= help: TCP over Ethernet NICs is \"ethernet\"");
  check_refused(transport + "IB", "E0203", "InfiniBand is \"infiniband\"");
  check_refused(transport + "etherne", "E0203", "did you mean \"ethernet\"?");
}

TEST_CASE("a file that states no layout says that nothing was searched for", "[tools][nodes]") {
  const ProgramRoom room;
  const std::string head = R"({"cluster": {"name": "m", "accelerators": 8, "node": {"part": "DGX H100"}},
                               "transformer": ")" CLUSTERWRIGHT_CONFIGS R"(/transformers/llama3-8b.json",
                               "job": {"sequence": 4096, "global_batch": 64)";
  room.write("none.json", head + "}}");
  const auto none = room.run("run none.json");
  CHECK(has(none.out + none.err, "job.parallel states no tensor and no pipeline (none.json:3)"));
  const auto open = room.run("run none.json --set job.parallel.tensor=auto");
  CHECK_FALSE(has(open.out + open.err, "states no tensor"));
}
