// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "calibration/sample_files/probe_samples.hpp"
#include "sim/json_writer.hpp"
#include "support/catch.hpp"
#include "support/made_up_samples.hpp"
#include "support/program_room.hpp"
#include "support/replaced.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Samples of an H200 that is a tenth slower than the shipped one.
std::string made_up_document(double noise = 0.02) {
  ProbeSamples samples = made_up_gpu();
  GemmParameters slower = shipped_parameters("h200").gemm.at("bf16");
  slower.efficiency.value *= 0.9;
  add_gemms(shipped_part("H200"), slower, noise, samples);
  return write_json(write_probe_samples(samples));
}

/// 8 ranks on one node, a quarter slower than the shipped curves; written as all_reduce_perf would.
std::string slow_log() {
  std::string log =
      "# nThread 1 nGpus 1 minBytes 8 maxBytes 8G step: 4(factor) warmup iters: 5 iters: 20\n# Using devices\n";
  for (int rank = 0; rank < 8; ++rank)
    log += fmt::format(
        "#  Rank {:2} Group  0 Pid 1{} on  secret-host device {:2} [0000:{:02x}:00] NVIDIA H100 80GB HBM3\n", rank,
        rank, rank, 27 + rank);
  log +=
      "#       size         count      type   redop    root     time   algbw   busbw #wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)\n";
  for (double bytes = 1 << 20; bytes < 1e10; bytes *= 4) {
    const double us = 40 + bytes / 200e3;
    log += fmt::format("{:12.0f} {:12.0f} float sum -1 {:9.2f} {:7.2f} {:7.2f} 0\n", bytes, bytes / 4, us,
                       bytes / us / 1e3, 1.75 * bytes / us / 1e3);
  }
  return log;
}

}  // namespace

TEST_CASE("without a GPU the host is probed, and GPU probes are listed with a reason", "[tools][calibrate]") {
  const ProgramRoom room;
  const Outcome ran = room.run("calibrate run --suite quick --budget 2s --quiet");
  INFO(ran.err);
  CHECK(ran.code == 0);
  for (const char* probe : {"gemm", "power", "attention", "collectives"})
    CHECK(has(ran.out, std::string("gpu0    ") + probe));
  const ProbeSamples host = read_probe_samples(room.at("clusterwright-samples/host.json"));
  CHECK(host.device.kind == ProbeDeviceKind::host);
  CHECK_FALSE(host.samples.empty());
  CHECK(
      room.run("calibrate run --only host --budget 1s --quiet --format json").json().at("devices").elements().size() ==
      1);
}

TEST_CASE("a GPU that is required and missing is exit 5, at once", "[tools][calibrate]") {
  const ProgramRoom room;
  const Outcome ran = room.run("calibrate run --require gpu");
  CHECK(ran.code == 5);
  CHECK(has(ran.err, "--require gpu"));
  CHECK_FALSE(std::filesystem::exists(room.at("clusterwright-samples/host.json")));
}

TEST_CASE("a parameter file made of samples is taken by run, collective, check and validate", "[tools][calibrate]") {
  const ProgramRoom room;
  room.write("gpu0.json", made_up_document());
  const Outcome fitted = room.run("calibrate fit gpu0.json -o own.json");
  INFO(fitted.err);
  REQUIRE(fitted.code == 0);
  CHECK(has(fitted.out, "gemm/bf16"));
  CHECK(has(fitted.out, "Worst samples"));
  CHECK(room.run("check own.json").code == 0);
  const std::string scenario = CLUSTERWRIGHT_CONFIGS "/scenarios/llama3-8b-single-node.json";
  const std::string question = "run " + scenario + " --set cluster.node.accelerator=H200 --format json";
  const JsonValue usual = room.run(question).json(), own = room.run(question + " --parameters own.json").json();
  CHECK(own.at("step_time_s").as_number() > 1.02 * usual.at("step_time_s").as_number());
  CHECK(usual.at("against_usual").is_null());
  const JsonValue& against = own.at("against_usual");
  CHECK(against.at("most_ratio").as_number() ==
        Approx(own.at("step_time_s").as_number() / usual.at("step_time_s").as_number()));
  CHECK(against.at("differences").elements().front().at("section").as_text() == "gemm/bf16");
  CHECK(has(against.at("differences").elements().front().at("source").as_text(), "own samples of H200"));
  const std::string cases = CLUSTERWRIGHT_MEASUREMENTS "/gemm.json --format json --quiet";
  const Outcome judged = room.run("validate --cases " + cases + " --parameters own.json");
  CHECK(judged.code == 0);
  CHECK(has(judged.out, "h200-own"));
}

