// SPDX-License-Identifier: Apache-2.0
#include "tools/import/nccl_tests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "sim/json_writer.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

const ProbedCollective& collective_of(const ProbeSample& sample) {
  return std::get<ProbedCollective>(sample.what);
}

const std::string date = "2026-11-21T21:04:06Z";

/// The lines of "Using devices": ranks are dealt to nodes in blocks.
std::string devices(int nodes, int gpus_per_node, const std::string& gpu = "NVIDIA H100 80GB HBM3") {
  std::string out = "# Using devices\n";
  for (int rank = 0; rank < nodes * gpus_per_node; ++rank)
    out += fmt::format("#  Rank {:2} Group  0 Pid {:6} on  secret-host-{} device {:2} [0000:{:02x}:00] {}\n", rank,
                       41000 + rank, rank / gpus_per_node, rank % gpus_per_node, 0x1b + rank, gpu);
  return out + "#\n";
}

const std::string configuration =
    "# nThread 1 nGpus 1 minBytes 8 maxBytes 1073741824 step: 2(factor) warmup iters: 5 iters: 50 agg iters: 1 "
    "validation: 1 graph: 0\n#\n";
const std::string header =
    "#                                                              out-of-place                       in-place\n"
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
    "#wrong\n"
    "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)\n";
const std::string small =
    "           8             2     float     sum      -1    21.35    0.00    0.00      0    20.98    0.00    0.00     "
    " "
    "0\n";
// 1 GiB in 4021.5 us are 267.00 GB/s, and 2 x 7/8 of that on the bus of 8 ranks.
const std::string large =
    "  1073741824     268435456     float     sum      -1   4021.5  267.00  467.25      0   4010.2  267.75  468.57     "
    " "
    "0\n";
const std::string footer = "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 233.955\n#\n";
const std::string named =
    "# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22907\n# Collective test starting: all_reduce_perf\n";

const std::string one_node = named + configuration + devices(1, 8) + header + small + large + footer;

ProbeSamples imported_log(const std::string& text, const std::string& operation = {}) {
  return read_nccl_tests(std::make_shared<const SourceText>("run.log", text), {date, operation});
}

/// The import ends with one error of this code that names `words`.
void check_log_refused(const std::string& text, const std::string& code, const std::string& words,
                       const std::string& operation = {}) {
  try {
    imported_log(text, operation);
    FAIL("was accepted");
  } catch (const ConfigError& error) {
    INFO(error.what());
    REQUIRE(error.diagnostics().size() == 1);
    CHECK(error.diagnostics().front().code == code);
    CHECK(std::string(error.what()).find(words) != std::string::npos);
  }
}

std::string replaced_everywhere(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// Every line with something before it.
std::string prefixed(const std::string& text, const std::string& prefix) {
  return prefix + replaced_everywhere(text, "\n", "\n" + prefix);
}

std::string written(const ProbeSamples& samples) {
  return write_json(write_probe_samples(samples));
}

}  // namespace

TEST_CASE("each half of a row of nccl-tests is a sample", "[tools][import]") {
  const ProbeSamples read = imported_log(one_node);
  CHECK(read.tool == "nccl-tests 2.17.6");
  CHECK(read.date == date);
  CHECK(read.device.kind == ProbeDeviceKind::gpu);
  CHECK(read.device.name == "NVIDIA H100 80GB HBM3");
  CHECK(read.device.gpus_in_node == 8);
  REQUIRE(read.samples.size() == 4);
  CHECK(read.skipped.empty());
  CHECK(read.failed.empty());
  const ProbeSample& first = read.samples.front();
  CHECK(collective_of(first).operation == "all_reduce");
  CHECK(collective_of(first).dtype == "fp32");
  CHECK(collective_of(first).bytes == 8);
  CHECK(first.bytes == 8 * byte);
  CHECK(collective_of(first).ranks == 8);
  CHECK(collective_of(first).nodes == 1);
  CHECK(collective_of(first).processes == 8);
  CHECK(collective_of(first).nccl_version == 22907);
  CHECK_FALSE(collective_of(first).in_place);
  CHECK(first.launches == 50);
  REQUIRE(first.repetitions.size() == 1);
  CHECK(first.repetitions.front().in(microsecond) == Approx(21.35));
  CHECK(collective_of(read.samples.back()).in_place);
  CHECK(read.samples.back().repetitions.front().in(microsecond) == Approx(4010.2));
}

