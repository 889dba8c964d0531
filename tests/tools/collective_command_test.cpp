// SPDX-License-Identifier: Apache-2.0
// `clusterwright collective` as a user runs it.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>

#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

std::string cluster(const std::string& name) {
  return "'" CLUSTERWRIGHT_CONFIGS "/clusters/" + name + ".json' ";
}
const std::string on_superpod = "collective " + cluster("h100-superpod");
const std::string on_one_node = "collective " + cluster("h100-single-node");
const std::string torus = "collective " + cluster("tpu-v5p-512");

Outcome answered(const std::string& arguments) {
  const ProgramRoom room;
  const Outcome outcome = room.run(arguments);
  INFO("clusterwright " << arguments << "\n" << outcome.err);
  REQUIRE(outcome.code == 0);
  CHECK(outcome.err.empty());
  return outcome;
}

JsonValue json(const std::string& arguments) {
  return answered(arguments + " --format json").json();
}

/// Of the largest size.
double time_us(const std::string& arguments) {
  return json(arguments).at("rows").elements().back().at("time_us").as_number();
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    if (line.ends_with('\r')) line.pop_back();  // CSV ends lines so
    out.push_back(line);
  }
  return out;
}

std::vector<std::string> words(const std::string& line) {
  std::istringstream in(line);
  return {std::istream_iterator<std::string>(in), {}};
}

std::vector<std::string> keys(const JsonValue& object) {
  std::vector<std::string> out;
  for (const auto& [key, value] : object.members()) out.push_back(key);
  return out;
}

}  // namespace

TEST_CASE("collective answers with a table of all powers of two", "[cli][collective]") {
  const Outcome outcome = answered(on_one_node);
  CHECK(has(outcome.out, "all_reduce over 8 x H100-SXM on 1 node of One DGX H100"));
  CHECK(has(outcome.out, "8,589,934,592"));
  CHECK(has(outcome.out, "nvls"));
  CHECK(json(on_one_node).at("rows").elements().size() == 31);  // 2^3 to 2^33
}

TEST_CASE("collective answers on every shipped cluster", "[cli][collective]") {
  int clusters = 0;
  for (const auto& file : std::filesystem::directory_iterator(CLUSTERWRIGHT_CONFIGS "/clusters")) {
    answered("collective " + cluster(file.path().stem().string()) + "--bytes 1M");
    ++clusters;
  }
  CHECK(clusters >= 20);
}

TEST_CASE("a rack that is one scale-up domain needs no network", "[cli][collective]") {
  const JsonValue answer = answered("collective " + cluster("gb200-nvl72") + "--bytes 1G --format json").json();
  const JsonValue& result = answer.at("rows").elements().at(0);
  CHECK(result.at("limit").as_text() == "scale-up links");
  // An all-reduce in the switch sends S (n + 1) / n over links of 900 GB/s, so algbw stays below 72 / 73 of that.
  CHECK(result.at("algbw_gb_per_s").as_number() < 900.0 * 72 / 73);
  CHECK(result.at("algbw_gb_per_s").as_number() > 0.4 * 900);
}

TEST_CASE("JSON has the keys that scripts rely on", "[cli][collective]") {
  const JsonValue answer = json(on_superpod + "--gpus 16 --bytes 1M,1G");
  CHECK(answer.at("schema_version").as_number() == 1);
  CHECK(answer.at("command").as_text() == "collective");
  for (const char* key : {"tool", "seed", "inputs", "cluster", "accelerator", "op", "ranks", "groups", "nodes",
                          "placement", "over_contiguous", "parameters", "rows", "busiest_links", "warnings"})
    CHECK(answer.find(key));
  const auto& rows = answer.at("rows").elements();
  REQUIRE(rows.size() == 2);
  const std::vector<std::string> expected = {"bytes",          "time_us",        "low",       "high",
                                             "algbw_gb_per_s", "busbw_gb_per_s", "algorithm", "protocol"};
  const auto row_keys = keys(rows[1]);
  CHECK(std::vector(row_keys.begin(), row_keys.begin() + 8) == expected);
  const auto number = [&](const char* key) { return rows[1].at(key).as_number(); };
  CHECK(number("bytes") == 1 << 30);
  CHECK(number("algbw_gb_per_s") == Approx((1 << 30) / number("time_us") * 1e-3));
  CHECK(number("busbw_gb_per_s") == Approx(number("algbw_gb_per_s") * 2 * 15 / 16));
  CHECK(number("low") < number("time_us"));
  CHECK(number("time_us") < number("high"));
  for (const JsonValue& input : answer.at("inputs").elements()) CHECK(input.at("sha256").as_text().size() == 64);
}