TEST_CASE("an imported log moves collectives where it differs, and says so", "[tools][calibrate]") {
  const ProgramRoom room;
  room.write("run.log", slow_log());
  const Outcome imported = room.run("import nccl-tests run.log --op all_reduce -o log.json");
  INFO(imported.err);
  REQUIRE(imported.code == 0);
  CHECK_FALSE(has(content(room.at("log.json")), "secret"));
  REQUIRE(room.run("calibrate fit log.json -o own.json").code == 0);
  const std::string question = "collective " CLUSTERWRIGHT_CONFIGS "/clusters/h100-single-node.json --bytes 256M";
  const JsonValue own = room.run(question + " --parameters own.json --format json").json();
  const JsonValue& against = own.at("against_usual");
  CHECK(against.at("least_ratio").as_number() != Approx(1).epsilon(0.02));
  CHECK(against.at("differences").elements().front().at("section").as_text() == "collectives/all_reduce");
  const Outcome other = room.run(question + " --op all_gather --parameters own.json --format json");
  CHECK(other.json().at("against_usual").at("most_ratio").as_number() == Approx(1));  // not in the log
  CHECK(has(room.run(question + " --parameters own.json").out, "the default"));
}

TEST_CASE("show holds samples against parameters, and published rows beside them", "[tools][calibrate]") {
  const ProgramRoom room;
  room.write("gpu0.json", made_up_document());
  const JsonValue before = room.run("calibrate show gpu0.json --format json").json();
  REQUIRE(room.run("calibrate fit gpu0.json -o own.json --quiet").code == 0);
  const JsonValue after = room.run("calibrate show own.json gpu0.json --format json").json();
  const auto median = [](const JsonValue& document, const char* which) {
    return document.at(which).elements().front().at("median_abs_log").as_number();
  };
  CHECK(median(before, "own") > 0.08);  // the made-up chip is a tenth slower
  CHECK(median(after, "own") < 0.03);
  CHECK(median(before, "published") < 0.12);  // calls on H200, predicted by samples of an H100
  CHECK(median(after, "published") > median(before, "published"));
  const Outcome text = room.run("calibrate show own.json gpu0.json");
  CHECK(has(text.out, "predicted over measured"));
  CHECK(has(text.out, "Published microbenchmarks"));
  CHECK(has(room.run("calibrate show own.json").out, "Fits of this file"));
}

TEST_CASE("fits that are poor write nothing unless asked to keep what was known", "[tools][calibrate]") {
  const ProgramRoom room;
  room.write("gpu0.json", made_up_document(0.8));
  const Outcome refused = room.run("calibrate fit gpu0.json -o own.json");
  CHECK(refused.code == 1);
  CHECK(has(refused.err, "gemm/bf16"));
  CHECK(has(refused.err, "--keep-poor"));
  CHECK(has(refused.out, "Worst samples"));
  CHECK_FALSE(std::filesystem::exists(room.at("own.json")));
}

TEST_CASE("samples that are wrong are refused with their place", "[tools][calibrate]") {
  const ProgramRoom room;
  const std::string good = made_up_document();
  room.write("cut.json", good.substr(0, good.size() / 2));
  room.write("nan.json", replaced(good, "\"repetitions_us\": [", "\"repetitions_us\": [NaN, "));
  room.write("zero.json", replaced(good, "\"repetitions_us\": [", "\"repetitions_us\": [0, "));
  room.write("liar.json", replaced(good, "\"flops\": ", "\"flops\": 1"));
  room.write("few.json", R"({"schema_version": 1, "tool": "gpu_probe", "suite": "quick", "device":
    {"kind": "gpu", "name": "NVIDIA H200"}, "samples": [], "skipped": []})");
  room.write("stranger.json", replaced(good, "NVIDIA H200", "NVIDIA Z900"));
  room.write("other.json", replaced(good, "NVIDIA H200", "NVIDIA H100 80GB HBM3"));
  room.write("good.json", good);
  check_refused(room, "calibrate fit cut.json", "E0101", "cut.json");
  check_refused(room, "calibrate fit nan.json", "E0101", "nan.json");
  check_refused(room, "calibrate fit zero.json", "E0202", "/repetitions_us/0");
  check_refused(room, "calibrate fit liar.json", "E0340", "2 m n k");
  check_refused(room, "calibrate fit few.json", "E0341", "calibrate run");
  check_refused(room, "calibrate fit stranger.json", "E0203", "--accelerator");
  check_refused(room, "calibrate fit good.json other.json", "E0340", "several devices");
  check_refused(room, "calibrate fit good.json --accelerator H20O", "E0203", "did you mean");
  check_refused(room, "calibrate fit nowhere.json", "E0401", "nowhere.json");
  check_refused(room, "calibrate show own.json", "E0401", "own.json");
}

