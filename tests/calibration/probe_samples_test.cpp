// SPDX-License-Identifier: Apache-2.0
#include "calibration/sample_files/probe_samples.hpp"

#include <filesystem>
#include <fstream>

#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

const std::string whole = R"({
  "schema_version": 1, "tool": "clusterwright host probe", "date": "2026-11-21T21:04:06Z", "suite": "quick",
  "device": {"kind": "host", "cpu": "Some CPU", "cores": 4, "threads": 8, "memory_bytes": 17179869184, "l3_bytes": 0},
  "samples": [
    {"probe": "gemm", "what": {"m": 2, "n": 3, "k": 4, "dtype": "fp32", "threads": 1},
     "flops": 48, "bytes": 104, "repetitions_us": [2, 1.5, 1.25]},
    {"probe": "memory", "what": {"operation": "copy", "working_set_bytes": 4096, "threads": 8},
     "flops": 0, "bytes": 4096, "repetitions_us": [1, 1, 1]}
  ],
  "skipped": [{"probe": "storage", "what": {}, "reason": "no space"}]
})";

JsonValue parsed(const std::string& text) {
  return read_json(std::make_shared<const SourceText>("samples.json", text));
}

std::string replaced(const std::string& from, const std::string& to) {
  std::string out = whole;
  const std::size_t at = out.find(from);
  REQUIRE(at != std::string::npos);
  return out.replace(at, from.size(), to);
}

/// The document with `from` replaced has one error, with this code and place.
void check_refused(const std::string& from, const std::string& to, const std::string& code, const std::string& where) {
  INFO(from << " -> " << to);
  try {
    read_probe_samples(parsed(replaced(from, to)));
    FAIL("was accepted");
  } catch (const ConfigError& error) {
    INFO(error.what());
    REQUIRE(error.diagnostics().size() == 1);
    CHECK(error.diagnostics().front().code == code);
    CHECK(error.diagnostics().front().places.front().pointer == where);
    CHECK(error.diagnostics().front().places.front().source);
  }
}

}  // namespace

TEST_CASE("a document of samples becomes quantities", "[calibration][probes]") {
  const ProbeSamples read = read_probe_samples(parsed(whole));
  CHECK(read.suite == ProbeSuite::quick);
  CHECK(read.device.kind == ProbeDeviceKind::host);
  CHECK(read.device.memory == 16 * gibibyte);
  REQUIRE(read.samples.size() == 2);
  const ProbeSample& gemm = read.samples.front();
  CHECK(std::get<ProbedGemm>(gemm.what).k == 4);
  CHECK(gemm.flops == 48 * flop);
  CHECK(gemm.repetitions[1].in(microsecond) == Approx(1.5));
  CHECK(std::get<ProbedMemory>(read.samples[1].what).working_set == 4 * kibibyte);
  REQUIRE(read.skipped.size() == 1);
  CHECK(read.skipped.front().reason == "no space");
}

TEST_CASE("what is written is read back the same", "[calibration][probes]") {
  const ProbeSamples read = read_probe_samples(parsed(whole));
  CHECK(write_json(write_probe_samples(read), -1) ==
        write_json(write_probe_samples(read_probe_samples(parsed(write_json(write_probe_samples(read))))), -1));
  CHECK(write_json(write_probe_samples(read).at("samples").elements().front(), -1) ==
        R"({"probe":"gemm","what":{"m":2,"n":3,"k":4,"dtype":"fp32","threads":1},"flops":48,"bytes":104,)"
        R"("repetitions_us":[2.0,1.5,1.25]})");
}

TEST_CASE("a GPU's document has its own device and what it reported", "[calibration][probes]") {
  const ProbeSamples read = read_probe_samples(parsed(R"({
    "schema_version": 1, "tool": "gpu_probe", "date": "2026-11-21T21:04:06Z", "suite": "full",
    "device": {"name": "NVIDIA H200", "compute_capability": "9.0", "memory_bytes": 150754820096, "power_limit_w": null},
    "samples": [
      {"probe": "gemm", "what": {"m": 2, "n": 3, "k": 4, "layout": "forward", "operands": "TN", "dtype": "fp8_e4m3",
       "output": "bf16", "contents": "random_normal"}, "mode": "burst", "flops": 48, "bytes": 0,
       "launches_per_repetition": 20, "repetitions_us": [2, 1.5, 1.25],
       "state": {"sm_mhz": 1980, "power_w": 600.5, "temperature_c": null}},
      {"probe": "power", "what": {"load": "idle"}, "mode": "sustained", "flops": 0, "bytes": 0, "repetitions_us": [],
       "seconds": 5.1, "mean_power_w": 75, "state": {}, "trace": {"t_s": [0, 0.1], "power_w": [74, null]}}],
    "skipped": [{"probe": "collectives", "what": "all", "reason": "one GPU"}],
    "errors": [{"probe": "layer", "what": "{}", "message": "time limit"}]})"));
  CHECK(read.device.kind == ProbeDeviceKind::gpu);
  CHECK(read.device.compute_capability == "9.0");
  CHECK_FALSE(read.device.power_limit);
  CHECK(read.samples.front().state.power == 600.5 * watt);
  CHECK_FALSE(read.samples.front().state.temperature_c);
  CHECK(read.samples.back().mean_power == 75 * watt);
  CHECK_FALSE(read.samples.back().trace.power_w.at(1));
  CHECK(read.failed.front().reason == "time limit");
  CHECK(read_probe_samples(write_probe_samples(read)).samples.back().held.in(second) == Approx(5.1));
}