TEST_CASE("samples of nccl-tests are a document of samples and hold no name of a machine", "[tools][import]") {
  const std::string text = written(imported_log(one_node));
  CHECK(written(read_probe_samples(write_probe_samples(imported_log(one_node)))) == text);
  for (const char* secret : {"secret", "41003", "1b:00"}) CHECK(text.find(secret) == std::string::npos);
}

TEST_CASE("two nodes with eight ranks each", "[tools][import]") {
  const ProbeSamples read = imported_log(named + configuration + devices(2, 8) + header + small + footer);
  CHECK(collective_of(read.samples.front()).ranks == 16);
  CHECK(collective_of(read.samples.front()).nodes == 2);
  CHECK(read.device.gpus_in_node == 8);
}

TEST_CASE("an old log without names of program and group, and with the deviation", "[tools][import]") {
  const std::string old =
      "# nThread 1 nGpus 8 minBytes 8 maxBytes 134217728 step: 2(factor) warmup iters: 5 iters: 20 validation: 1\n#\n"
      "# Using devices\n" +
      [] {
        std::string out;
        for (int i = 0; i < 8; ++i)
          out += fmt::format("#   Rank {:2} Pid  12978 on    dgx-4 device {:2} [0x{:02x}] NVIDIA A100-SXM4-40GB\n", i,
                             i, 7 + 8 * i);
        return out;
      }() +
      "#\n#                                                       out-of-place                       in-place\n"
      "#       size         count      type   redop     time   algbw   busbw  error     time   algbw   busbw  error\n"
      "#        (B)    (elements)                       (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n"
      "           8             2     float     sum    24.61    0.00    0.00  1e-07    24.02    0.00    0.00  0e+00\n"
      "   134217728      33554432     float     sum   1062.4  126.33  221.08  4e-07   1060.9  126.51  221.40  2e-02\n"
      "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 55.4 \n";
  const ProbeSamples read = imported_log(old);
  // 221.08 / 126.33 = 1.75 = 2 x 7/8; a reduce_scatter would have 7/8.
  CHECK(collective_of(read.samples.front()).operation == "all_reduce");
  CHECK(read.samples.front().launches == 20);
  CHECK(collective_of(read.samples.front()).processes == 1);
  CHECK(read.samples.size() == 3);
  REQUIRE(read.failed.size() == 1);
  CHECK(read.failed.front().what.as_text() == "all_reduce of 134217728 bytes, fp32, in place");
  CHECK(read.failed.front().reason == "results deviate by 2.0e-02");
  CHECK(read.tool == "nccl-tests");
}

TEST_CASE("what launchers, terminals and NCCL add to a log does no harm", "[tools][import]") {
  const std::string clean = written(imported_log(one_node));
  CHECK(written(imported_log(replaced_everywhere(one_node, "\n", "\r\n"))) == clean);
  for (const char* prefix : {"0: ", " 12: ", "[1,0]<stdout>:", "[1,0]<stdout>: ", "node7: ", "2026-11-21T21:04:06.5Z ",
                             "2026-11-21T21:04:06.5Z stdout F ", "[0] ", "\x1b[4mx\x1b[0m: "})
    CHECK(written(imported_log(prefixed(one_node, prefix))) == clean);
  CHECK(written(imported_log(replaced_everywhere(one_node, "# ", "\x1b[36m# \x1b[0m"))) == clean);
  const std::string noise =
      "secret-host-0:41000:41020 [0] NCCL INFO Channel 00/24 : 0 1 2 3\n"
      "--------------------------------------------------------------\n12 processes killed\n\n";
  CHECK(written(imported_log(noise + replaced_everywhere(one_node, "0\n", "0\n" + noise) + noise)) == clean);
}

