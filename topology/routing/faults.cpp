// SPDX-License-Identifier: Apache-2.0
#include "topology/routing/faults.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

[[noreturn]] void refuse(std::string message, std::string help) {
  Diagnostic diagnostic;
  diagnostic.code = "E0321";
  diagnostic.message = std::move(message);
  diagnostic.help = std::move(help);
  throw ConfigError(std::move(diagnostic));
}

/// Reader of one fault, from its front.
class FaultReader {
 public:
  explicit FaultReader(std::string_view text) : whole_(text), rest_(text) {}

  Fault read() {
    Fault fault;
    fault.text = whole_;
    fault.part = part();
    if (next('-')) {
      fault.other = part();
      if (next('#')) fault.cable = number<int>();
    }
    if (next('=')) fault.left = number<double>();
    if (!rest_.empty() || !(fault.left >= 0 && fault.left <= 1)) fail();
    return fault;
  }

 private:
  Fault::Part part() {
    Fault::Part part;
    const std::size_t colon = rest_.find(':');
    if (colon == 0 || colon == std::string_view::npos) fail();
    part.tier = rest_.substr(0, colon);
    rest_.remove_prefix(colon + 1);
    part.number = number<int>();
    if (part.tier != "node") return part;
    if (!next('.')) fail();
    part.nic = number<int>();
    return part;
  }

  template <typename Number>
  Number number() {
    Number value{};
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || rest_.front() == '-') fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return value;
  }

  bool next(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  [[noreturn]] void fail() const {
    refuse(fmt::format("cannot read the fault \"{}\"", whole_),
           "write spine:2, leaf:0-spine:1, leaf:0-spine:1#0, node:5.3 (NIC 3 of node 5) or rail:3; append =0.5 for "
           "half the rate, at most =1; `run` also takes node:5 and gpu:40 for a dead node and accelerator");
  }

  std::string_view whole_;
  std::string_view rest_;
};

std::string what_exists(const NetworkGraph& graph) {
  std::string text = "tiers: ";
  for (const SwitchTier& tier : graph.tiers()) text += fmt::format("{} ({}), ", tier.name, tier.count);
  return text + fmt::format("node ({}, with {} NICs)", graph.nodes(), graph.rails());
}

[[noreturn]] void refuse_tier(const NetworkGraph& graph, const Fault& fault, const std::string& name) {
  std::vector<std::string> names{"node"};
  for (const SwitchTier& tier : graph.tiers()) names.push_back(tier.name);
  std::string help = what_exists(graph);
  if (name == "gpu") help += "; a dead accelerator ends the job: `run` says how it goes on";
  if (const std::string guess = did_you_mean(name, names); !guess.empty()) help += "; " + guess;
  refuse(fmt::format("the fault \"{}\" names a tier that the fabric does not have: \"{}\"", fault.text, name), help);
}

VertexId find(const NetworkGraph& graph, const Fault& fault, const Fault::Part& part) {
  if (part.tier == "node") {
    if (part.number < graph.nodes() && part.nic < graph.rails()) return graph.endpoint(NodeId(part.number), part.nic);
    refuse(fmt::format("the fault \"{}\" names a NIC that the cluster does not have: node {} nic {}", fault.text,
                       part.number, part.nic),
           what_exists(graph) + ", numbered from 0");
  }
  for (const SwitchTier& tier : graph.tiers()) {
    if (tier.name != part.tier) continue;
    if (static_cast<std::uint32_t>(part.number) < tier.count) return tier.first + part.number;
    refuse(fmt::format("the fault \"{}\" names a switch that the fabric does not have: {} {}", fault.text, part.tier,
                       part.number),
           what_exists(graph) + ", numbered from 0");
  }
  refuse_tier(graph, fault, part.tier);
}

/// Cables of all NICs with one number.
std::vector<LinkId> links_of_rail(const NetworkGraph& graph, const Fault& fault) {
  if (fault.part.number >= graph.rails())
    refuse(fmt::format("the fault \"{}\" names a rail that the cluster does not have", fault.text),
           fmt::format("nodes have {} NICs, numbered from 0", graph.rails()));
  std::vector<LinkId> links;
  for (const NodeId node : graph.node_ids())
    for (const LinkId link : graph.leaving(graph.endpoint(node, fault.part.number))) links.push_back(link);
  return links;
}

std::vector<LinkId> links_of(const NetworkGraph& graph, const Fault& fault) {
  if (fault.part.tier == "rail" && !fault.other) return links_of_rail(graph, fault);
  const VertexId a = find(graph, fault, fault.part);
  const auto leaving = graph.leaving(a);
  std::vector<LinkId> links(leaving.begin(), leaving.end());
  if (!fault.other) return links;
  const VertexId b = find(graph, fault, *fault.other);
  std::erase_if(links, [&](LinkId link) { return graph.to(link) != b; });
  if (links.empty())
    refuse(fmt::format("the fault \"{}\" names a cable that the fabric does not have: none joins {} and {}", fault.text,
                       graph.name(a), graph.name(b)),
           fmt::format("{} has cables to {}", graph.name(a), graph.name(graph.to(leaving.front()))));
  if (!fault.cable) return links;
  if (static_cast<std::size_t>(*fault.cable) >= links.size())
    refuse(fmt::format("the fault \"{}\" names a cable that the fabric does not have: {} and {} are joined by {}",
                       fault.text, graph.name(a), graph.name(b), links.size()),
           "count parallel cables from 0");
  return {links[static_cast<std::size_t>(*fault.cable)]};
}

}  // namespace

Fault parse_fault(std::string_view text) {
  return FaultReader(text).read();
}

void apply_fault(NetworkGraph& graph, const Fault& fault) {
  for (const LinkId link : links_of(graph, fault)) {
    if (fault.left == 0)
      graph.fail_link(link);
    else
      graph.slow_link(link, fault.left);
  }
}

}  // namespace clusterwright
