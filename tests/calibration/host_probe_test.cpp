// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <set>
#include <string>

#include "calibration/host/echo_process.hpp"
#include "calibration/host/gemm_probe.hpp"
#include "calibration/host/host_probes.hpp"
#include "calibration/host/memory_probe.hpp"
#include "calibration/host/thread_team.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "sim/json_writer.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

HostProbeSizes tiny_sizes() {
  HostProbeSizes out;
  out.threads = {1, 2};
  out.gemm = {16, 32};
  out.gemm64 = {24};
  out.tokens = {8};
  out.hidden = 16;
  out.ffn = 32;
  out.weight_gradients = true;
  out.memory = {24 * kibibyte, 96 * kibibyte};
  out.messages = {8 * byte, 70000 * byte};  // the second is larger than a pipe holds
  out.file = 256 * kibibyte;
  out.block = 64 * kibibyte;
  out.record = 1 * kibibyte;
  out.records = 4;
  return out;
}

const ProbeSamples& tiny_run() {
  static const ProbeSamples run = [] {
    HostProbeOptions options;
    options.sizes = tiny_sizes();
    options.budget = 20 * second;  // far more than it needs: nothing may be skipped for want of time
    return HostProbes(options).run();
  }();
  return run;
}

Seconds median_of_gemm(std::int64_t side) {
  HostProbeSizes sizes;
  sizes.threads = {1};
  sizes.gemm = {side};
  const ProbeSample sample = measure_case(plan_gemm(sizes).front(), {}, 50 * millisecond, TimeBudget(20 * second));
  return statistics_of(sample.repetitions).median;
}

/// A case whose `fails`-th run throws; counts what was asked of it.
class CountedCase : public ProbeCase {
 public:
  CountedCase(int& runs, int fails) : runs_(runs), fails_(fails) {}
  void run() override {
    if (++runs_ == fails_) throw ProbeFailure("the case failed");
  }

 private:
  int& runs_;
  int fails_;
};

PlannedCase counted_case(int& runs, int fails = 0) {
  PlannedCase out;
  out.what = ProbedStorage{};
  out.repeats_in_place = false;
  out.build = [&runs, fails] { return std::make_unique<CountedCase>(runs, fails); };
  return out;
}

}  // namespace

TEST_CASE("every host probe takes positive times, and its document is read back", "[calibration][probes]") {
  const ProbeSamples& run = tiny_run();
  std::set<std::string> taken;
  for (const ProbeSample& sample : run.samples) {
    INFO(write_json(encode_what(sample.what), -1));
    taken.insert(probe_name(sample.what));
    CHECK(sample.repetitions.size() >= least_repetitions);
    for (const Seconds time : sample.repetitions) CHECK(time > Seconds{});
  }
  for (const char* probe : {"gemm", "memory", "transfer"}) CHECK(taken.count(probe) == 1);
  for (const SkippedProbe& skipped : run.skipped) {  // only where the temporary directory is memory, or keeps its pages
    INFO(skipped.reason);
    CHECK((skipped.probe == "storage" || skipped.probe == "data_loading"));
  }
  CHECK(read_probe_samples(write_probe_samples(run)).samples.size() == run.samples.size());
}

TEST_CASE("samples say nothing of the machine but its hardware", "[calibration][probes]") {
  const JsonValue document = write_probe_samples(tiny_run());
  const std::string text = write_json(document);
  CHECK(text.find(std::filesystem::temp_directory_path().string() + "/") == std::string::npos);
  std::set<std::string> keys;
  for (const auto& [key, member] : document.at("device").members()) keys.insert(key);
  CHECK(keys == std::set<std::string>{"kind", "cpu", "cores", "threads", "memory_bytes", "l3_bytes"});
}

TEST_CASE("a multiply of four times the side takes longer", "[calibration][probes]") {
  // 64 times the work; a factor of 8 leaves room for a busy machine.
  CHECK(median_of_gemm(256) > 8 * median_of_gemm(64));
}

TEST_CASE("a layer of 8 tokens, 16 wide, is multiplied forward and for its weight gradients", "[calibration][probes]") {
  std::set<std::string> shapes;
  for (const PlannedCase& one : plan_gemm(tiny_sizes())) {
    const auto& gemm = std::get<ProbedGemm>(one.what);
    shapes.insert(std::to_string(gemm.m) + "x" + std::to_string(gemm.n) + "x" + std::to_string(gemm.k));
  }
  for (const char* shape : {"8x48x16", "8x16x16", "8x32x16", "8x16x32", "16x48x8", "16x16x8", "16x32x8", "32x16x8"}) {
    INFO(shape);
    CHECK(shapes.count(shape) == 1);
  }
}