TEST_CASE("columns are found by their names", "[tools][import]") {
  const std::string more =
      "# size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv% time algbw busbw #wrong i_min "
      "i_max "
      "i_p99 i_cv% timestamp\n"
      "1048576 524288 half sum -1 38.12 27.51 48.14 0 36.1 41.2 40.9 2.1 37.90 27.67 48.42 N/A 36.0 39.9 39.1 1.9 "
      "2026-11-21 21:04:06\n";
  const ProbeSamples read = imported_log(named + configuration + devices(1, 8) + more + footer);
  REQUIRE(read.samples.size() == 2);
  CHECK(read.samples.back().repetitions.front().in(microsecond) == Approx(37.9));
  CHECK(collective_of(read.samples.back()).dtype == "fp16");
}

TEST_CASE("wrong values fail, and what is no time of single calls is skipped", "[tools][import]") {
  const std::string head = named + configuration + devices(1, 8);
  const ProbeSamples wrong =
      imported_log(head + header + replaced_everywhere(small, "0.00      0\n", "0.00     12\n") + footer);
  CHECK(wrong.samples.size() == 1);
  REQUIRE(wrong.failed.size() == 1);
  CHECK(wrong.failed.front().reason == "wrong values: 12");
  CHECK(imported_log(replaced_everywhere(one_node, "values : 0 OK", "values : 3 FAILED")).failed.size() == 1);

  const std::string zero =
      "0 0 float sum -1 0.00 0.00 0.00 0 nan 0.00 0.00 0\n64 16 float sum -1 0.00 0 0 0 nan 0 0 0\n";
  CHECK(imported_log(head + header + zero + small + footer).skipped.size() == 4);
  CHECK(imported_log(replaced_everywhere(one_node, "    time", " cputime")).skipped.size() == 4);
  CHECK(imported_log(replaced_everywhere(one_node, "agg iters: 1", "agg iters: 4")).skipped.front().reason ==
        "4 operations were launched as one");
  CHECK(imported_log(replaced_everywhere(one_node, " iters: 50", " iters: 2")).skipped.front().reason ==
        "a mean of only 2 calls");
  CHECK(imported_log(replaced_everywhere(one_node, "Rank  3 Group  0", "Rank  3 Group  1")).skipped.front().reason ==
        "2 groups of ranks ran at once");
  CHECK(imported_log(replaced_everywhere(one_node, "graph: 0", "graph: 3")).samples.front().launches == 150);
}

TEST_CASE("a log that is cut keeps its whole rows and says what is missing", "[tools][import]") {
  const std::string head = named + configuration + devices(1, 8) + header + small;
  const ProbeSamples at_row = imported_log(head);
  CHECK(at_row.samples.size() == 2);
  REQUIRE(at_row.skipped.size() == 1);
  CHECK(at_row.skipped.front().reason == "the log ends at 8 bytes; 1073741824 were requested");
  const ProbeSamples in_row = imported_log(head + large.substr(0, 90));
  CHECK(in_row.samples.size() == 2);
  REQUIRE(in_row.skipped.size() == 2);
  CHECK(in_row.skipped.front().what.as_text() == "all_reduce, line 19: 1073741824 bytes, float");
}

