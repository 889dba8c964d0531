// SPDX-License-Identifier: Apache-2.0
/// Plays one flow case and prints a line of JSON: flow_bench CASE HOSTS [K [LATENCY_NS]].
///
/// finish_s is the instant at which the last flow ends, events the number of instants at which rates were settled,
/// cpu_s the processor time of the process for laying out and playing the flows.
#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "support/flow_cases.hpp"
#include "support/played_flows.hpp"

namespace {

using namespace clusterwright;
using namespace clusterwright::testing;

constexpr const char* usage =
    "usage: flow_bench CASE HOSTS [K [LATENCY_NS]]\n"
    "  CASE        perm, permeq, churn (these take K), a2a, a2as, arb, ara, ring\n"
    "  HOSTS       8, 16, 32, 64, 128, 256, 512, 1024, 2048 or 4096\n"
    "  K           rounds, or senders on each host; default 1\n"
    "  LATENCY_NS  of each link; default 500 for permeq, arb, ara and ring, else 0\n";

struct Request {
  std::string_view name;
  FatTreeShape shape{};
  std::uint32_t k = 1;
  std::uint32_t latency_ns = 0;
};

int refuse(const std::string& message) {
  fmt::print(stderr, "flow_bench: {}\n{}", message, usage);
  return 2;
}

std::optional<std::uint32_t> whole_number(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// @return what is wrong, or nothing
std::string read(std::span<char*> arguments, Request& request) {
  if (arguments.size() < 2) return "CASE and HOSTS are missing";
  if (arguments.size() > 4) return fmt::format("unexpected argument \"{}\"", arguments[4]);
  request.name = arguments[0];
  if (!flow_case(request.name, 8, 1)) return fmt::format("unknown case \"{}\"", request.name);
  const auto shape = fat_tree_shape(whole_number(arguments[1]).value_or(0));
  if (!shape) return fmt::format("no fat tree has \"{}\" hosts", arguments[1]);
  request.shape = *shape;
  const auto k = arguments.size() > 2 ? whole_number(arguments[2]) : 1;
  if (!k || *k < 1 || *k > 1000) return fmt::format("K must be from 1 to 1000 (got \"{}\")", arguments[2]);
  if (*k > 1 && !takes_rounds(request.name)) return fmt::format("K must be 1 for {} (got {})", request.name, *k);
  request.k = *k;
  const auto latency = arguments.size() > 3 ? whole_number(arguments[3]) : usual_latency(request.name);
  if (!latency || *latency > 1'000'000'000)
    return fmt::format("LATENCY_NS must be from 0 to 1000000000 (got \"{}\")", arguments[3]);
  request.latency_ns = *latency;
  return "";
}

void play(const Request& request) {
  const std::clock_t begin = std::clock();
  const auto flows = flow_case(request.name, request.shape.hosts(), request.k);
  PlayedFlows played(request.shape, *flows, request.latency_ns);
  const auto [finish] = played.play();
  fmt::print("{{\"case\":\"{}\",\"hosts\":{},\"events\":{},\"finish_s\":{}.{:015},\"cpu_s\":{:.6f}}}\n", request.name,
             request.shape.hosts(), played.replay().instants(), finish / femtoseconds_per_second,
             finish % femtoseconds_per_second, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
}

}  // namespace

int main(int argc, char** argv) {
  Request request;
  const std::string wrong = read({argv + 1, argv + argc}, request);
  if (!wrong.empty()) return refuse(wrong);
  play(request);
  return 0;
}
