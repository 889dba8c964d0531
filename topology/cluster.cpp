#include "topology/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace clusterwright {

namespace {

constexpr int usual_per_node = 8;

int node_accelerators(const NodeSpec& node) {
  return node.accelerators.value_or(usual_per_node);
}

int node_nics(const NodeSpec& node) {
  return node.nics.value_or(usual_per_node);
}

/// Checks a specification. Without JSON, as for a resized cluster, errors have no place.
class ClusterChecker {
 public:
  ClusterChecker(const ClusterSpec& spec, const JsonValue* source, std::string pointer)
      : spec_(spec), source_(source), pointer_(std::move(pointer)) {}

  void check_parts(const Catalog& catalog) {
    check_part(spec_.node.accelerator, ids_of(catalog.accelerators), "accelerator", "/node/accelerator");
    if (!spec_.node.nic.empty()) check_part(spec_.node.nic, ids_of(catalog.nics), "nic", "/node/nic");
    for (std::size_t t = 0; t < spec_.fabric.tiers.size(); ++t)
      if (const std::string& id = spec_.fabric.tiers[t].switch_part; !id.empty())
        check_part(id, ids_of(catalog.switches), "switch", fmt::format("/fabric/tiers/{}/switch", t));
  }

  void check_sizes() {
    if (spec_.accelerators < 1 || spec_.accelerators % node_accelerators(spec_.node) != 0)
      error("E0301",
            fmt::format("must be a multiple of the accelerators of a node (got {}, a node has {})", spec_.accelerators,
                        node_accelerators(spec_.node)),
            {"/accelerators", "/node/accelerators"});
    const auto& tiers = spec_.fabric.tiers;
    if (!tiers.empty() && spec_.accelerators > tiers.back().accelerators)
      error("E0302",
            fmt::format("does not fit the top tier (got {}, tier \"{}\" joins {})", spec_.accelerators,
                        tiers.back().name, tiers.back().accelerators),
            {"/accelerators", fmt::format("/fabric/tiers/{}/accelerators", tiers.size() - 1)});
  }

  void check_nesting() {
    int below = node_accelerators(spec_.node);
    std::string below_name = "a node", below_pointer = "/node/accelerators";
    for (std::size_t t = 0; t < spec_.fabric.tiers.size(); ++t) {
      const TierSpec& tier = spec_.fabric.tiers[t];
      const std::string pointer = fmt::format("/fabric/tiers/{}/accelerators", t);
      if (tier.accelerators % below != 0)
        error("E0303",
              fmt::format("tiers must nest: a multiple of {} (got {}, {} has {})", below, tier.accelerators, below_name,
                          below),
              {pointer, below_pointer});
      below = tier.accelerators;
      below_name = fmt::format("tier \"{}\"", tier.name);
      below_pointer = pointer;
    }
  }

  /// Several nodes need NICs of a known rate, a transport, and tiers.
  void check_network() {
    const int nodes = spec_.accelerators / node_accelerators(spec_.node);
    if (nodes <= 1) return;
    const auto missing = [&](const char* what, const char* pointer) {
      error("E0304", fmt::format("{} nodes need a network: {}", nodes, what), {pointer});
    };
    if (node_nics(spec_.node) == 0) missing("no NICs are given", "/node/nics");
    if (spec_.node.nic.empty() && !spec_.node.nic_rate) missing("neither a NIC part nor its rate is given", "/node");
    if (spec_.fabric.transport == Transport::none) missing("the transport is \"none\"", "/fabric/transport");
    if (spec_.fabric.tiers.empty()) missing("no tiers are given", "/fabric");
  }

  void finish() {
    if (!errors_.empty()) throw ConfigError(std::move(errors_));
  }

 private:
  void check_part(const std::string& id, const std::vector<std::string>& known, std::string_view kind,
                  const std::string& pointer) {
    if (std::find(known.begin(), known.end(), id) != known.end()) return;
    const std::string_view plural = kind == "switch" ? "es" : "s";
    const std::string suggestion = did_you_mean(id, known);
    error("E0203", fmt::format("unknown {} \"{}\"", kind, id.substr(0, 60)), {pointer}, "not in the catalog",
          fmt::format("{}{}(list all: clusterwright catalog {}{})", suggestion, suggestion.empty() ? "" : "   ", kind,
                      plural));
  }

  void error(std::string code, std::string message, const std::vector<std::string>& pointers,
             std::string underline = {}, std::string help = {}) {
    std::vector<Place> places;
    for (const std::string& pointer : pointers)
      if (source_) places.push_back(place_of(pointer));
    errors_.push_back({std::move(code), std::move(message), std::move(places), std::move(underline), std::move(help)});
  }

  /// Of the value, or of what it is missing in when it was left to its default.
  Place place_of(std::string pointer) const {
    const JsonValue* value = source_->at_pointer(pointer);
    while (!value) {
      pointer.erase(pointer.rfind('/'));
      value = source_->at_pointer(pointer);
    }
    // A node or fabric that was read from a file of its own starts a new pointer there.
    for (std::size_t end = pointer.find('/', 1); value->source != source_->source && end != std::string::npos;
         end = pointer.find('/', end + 1))
      if (source_->at_pointer(pointer.substr(0, end))->source == value->source)
        return value->place(pointer.substr(end));
    return value->place(pointer_ + pointer);
  }

  const ClusterSpec& spec_;
  const JsonValue* source_;
  std::string pointer_;
  std::vector<Diagnostic> errors_;
};

BytesPerSecond nic_bandwidth(const NodeSpec& node, const Catalog& catalog) {
  if (node_nics(node) == 0) return {};
  if (node.nic_rate) return *node.nic_rate;
  const NicPart* nic = catalog.find_nic(node.nic);
  return nic ? nic->rate.value : BytesPerSecond{};
}

}  // namespace

Cluster build_cluster(const ClusterSpec& spec, const Catalog& catalog, const JsonValue& source,
                      const std::string& pointer) {
  ClusterChecker checker(spec, &source, pointer);
  checker.check_parts(catalog);
  checker.check_sizes();
  checker.check_nesting();
  checker.check_network();
  checker.finish();
  Cluster cluster;
  cluster.spec = spec;
  cluster.node_accelerators = node_accelerators(spec.node);
  cluster.nics = node_nics(spec.node);
  cluster.accelerator = *catalog.find_accelerator(spec.node.accelerator);
  if (const auto& links = cluster.accelerator.scale_up_bandwidth) cluster.scale_up_bandwidth = links->value;
  cluster.nic_bandwidth = nic_bandwidth(spec.node, catalog);
  cluster.fabric = make_fabric_tiers(spec.fabric, cluster.network_per_accelerator());
  return cluster;
}

Cluster resized(const Cluster& cluster, int accelerators) {
  Cluster other = cluster;
  other.spec.accelerators = accelerators;
  ClusterChecker checker(other.spec, nullptr, "");
  checker.check_sizes();
  checker.check_network();
  checker.finish();
  return other;
}

}  // namespace clusterwright