TEST_CASE("several logs in one file", "[tools][import]") {
  // On the bus of 8 ranks an all_gather has half the bandwidth of an all_reduce.
  const std::string gathered =
      replaced_everywhere(replaced_everywhere(one_node, "467.25", "233.62"), "468.57", "234.28");
  const std::string second = replaced_everywhere(replaced_everywhere(gathered, "all_reduce", "all_gather"),
                                                 "     sum      -1", "    none      -1");
  const ProbeSamples read = imported_log(one_node + "+ srun all_gather_perf -b 8\n" + second);
  REQUIRE(read.samples.size() == 8);
  CHECK(collective_of(read.samples[3]).operation == "all_reduce");
  CHECK(collective_of(read.samples[4]).operation == "all_gather");
  // A run on fewer nodes; and another table that follows the same devices.
  const ProbeSamples smaller = imported_log(one_node + named + configuration + devices(2, 2) + header + small + footer);
  CHECK(collective_of(smaller.samples.back()).ranks == 4);
  CHECK(smaller.device.gpus_in_node == 8);
  CHECK(collective_of(imported_log(one_node + "srun ./all_reduce_perf\n" + header + small + footer).samples.back())
            .ranks == 8);
  check_log_refused(one_node + configuration + devices(1, 8, "NVIDIA H200") + header + small + footer, "E0340",
                    "NVIDIA H200");
}

TEST_CASE("the operation comes from the log, else from bandwidths, else from the user", "[tools][import]") {
  const std::string body = configuration + devices(1, 8) + header;
  const auto operation = [](const std::string& text, const std::string& wanted = {}) {
    return collective_of(imported_log(text, wanted).samples.front()).operation;
  };
  CHECK(operation("$ mpirun -np 8 ./build/alltoall_perf -g 1\n" + body + small + footer) == "all_to_all");
  // On the bus of 8 ranks an all_reduce has 2 x 7/8 of its own bandwidth, halves of it 7/8, messages 1.
  const std::string all = body + large + footer;
  const std::string half = replaced_everywhere(replaced_everywhere(all, "467.25", "233.62"), "468.57", "234.28");
  const std::string once = replaced_everywhere(replaced_everywhere(all, "467.25", "267.00"), "468.57", "267.75");
  CHECK(operation(all) == "all_reduce");
  CHECK(operation(half) == "reduce_scatter");
  CHECK(operation(replaced_everywhere(once, "-1", " 0")) == "reduce");
  CHECK(operation(replaced_everywhere(once, "sum", "none")) == "send");
  CHECK(operation(replaced_everywhere(replaced_everywhere(once, "sum", "none"), "-1", " 0")) == "broadcast");
  const std::string gather = replaced_everywhere(half, "sum", "none");
  check_log_refused(gather, "E0203", "--op");
  check_log_refused(gather, "E0203", "all_gather or all_to_all");
  check_log_refused(once, "E0203", "fit no known operation");
  check_log_refused(body + small + footer, "E0203", "all_reduce or reduce_scatter");
  CHECK(operation(gather, "all_gather_perf") == "all_gather");
  CHECK(operation(replaced_everywhere(body + small + footer, "sum", "none"), "sendrecv") == "send");
  check_log_refused(replaced_everywhere(gather, "234.28", "267.75"), "E0340", "a bus bandwidth of 267.00, not 233.62",
                    "sendrecv");
  check_log_refused(gather, "E0203", "all_reduce, all_gather", "allgather");
  check_log_refused(one_node, "E0340", "--op names all_gather", "all_gather");
}

TEST_CASE("ranks must be alike and listed once", "[tools][import]") {
  const std::string tail = header + small + footer;
  const std::string head = named + configuration;
  check_log_refused(
      head + replaced_everywhere(devices(2, 4), "on  secret-host-1 device  3", "on  secret-host-0 device  4") + tail,
      "E0340", "one node has 5 ranks, another has 3");
  check_log_refused(
      head + replaced_everywhere(devices(1, 8), "[0000:1e:00] NVIDIA H100", "[0000:1e:00] NVIDIA H200") + tail, "E0340",
      "the GPUs differ");
  check_log_refused(head + replaced_everywhere(devices(1, 2), "Rank  1", "Rank  0") + tail, "E0340", "MPI=1");
  // Without all devices nobody knows on how many nodes the ranks are.
  std::string listed = devices(2, 4);
  listed.erase(listed.find("#  Rank  2"), listed.find("#  Rank  6") - listed.find("#  Rank  2"));
  const ProbeSamples gaps = imported_log(head + listed + tail);
  CHECK(collective_of(gaps.samples.front()).ranks == 0);
  CHECK(gaps.skipped.front().reason == "the log lists 4 of 8 ranks: nodes are not known");
  const ProbeSamples none = imported_log(head + tail);
  CHECK(none.samples.size() == 2);
  CHECK(none.skipped.front().reason == "the log lists no devices: ranks and nodes are not known");
}