TEST_CASE("commands below a command are checked as others are", "[tools][calibrate]") {
  check_refused("calibrate", "E0404", "run, fit, loop, show");
  check_refused("calibrate fitt", "E0404", "did you mean \"fit\"?");
  check_refused("calibrate fit", "E0404", "calibrate fit needs SAMPLES");
  check_refused("calibrate fit x.json --acelerator H200", "E0404", "--accelerator");
  check_refused("calibrate run --suite fast", "E0404", "quick");
  check_refused("calibrate run --require tpu", "E0404", "gpu");
  check_refused("calibrate run --budget soon", "E0403", "--budget");
  check_refused("import", "E0404", "nccl-tests");
  check_refused("import nccl-tests", "E0404", "import nccl-tests needs FILE");
  check_refused("import nccl-topology x.xml --transport carrier", "E0404", "infiniband");
}

TEST_CASE("a topology that NCCL saw becomes a cluster that collective takes", "[tools][calibrate]") {
  const ProgramRoom room;
  std::string xml =
      "<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\">";
  for (int gpu = 0; gpu < 8; ++gpu)
    xml += fmt::format(
        "<pci busid=\"0000:{0:02x}:00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x2330\" link_speed=\"32.0 "
        "GT/s PCIe\" "
        "link_width=\"16\"><gpu dev=\"{1}\" sm=\"90\" rank=\"{1}\" gdr=\"1\"><nvlink target=\"0000:c0:00.0\" "
        "count=\"18\" "
        "tclass=\"0x068000\"/></gpu></pci>",
        16 + gpu, gpu);
  room.write("node.xml", xml + "</cpu></system>");
  const Outcome imported = room.run("import nccl-topology node.xml -o node.json");
  INFO(imported.err);
  REQUIRE(imported.code == 0);
  const Outcome answer = room.run("collective node.json --bytes 1G --format json");
  CHECK(answer.code == 0);
  CHECK(answer.json().at("ranks").as_number() == 8);
  CHECK(answer.json().at("accelerator").as_text() == "H100-SXM");
  room.write("empty.xml", "<system version=\"1\"></system>");
  check_refused(room, "import nccl-topology empty.xml", "E0101", "empty.xml");
}

TEST_CASE("the host loop predicts a step and runs it", "[tools][calibrate]") {
  const ProgramRoom room;
  const std::string samples = CLUSTERWRIGHT_MEASUREMENTS "/../samples/2026-11-22-xeon-2vcpu";
  const Outcome ran =
      room.run("calibrate loop --samples " + samples + " --layers 1 --hidden 64 --repetitions 3 --quiet --format json");
  INFO(ran.err);
  REQUIRE(ran.code == 0);
  const JsonValue answer = ran.json();
  REQUIRE(answer.at("rows").elements().size() == 2);
  for (const JsonValue& row : answer.at("rows").elements()) {
    const double predicted = row.at("predicted_s").as_number(), measured = row.at("measured_s").as_number();
    CHECK(predicted < 20 * measured);  // this machine runs other tests meanwhile
    CHECK(measured < 20 * predicted);
    CHECK(row.at("low").as_number() < predicted);
  }
  check_refused(room, "calibrate loop --hidden 100", "E0404", "multiple of 64");
  check_refused(room, "calibrate loop --samples nowhere.json", "E0401", "nowhere.json");
}