TEST_CASE("a memory kernel checks what it wrote, and counts each array once", "[calibration][probes]") {
  for (const PlannedCase& planned : plan_memory(tiny_sizes())) {
    const auto& what = std::get<ProbedMemory>(planned.what);
    INFO(enum_name(what.operation) << " of " << what.working_set.in(byte) << " bytes on " << what.threads);
    const auto subject = planned.build();
    subject->run();
    CHECK_NOTHROW(subject->check());
    CHECK(planned.bytes == what.working_set);
  }
  PlannedCase copy = plan_memory(tiny_sizes()).front();
  CHECK((std::get<ProbedMemory>(copy.what).operation == StreamKernel::copy));
  CHECK_THROWS_AS(copy.build()->check(), ProbeFailure);  // nothing was copied yet: the checksum sees it
}

TEST_CASE("messages come back from another process as they were sent", "[calibration][probes]") {
  const std::vector<unsigned char> message{7, 1, 2, 250};
  for (const TransferPath path : {TransferPath::pipe, TransferPath::tcp_loopback}) {
    INFO(enum_name(path));
    std::vector<unsigned char> answer(message.size());
    EchoProcess echo(path, {message.size(), 1, true});
    echo.send(message);
    echo.receive(answer);
    CHECK(answer == message);
  }
  // (7 + 3 * 250) * 2 = 1514 = 234 modulo 256
  CHECK(answer_to(message, 2) == 234);
}

TEST_CASE("threads share a length in whole blocks, without gap", "[calibration][probes]") {
  ThreadTeam team(3);
  std::vector<int> owners(29, -1);
  team.run([&](int member) {
    const auto [begin, length] = team.stretch(owners.size(), 8, member);
    for (std::size_t i = begin; i < begin + length; ++i) owners[i] = member;
  });
  // 29 are 3 blocks of 8 and a rest of 5 for the last.
  for (std::size_t i = 0; i < owners.size(); ++i) CHECK(owners[i] == static_cast<int>(std::min<std::size_t>(i / 8, 2)));
}

TEST_CASE("the warm-up is not kept, and repetitions end at the rule's most", "[calibration][probes]") {
  int runs = 0;
  const RepetitionRule rule{.most = 7};
  const ProbeSample sample = measure_case(counted_case(runs), rule, 10 * second, TimeBudget(10 * second));
  CHECK(sample.repetitions.size() == 7);
  CHECK(runs == 7 + 2);
}

TEST_CASE("a case without a share of the time repeats the least, one without any is not begun",
          "[calibration][probes]") {
  int runs = 0;
  CHECK(measure_case(counted_case(runs), {}, Seconds{}, TimeBudget(10 * second)).repetitions.size() ==
        least_repetitions);
  runs = 0;
  CHECK_THROWS_AS(measure_case(counted_case(runs), {}, Seconds{}, TimeBudget(Seconds{})), ProbeFailure);
  CHECK(runs == 0);
}

TEST_CASE("a case that fails in a repetition is a failure, not a short sample", "[calibration][probes]") {
  int runs = 0;
  CHECK_THROWS_AS(measure_case(counted_case(runs, 5), {}, 1 * second, TimeBudget(10 * second)), ProbeFailure);
  CHECK(runs == 5);
}

TEST_CASE("without a place for files the others go on, and the reason names no path", "[calibration][probes]") {
  HostProbeOptions options;
  options.sizes = tiny_sizes();
  options.folder = "/nowhere/at/all";
  const ProbeSamples run = HostProbes(options).run();
  CHECK(run.samples.size() > 10);
  CHECK(run.skipped.size() == 3 + 4);  // storage and data loading
  for (const SkippedProbe& skipped : run.skipped) CHECK(skipped.reason.find('/') == std::string::npos);
  CHECK_NOTHROW(read_probe_samples(write_probe_samples(run)));
}

TEST_CASE("a budget of nothing skips everything with its reason", "[calibration][probes]") {
  HostProbeOptions options;
  options.sizes = tiny_sizes();
  options.budget = Seconds{};
  const ProbeSamples run = HostProbes(options).run();
  CHECK(run.samples.empty());
  REQUIRE(run.skipped.size() > 10);
  CHECK(run.skipped.front().reason == "time budget used up before it began");
}

TEST_CASE("processors are read from cpuinfo", "[calibration][probes]") {
  const std::string cpuinfo =
      "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nphysical id\t: 0\ncore id\t: 0\n\n"
      "processor\t: 1\nmodel name\t: Some CPU @ 2 GHz\nphysical id\t: 0\ncore id\t: 0\n\n"
      "processor\t: 2\nmodel name\t: Some CPU @ 2 GHz\nphysical id\t: 1\ncore id\t: 0\n";
  CHECK(cpu_model(cpuinfo) == "Some CPU @ 2 GHz");
  CHECK(physical_cores(cpuinfo) == 2);  // the first two share a core
  CHECK(cpu_model("Features\t: fp asimd\n") == "unknown");
  CHECK(physical_cores("") == 0);
}