TEST_CASE("what is no log of nccl-tests is refused with words about how one looks", "[tools][import]") {
  for (const char* text :
       {"", "hello\n", "8 2 float sum -1 21.35 0 0 0 20.98 0 0 0\n", "# nThread 1 nGpus 8\n#\n", "\xff\xfe\n"})
    check_log_refused(text, "E0101", "# size count type");
  check_log_refused("{}", "E0101", "\"results\"");
  check_log_refused("{\"results\": [1, {\"size\": 3}]}", "E0101", "# size count type");
  check_log_refused("{\"results\": [", "E0101", "run.log");
  CHECK_THROWS_AS(read_nccl_tests(std::filesystem::path("no/such.log"), {date, ""}), ConfigError);
  CHECK_THROWS_AS(read_nccl_tests(std::make_shared<const SourceText>("run.log", one_node), {"today", ""}), ConfigError);
}

namespace {

/// A report of -J: one process for each node, which lists only its first GPU.
const std::string report = R"({"version":2,"start_time":"2026-11-21 21:04:06",
  "args":["/home/alice/secret/reduce_scatter_perf","-J","x"],"env":["API_TOKEN=secret","HOME=\/home\/alice"],
  "nccl_version":22907,
  "config":{"nthreads":1,"ngpus":8,"maximum_bytes":1048576,"iterations":20,"aggregated_iterations":1,"graph":0,
    "devices":[{"rank":0,"group":0,"pid":11,"hostname":"secret-0","device":0,"device_info":"NVIDIA H100 80GB HBM3"},
               {"rank":8,"group":0,"pid":11,"hostname":"secret-1","device":0,"device_info":"NVIDIA H100 80GB HBM3"}]},
  "results":[{"size":1048576,"count":32768,"type":"bfloat16","redop":"sum","root":"    -1",
      "out_of_place":{"time":61.5,"alg_bw":17.05,"bus_bw":15.98,"nwrong":0},
      "in_place":{"time":"nan","alg_bw":0,"bus_bw":0,"nwrong":null}},
    {"size":2097152,"count":65536,"type":"bfloat16","redop":"sum","root":"    -1","out_of_place":null,
      "in_place":{"time":90.25,"alg_bw":23.24,"bus_bw":21.78,"nwrong":4}}],
  "out_of_bounds":{"count":1,"okay":"false"}})";

}  // namespace

TEST_CASE("a JSON report gives the same samples, and its environment is left behind", "[tools][import]") {
  const ProbeSamples read = imported_log(report);
  REQUIRE(read.samples.size() == 1);
  CHECK(collective_of(read.samples.front()).operation == "reduce_scatter");
  CHECK(collective_of(read.samples.front()).dtype == "bf16");
  CHECK(collective_of(read.samples.front()).ranks == 16);
  CHECK(collective_of(read.samples.front()).nodes == 2);
  CHECK(collective_of(read.samples.front()).nccl_version == 22907);
  CHECK(read.samples.front().repetitions.front().in(microsecond) == Approx(61.5));
  CHECK(read.device.gpus_in_node == 8);
  CHECK(read.skipped.size() == 1);
  CHECK(read.failed.size() == 1);
  const std::string text = written(read);
  for (const char* secret : {"secret", "alice", "API_TOKEN", "2026-11-21 "})
    CHECK(text.find(secret) == std::string::npos);
  CHECK_NOTHROW(read_probe_samples(write_probe_samples(read)));
  check_log_refused(report, "E0340", "--op names all_gather", "all_gather");
}