TEST_CASE("a node without a GPU still has a document", "[calibration][probes]") {
  const ProbeSamples read = read_probe_samples(parsed(R"({
    "schema_version": 1, "tool": "gpu_probe", "date": "2026-11-21T21:04:06Z", "suite": "quick", "device": null,
    "samples": [], "skipped": [{"probe": "gemm", "what": "all", "reason": "no usable GPU"}], "errors": []})"));
  CHECK(read.device.kind == ProbeDeviceKind::gpu);
  CHECK(read.skipped.size() == 1);
}

TEST_CASE("what is wrong in a document of samples is named with its place", "[calibration][probes]") {
  check_refused("\"suite\"", "\"extra\": 1, \"suite\"", "E0102", "/extra");
  check_refused("\"threads\": 1}", "\"threads\": 1, \"path\": \"pipe\"}", "E0102", "/samples/0/what/path");
  check_refused("\"cores\": 4, ", "\"cores\": 4, \"host\": \"x\", ", "E0102", "/device/host");
  check_refused("\"k\": 4, ", "", "E0104", "/samples/0/what");
  check_refused("\"reason\": \"no space\"", "\"reason\": 3", "E0201", "/skipped/0/reason");
  check_refused("\"what\": {}", "\"what\": 3", "E0201", "/skipped/0/what");
  check_refused("\"schema_version\": 1", "\"schema_version\": 2", "E0202", "/schema_version");
  check_refused("\"2026-11-21T21:04:06Z\"", "\"yesterday\"", "E0203", "/date");
  check_refused("\"quick\"", "\"fast\"", "E0203", "/suite");
  check_refused("\"host\"", "\"tpu\"", "E0203", "/device/kind");
  check_refused("\"gemm\"", "\"gem\"", "E0203", "/samples/0/probe");
  check_refused("\"fp32\"", "\"float\"", "E0203", "/samples/0/what/dtype");
}

TEST_CASE("times must be there, and be positive", "[calibration][probes]") {
  check_refused("[2, 1.5, 1.25]", "[2, 0, 1.25]", "E0202", "/samples/0/repetitions_us/1");
  check_refused("[2, 1.5, 1.25]", "[2, 1.5, -1.25]", "E0202", "/samples/0/repetitions_us/2");
  check_refused("[2, 1.5, 1.25]", "[2, 1.5]", "E0202", "/samples/0/repetitions_us");
  check_refused("[2, 1.5, 1.25]", "[2, 1.5, null]", "E0201", "/samples/0/repetitions_us/2");
}

TEST_CASE("numbers that contradict each other are refused", "[calibration][probes]") {
  check_refused("\"flops\": 48", "\"flops\": 24", "E0340", "/samples/0/flops");  // 2 x 2 x 3 x 4 = 48
  check_refused("\"bytes\": 4096,", "\"bytes\": 8192,", "E0340", "/samples/1/bytes");
  check_refused("\"threads\": 8}", "\"threads\": 9}", "E0340", "/samples/1/what");
}

TEST_CASE("NaN, and a file that was cut off, are no JSON", "[calibration][probes]") {
  const auto file = std::filesystem::temp_directory_path() / "clusterwright-cut-off-samples.json";
  for (const std::string& text : {replaced("1.25", "NaN"), whole.substr(0, whole.size() / 2), std::string()}) {
    std::ofstream(file) << text;
    try {
      read_probe_samples(file);
      FAIL("was accepted");
    } catch (const ConfigError& error) {
      CHECK(error.diagnostics().front().code == "E0101");
    }
  }
  std::filesystem::remove(file);
  CHECK_THROWS_AS(read_probe_samples(file), ConfigError);  // E0401: it is gone
}

TEST_CASE("a sample's median, spread and drift", "[calibration][probes]") {
  // 4, 1, 2, 3: the median is 2.5, distances 1.5, 1.5, 0.5, 0.5 have the median 1; the rest's median is 2.
  const SampleStatistics four = statistics_of({4 * second, 1 * second, 2 * second, 3 * second});
  CHECK(four.median == 2.5 * second);
  CHECK(four.spread == 1 * second);
  CHECK(four.first_against_rest == Approx(2.0));
  const SampleStatistics one = statistics_of({7 * second});
  CHECK(one.spread == Seconds{});
  CHECK(one.first_against_rest == 1);
  CHECK_THROWS_AS(statistics_of({}), std::invalid_argument);
}

TEST_CASE("rates are those of the median time", "[calibration][probes]") {
  const ProbeSample gemm = read_probe_samples(parsed(whole)).samples.front();
  CHECK(median_rate(gemm).in(flop / second) == Approx(32e6));  // 48 FLOP in 1.5 us
  CHECK(median_bandwidth(gemm).in(byte / second) == Approx(104 / 1.5e-6));
}

TEST_CASE("every document of calibration/samples is read, and speaks of something that can be fitted",
          "[calibration][probes]") {
  std::size_t documents = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(CLUSTERWRIGHT_MEASUREMENTS "/../samples")) {
    if (entry.path().extension() != ".json") continue;
    INFO(entry.path().string());
    ++documents;
    const ProbeSamples read = read_probe_samples(entry.path());
    CHECK(read.samples.size() > 15);
    CHECK_FALSE(read.date.empty());
  }
  CHECK(documents > 0);
}
