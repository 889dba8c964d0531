// SPDX-License-Identifier: Apache-2.0
#include "tools/calibration/gpu_probe_run.hpp"

#include <chrono>

#include "support/catch.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

using End = GpuProbeOutcome::End;

const std::string document = R"({"schema_version": 1, "tool": "gpu_probe", "date": "2026-11-21T21:04:06Z",
  "suite": "quick", "device": {"kind": "gpu", "name": "NVIDIA H200", "compute_capability": "9.0"},
  "samples": [{"probe": "launch", "what": {"operation": "back_to_back_on_device", "kernels": 1}, "flops": 0,
               "bytes": 0, "repetitions_us": [1.5, 1.6, 1.5]}],
  "skipped": [], "errors": []})";

/// A program in the probe's place: $OUT is where it is told to write.
class FakeProbe {
 public:
  explicit FakeProbe(const std::string& script) {
    request_.program = room_.write("gpu_probe", "#!/bin/sh\nOUT=\"$8\"\n" + script + "\n");
    std::filesystem::permissions(request_.program, std::filesystem::perms::owner_all);
    room_.write("document.json", document);
    request_.samples = room_.at("gpu0.json");
    request_.budget = 1 * second;
    request_.grace = 1 * second;
    request_.quiet = true;
  }
  GpuProbeRequest& request() { return request_; }
  const ProgramRoom& room() const { return room_; }
  GpuProbeOutcome run() { return run_gpu_probe(request_); }
  std::string copy() const { return "cp '" + room_.at("document.json").string() + "' \"$OUT\"; "; }

 private:
  ProgramRoom room_;
  GpuProbeRequest request_;
};

GpuProbeOutcome outcome(const std::string& script, bool writes) {
  FakeProbe probe("true");
  FakeProbe with((writes ? probe.copy() : std::string()) + script);
  return with.run();
}

}  // namespace

TEST_CASE("what the probe program wrote is read, however it ended", "[tools][calibrate]") {
  const GpuProbeOutcome done = outcome("exit 0", true);
  CHECK(done.end == End::done);
  REQUIRE(done.samples);
  CHECK(done.samples->device.name == "NVIDIA H200");
  const GpuProbeOutcome cut = outcome("exit 4", true);
  CHECK(cut.end == End::cut_short);
  CHECK(has(cut.reason, "time"));
  CHECK(cut.samples);
  const GpuProbeOutcome none = outcome("exit 5", false);
  CHECK(none.end == End::no_gpu);
  CHECK_FALSE(none.samples);
  CHECK(outcome("exit 3", true).end == End::failed);
  const GpuProbeOutcome killed = outcome("kill -SEGV $$", true);
  CHECK(killed.end == End::failed);
  CHECK(has(killed.reason, "signal 11"));
  CHECK(killed.samples);
}

TEST_CASE("a probe program that hangs is ended, and its samples kept", "[tools][calibrate]") {
  const auto start = std::chrono::steady_clock::now();
  const GpuProbeOutcome hung = outcome("sleep 100 & wait", true);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(15));
  CHECK(hung.end == End::cut_short);
  CHECK(has(hung.reason, "hung"));
  CHECK(hung.samples);
}

TEST_CASE("samples that are cut off, and those of an older run, do not pass", "[tools][calibrate]") {
  const GpuProbeOutcome torn = outcome("printf '{\"schema_version\": 1, \"sam' > \"$OUT\"", false);
  CHECK(torn.end == End::failed);
  CHECK(has(torn.reason, "cannot be read"));
  FakeProbe old("exit 0");
  old.room().write("gpu0.json", document);
  CHECK_FALSE(old.run().samples);
}

TEST_CASE("a program that cannot be started is a reason", "[tools][calibrate]") {
  FakeProbe probe("exit 0");
  probe.request().program = probe.room().at("nowhere");
  const GpuProbeOutcome gone = probe.run();
  CHECK(gone.end == End::failed);
  CHECK(has(gone.reason, "cannot be started"));
}

TEST_CASE("the probe program is told suite, device, time and file", "[tools][calibrate]") {
  FakeProbe probe("echo \"$@\" > \"$OUT\".words");
  probe.request().suite = ProbeSuite::full;
  probe.request().device = 3;
  probe.run();
  CHECK(content(probe.room().at("gpu0.json.words")) ==
        "--suite full --minutes 0.017 --device 3 --out " + probe.room().at("gpu0.json").string() + "\n");
}