TEST_CASE("CSV and Markdown have one line for each size", "[cli][collective]") {
  const auto csv = lines(answered(on_superpod + "--gpus 16 --bytes 1M..4Mx2 --format csv").out);
  REQUIRE(csv.size() == 4);
  CHECK(csv[0] == "bytes,count,time_us,algbw_gb_per_s,busbw_gb_per_s,low_us,high_us,algorithm,protocol,limit");
  CHECK(csv[1].starts_with("1048576,262144,"));
  const std::string page = answered(on_superpod + "--gpus 16 --bytes 1M..4Mx2 --format md").out;
  CHECK(page.starts_with("# all"));
  CHECK(has(page, "| 4,194,304 |"));
}

TEST_CASE("a file gets the format of its suffix", "[cli][collective]") {
  const ProgramRoom room;
  const Outcome outcome = room.run(on_one_node + "--bytes 1M -o out.json -o out.csv --quiet");
  CHECK(outcome.code == 0);
  CHECK(outcome.out.empty());
  CHECK(room.run("check out.json").code == 2);  // a result is no configuration
}

// Below the header of nccl-tests 2.17: size count type redop root, then time algbw busbw #wrong out of place and in
// place.
TEST_CASE("lines of nccl-tests split into 13 fields that agree", "[cli][collective]") {
  const char* const names[] = {"size",  "count",  "type", "redop", "root",  "time",  "algbw",
                               "busbw", "#wrong", "time", "algbw", "busbw", "#wrong"};
  for (const std::string op : {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all", "send"}) {
    const auto out = lines(answered(on_superpod + "--gpus 16 --bytes 8..8Gx8 --format nccl-tests --op " + op).out);
    std::size_t rows = 0, headers = 0;
    for (const std::string& line : out) {
      INFO(op << ": " << line);
      auto fields = words(line);
      if (!fields.empty() && fields[0] == "#" && fields.size() == 14 && fields[1] == "size") {
        ++headers;
        CHECK(std::equal(fields.begin() + 1, fields.end(), std::begin(names)));
      }
      if (line.empty() || line[0] == '#') continue;
      ++rows;
      REQUIRE(fields.size() == 13);
      const double bytes = std::stod(fields[0]), time = std::stod(fields[5]);
      const double algbw = std::stod(fields[6]), busbw = std::stod(fields[7]);
      const double factor = op == "all_reduce" ? 2 * 15.0 / 16 : op == "broadcast" || op == "send" ? 1 : 15.0 / 16;
      // Printed to 0.01 GB/s, times to four digits or 0.01 us.
      CHECK(std::abs(algbw - bytes / time * 1e-3) <= 0.0051 + 6e-4 * algbw);
      CHECK(std::abs(busbw - algbw * factor) <= 0.0051 * (1 + factor));  // both are rounded
      const bool split = op == "all_gather" || op == "reduce_scatter" || op == "all_to_all";
      CHECK(std::stoll(fields[1]) == std::stoll(fields[0]) / 4 / (split ? 16 : 1));
      CHECK(fields[2] == "float");
      CHECK(fields[3] == (op == "all_reduce" || op == "reduce_scatter" ? "sum" : "none"));
      CHECK(fields[4] == (op == "broadcast" ? "0" : "-1"));
      CHECK(fields[8] == "0");
    }
    CHECK(headers == 1);
    CHECK(rows == 11);
    CHECK(has(out[out.size() - 3], "# Out of bounds values : 0 OK"));
    CHECK(has(out[out.size() - 2], "# Avg bus bandwidth    : "));
  }
}

TEST_CASE("every operation answers inside a node and across nodes", "[cli][collective]") {
  for (const char* op :
       {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "all_to_all", "send", "dispatch", "combine"})
    for (const char* gpus : {"8", "32"}) {
      const JsonValue answer = json(on_superpod + "--bytes 64M --op " + op + " --gpus " + gpus);
      INFO(op << " on " << gpus);
      CHECK(answer.at("op").as_text() == op);
      CHECK(answer.at("rows").elements()[0].at("time_us").as_number() > 0);
      CHECK(answer.at("busiest_links").elements().empty() == (std::string(gpus) == "8"));
    }
}

TEST_CASE("every algorithm runs where it can and says so where it cannot", "[cli][collective]") {
  const std::set<std::string> runs = {"tree", "ring", "nvls_tree", "halving_doubling"};
  for (const std::string algorithm : {"tree", "ring", "collnet_direct", "collnet_chain", "nvls", "nvls_tree", "pat",
                                      "halving_doubling", "torus", "direct", "rail_aligned", "hierarchical"}) {
    const std::string arguments = on_superpod + "--gpus 32 --bytes 1G --algorithm " + algorithm;
    if (!runs.contains(algorithm)) {
      check_refused(arguments, "E0332", algorithm + " cannot run here");
      continue;
    }
    CHECK(json(arguments).at("rows").elements()[0].at("algorithm").as_text() == algorithm);
  }
  for (const char* with : {"collnet_direct", "collnet_chain", "nvls"})
    CHECK(time_us(on_superpod + "--gpus 32 --bytes 1G --sharp --algorithm " + with) > 0);
  CHECK(time_us(on_superpod + "--gpus 16 --stride 8 --bytes 1G --op all_gather --algorithm pat") > 0);
  CHECK(time_us(on_superpod + "--gpus 32 --bytes 1G --op all_to_all --algorithm direct") > 0);
  CHECK(time_us(on_superpod + "--gpus 32 --bytes 1G --op dispatch --algorithm direct") > 0);
  CHECK(time_us(torus + "--bytes 1G --algorithm torus") == time_us(torus + "--bytes 1G"));
}

TEST_CASE("every protocol can be forced, where there are protocols", "[cli][collective]") {
  for (const std::string protocol : {"LL", "LL128", "Simple"})
    CHECK(json(on_superpod + "--gpus 16 --bytes 1M --algorithm ring --protocol " + protocol)
              .at("rows")
              .elements()[0]
              .at("protocol")
              .as_text() == protocol);
  check_refused(on_one_node + "--op all_to_all --protocol LL", "E0332", "LL cannot run here");
  check_refused(on_one_node + "--op all_to_all --algorithm tree", "E0332", "tree cannot run here");
}

TEST_CASE("groups at once are counted and share what they load", "[cli][collective]") {
  const std::string eight = on_superpod + "--gpus 16 --stride 8 --bytes 1G ";
  const JsonValue all = json(on_superpod + "--set accelerators=256 --gpus 32 --stride 8 --bytes 1G --concurrent all");
  CHECK(all.at("groups").as_number() == 8);
  CHECK(all.at("nodes").as_number() == 32);
  CHECK(json(eight + "--concurrent 3").at("groups").as_number() == 3);
  CHECK(time_us(eight + "--concurrent 8") >= time_us(eight));
  // The second of three groups of 6 lies on two nodes.
  CHECK(time_us(on_superpod + "--gpus 6 --concurrent 3 --bytes 1G") >
        1.2 * time_us(on_superpod + "--gpus 6 --bytes 1G"));
}

TEST_CASE("every placement answers, and is compared with contiguous nodes", "[cli][collective]") {
  const std::string some =
      "collective " + cluster("h100-3tier") + "--gpus 256 --bytes 1G --algorithm ring --routing spray ";
  for (const std::string policy : {"contiguous", "rail", "scattered", "shuffled", "optimised"}) {
    const JsonValue answer = json(some + "--seed 5 --placement " + policy);
    INFO(policy);
    CHECK(answer.at("placement").as_text() == policy);
    const bool compared = policy != "contiguous" && policy != "rail";
    CHECK(answer.at("over_contiguous").is(JsonKind::null) != compared);
    if (compared) CHECK(answer.at("over_contiguous").as_number() >= 1 - 1e-9);
  }
  CHECK(answered(some + "--seed 5 --placement shuffled --format csv").out ==
        answered(some + "--seed 5 --placement shuffled --format csv").out);
}

TEST_CASE("unstated routing leaves room above for hashed paths, which a stated one does not", "[cli][collective]") {
  const std::string crossing = on_superpod + "--op send --gpus 2 --stride 256 --concurrent all --bytes 32M ";
  const ProgramRoom room;
  const auto row = [&](const std::string& routing) {
    const Outcome outcome = room.run(crossing + routing + " --format json");
    REQUIRE(outcome.code == 0);
    CHECK(has(outcome.out, "does not state its routing") == routing.empty());
    return outcome.json().at("rows").elements()[0];
  };
  const JsonValue open = row(""), even = row("--routing spray"), hashed = row("--routing hash");
  CHECK(open.at("time_us").as_number() == even.at("time_us").as_number());
  CHECK(open.at("high").as_number() > hashed.at("time_us").as_number());
  CHECK(even.at("high").as_number() < hashed.at("time_us").as_number());
}

TEST_CASE("nodes can be listed as Slurm lists them", "[cli][collective]") {
  const JsonValue listed = json(on_superpod + "--hosts 'node[0-3]' --gpus 32 --bytes 1G");
  CHECK(listed.at("placement").as_text() == "hostlist");
  CHECK(listed.at("nodes").as_number() == 4);
  CHECK(listed.at("rows").elements()[0].at("time_us").as_number() == time_us(on_superpod + "--gpus 32 --bytes 1G"));
  // 0 and 40 lie below different leaves.
  CHECK(time_us(on_superpod + "--hosts 'node[0,40]' --gpus 16 --bytes 8") >
        time_us(on_superpod + "--hosts 'node[0-1]' --gpus 16 --bytes 8"));
  CHECK(time_us(on_superpod + "--hosts 'node[40,0]' --placement optimised --gpus 16 --bytes 1G") > 0);
}

TEST_CASE("what is slow or failed costs time", "[cli][collective]") {
  const std::string across = on_superpod + "--hosts 'node[0,40]' --gpus 16 --bytes 1G --algorithm ring ";
  const double healthy = time_us(across);
  const JsonValue slow = json(across + "--fail node:0.0=0.5");
  CHECK(slow.at("rows").elements()[0].at("time_us").as_number() > 1.8 * healthy);
  CHECK(has(slow.at("busiest_links").elements()[0].at("link").as_text(), "node 0 nic 0"));
  CHECK(time_us(across + "--fail spine:0") >= healthy);
  CHECK(time_us(across + "--fail node:9.0") == healthy);  // of somebody else
}

TEST_CASE("ranks that cannot reach each other are an answer, not wrong input", "[cli][collective]") {
  std::string all_nics;
  for (int nic = 0; nic < 8; ++nic) all_nics += " --fail node:0." + std::to_string(nic);
  const ProgramRoom room;
  const Outcome outcome = room.run(on_superpod + "--gpus 16 --bytes 1G" + all_nics);
  INFO(outcome.err);
  CHECK(outcome.code == 1);
  CHECK(has(outcome.err, "error[E0320]: no path from node 0 nic 0 to node 1 nic 0"));
  CHECK(outcome.out.empty());
}

TEST_CASE("a rank whose NIC or leaf has failed uses the next NIC of its node", "[cli][collective]") {
  const ProgramRoom room;
  const auto time_us = [&](const std::string& faults) {
    const Outcome outcome = room.run(on_superpod + "--gpus 16 --bytes 1G --algorithm ring --format json" + faults);
    REQUIRE(outcome.code == 0);
    return outcome.json().at("rows").elements()[0].at("time_us").as_number();
  };
  const double healthy = time_us("");
  for (const char* faults : {" --fail node:0.0", " --fail leaf:0", " --fail rail:0"}) {
    INFO(faults);
    CHECK(time_us(faults) > 1.7 * healthy);  // two ranks on one NIC
    CHECK(time_us(faults) < 2.3 * healthy);
  }
}

TEST_CASE("paths can be hashed, and more queue pairs even out collisions", "[cli][collective]") {
  const std::string crowded = on_superpod + "--set accelerators=512 --placement shuffled --bytes 1G --algorithm ring ";
  const double sprayed = time_us(crowded + "--routing spray");
  const double one = time_us(crowded + "--routing hash --queue-pairs 1");
  const double many = time_us(crowded + "--routing hash --queue-pairs 64");
  CHECK(one > many);
  CHECK(many >= sprayed);
  CHECK(time_us("collective " + cluster("frontier") + "--gpus 256 --bytes 1M --routing valiant") > 0);
}

TEST_CASE("reduction in switches helps many nodes", "[cli][collective]") {
  CHECK(time_us(on_superpod + "--gpus 256 --bytes 1G --sharp") < time_us(on_superpod + "--gpus 256 --bytes 1G"));
}

TEST_CASE("cards without NVLink are limited by PCI Express", "[cli][collective]") {
  const JsonValue answer = json("collective " + cluster("rtx4090-server") + "--bytes 1G");
  CHECK(answer.at("rows").elements()[0].at("limit").as_text() == "PCI Express");
  CHECK(has(answer.at("parameters").as_text(), "l40s"));  // of the same architecture
}

TEST_CASE("a scenario stands for its cluster", "[cli][collective]") {
  const JsonValue answer =
      json("collective '" CLUSTERWRIGHT_CONFIGS "/scenarios/llama3-405b-h100.json' --gpus 16 --bytes 1G");
  CHECK(answer.at("accelerator").as_text() == "H100-SXM");
}

TEST_CASE("collective refuses groups that the cluster cannot hold", "[cli][collective]") {
  check_refused(on_one_node + "--gpus 1", "E0330", "at least 2 ranks (got 1)");
  check_refused(on_one_node + "--gpus 9", "E0333", "the cluster has 8");
  check_refused(on_one_node + "--gpus 0", "E0403", "--gpus:1:1");
  check_refused(on_one_node + "--gpus 2 --concurrent 5", "E0333", "the groups need 10 accelerators");
  check_refused(on_one_node + "--gpus 2 --stride 3", "E0334", "a stride of 3");
  check_refused(on_superpod + "--gpus 16 --hosts 'node[0-3'", "E0331", "node[0-3");
  check_refused(on_superpod + "--gpus 16 --hosts 'node[0,0]'", "E0335", "node 0 is listed twice");
  check_refused(on_superpod + "--gpus 16 --hosts 'node[500-501]'", "E0335", "the nodes are 0 to 127");
  check_refused(on_superpod + "--gpus 16 --hosts 'node[0-1]' --placement scattered", "E0404", "--placement:1:1");
  check_refused(on_superpod + "--gpus 16 --placement hostlist", "E0404", "--hosts");
}

TEST_CASE("collective refuses words and numbers that mean nothing", "[cli][collective]") {
  check_refused(on_one_node + "--op allreduce", "E0404", "did you mean \"all_reduce\"?");
  check_refused(on_one_node + "--algorithm rnig", "E0404", "did you mean \"ring\"?");
  check_refused(on_one_node + "--protocol ll128", "E0404", "did you mean \"LL128\"?");
  check_refused(on_one_node + "--placement optimized", "E0404", "did you mean \"optimised\"?");
  check_refused(on_one_node + "--routing sprey", "E0404", "did you mean \"spray\"?");
  check_refused(on_one_node + "--bytes 0", "E0403", "--bytes:1:1");
  check_refused(on_one_node + "--bytes=-5", "E0403", "must be >= 1 (got -5)");
  check_refused(on_one_node + "--bytes 1X", "E0403", "--bytes:1:");
  check_refused(on_one_node + "--queue-pairs 0", "E0403", "--queue-pairs:1:1");
  check_refused(on_one_node + "--format html", "E0404", "--format");
  check_refused(on_superpod + "--gpus 16 --fail spline:0", "E0321", "spline");
  check_refused(on_superpod + "--gpus 16 --fail spine:999", "E0321", "spine:999");
}

TEST_CASE("collective refuses machines that cannot be", "[cli][collective]") {
  check_refused(on_one_node + "--set accelerators=16", "E0304", "(/node/nics)");
  check_refused(torus + "--set 'fabric.torus.sides=[4,4,8]'", "E0308", "(/fabric/torus/sides)");
  check_refused("collective " + cluster("frontier") + "--set fabric.dragonfly.groups=900", "E0307",
                "(/fabric/dragonfly/groups)");
  check_refused(on_superpod + "--set acelerators=64", "E0402", "did you mean \"accelerators\"?");
  check_refused("collective '" CLUSTERWRIGHT_CONFIGS "/transformers/llama3-8b.json'", "E0105",
                "neither a cluster nor a scenario");
  check_refused("collective nothing.json", "E0401", "nothing.json");
  check_refused("collective", "E0404", "needs CLUSTER");
  check_refused(torus + "--gpus 60", "E0332", "do not form a block of the torus");
  check_refused(on_superpod + "--gpus 16 --op dispatch --experts 4 --top-k 8", "E0332", "cannot run here");
}

TEST_CASE("groups inside a node use the links between their own members", "[cli][collective]") {
  const std::string bridged = "collective " + cluster("a100-pcie") + "--gpus 2 --bytes 256M ";
  const auto row = [&](const std::string& options) { return json(bridged + options).at("rows").elements().front(); };
  const auto rate = [&](const std::string& options) { return row(options).at("busbw_gb_per_s").as_number(); };
  CHECK(row("--stride 1").at("limit").as_text() == "scale-up links");
  CHECK(row("--stride 2").at("limit").as_text() == "PCI Express");
  // Data sheets: 300 GB/s of a bridge, 31 through one switch, 22 between the sockets, which four groups share.
  CHECK(rate("--stride 1") > 100);
  CHECK(rate("--stride 2") == Approx(rate("--stride 4") * 31 / 22).epsilon(0.05));
  CHECK(rate("--stride 4 --concurrent 4") == Approx(rate("--stride 4") / 4).epsilon(0.05));
  CHECK(rate("--stride 4 --op send") < 22);
}

TEST_CASE("collective names what was typed and changes no time", "[cli][collective]") {
  const ProgramRoom room;
  const auto warnings = [&](const std::string& arguments) {
    std::string text;
    const JsonValue answer = room.run(arguments + " --format json").json();
    for (const JsonValue& one : answer.at("warnings").elements()) text += one.as_text() + "\n";
    return text;
  };
  const std::string idle = "given, but of no effect on these times: ";
  const std::string in_node = "collective --on 'DGX H100' --gpus 8 --bytes 1M..16M ";
  CHECK(warnings(in_node).find(idle) == std::string::npos);
  CHECK(warnings(in_node + "--set cluster.fabric.taper=7").find(idle + "--set cluster.fabric.taper=7\n") !=
        std::string::npos);
  CHECK(warnings(on_superpod + "--bytes 1G --queue-pairs 4 --seed 3").find(idle + "--seed 3; --queue-pairs 4\n") !=
        std::string::npos);
  const std::string hashed =
      "collective " + cluster("llama3-report") + "--gpus 1024 --bytes 1G --queue-pairs 4 --seed 3 ";
  CHECK(warnings(hashed + "--set fabric.hop_latency_us=1.5").find(idle) == std::string::npos);
}
