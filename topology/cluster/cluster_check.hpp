// SPDX-License-Identifier: Apache-2.0
/// Contradictions in a cluster's description.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json_value.hpp"
#include "topology/cluster/cluster_spec.hpp"
#include "topology/cluster/domain_blocks.hpp"
#include "topology/fabrics/network_size.hpp"
#include "topology/parts/catalog.hpp"
#include "topology/rules/part_rule.hpp"

namespace clusterwright {

/// Nodes that are alike, as written. The first group gets the accelerators that `also` leaves.
struct NodeGroupSpec {
  const NodeSpec* node = nullptr;
  int accelerators = 0;
  std::string node_pointer;   ///< "/node", "/also/0/node"
  std::string count_pointer;  ///< place of the number of accelerators
};
std::vector<NodeGroupSpec> node_groups(const ClusterSpec& spec);

/// Collects errors with their places. Without JSON, as for a resized cluster, they have none.
class ClusterChecker {
 public:
  /// @param written  as the user wrote it
  /// @param filled   with what parts say; may be the same object
  /// @param pointer  of `source` in its file, such as "/cluster"; empty if it is the whole file
  ClusterChecker(const ClusterSpec& written, const ClusterSpec& filled, const Catalog& catalog, const JsonValue* source,
                 std::string pointer, BlockRequest request)
      : written_(written),
        spec_(filled),
        catalog_(catalog),
        source_(source),
        pointer_(std::move(pointer)),
        request_(std::move(request)) {}

  /// Ids of the cluster's own parts are new, and its nodes name parts that exist.
  void check_own_parts();
  void check_parts();
  void check_wiring();
  void check_sizes();
  void check_nesting();
  /// Several domains need NICs of a known rate, a transport, and tiers.
  void check_network();
  /// Numbers of the fabric's kind. Checked only without errors so far, because they build on the sizes.
  /// @param nic_rate  that one NIC reaches
  void check_fabric_numbers(const FabricPorts& ports, BytesPerSecond nic_rate);
  /// Rules between parts that plug into each other (topology/rules/).
  void check_rules(const FabricPorts& ports);
  const std::vector<std::string>& remarks() const { return remarks_; }
  /// Nodes that the network joins; nothing while there are errors. @param cable_rate  of a NIC's cable, one direction
  std::optional<NetworkSize> network_size(BytesPerSecond cable_rate) const;
  DomainShape shape() const;

  /// @throws ConfigError with all errors so far
  void finish();

  /// Accelerators of each domain that the job uses; nothing if the number does not allow any, or in mixed clusters.
  std::optional<DomainBlocks> blocks() const;

 private:
  void check_new(const std::vector<std::string>& own, const std::vector<std::string>& all, std::string_view list);
  void check_node_parts(const NodeSpec& written, const NodeSpec& filled, const std::string& pointer);
  void check_contradiction(const NodeSpec& written, const NodePart& part, const std::string& pointer);
  void check_machine(const NodePart& part, const std::string& pointer);
  void check_part(const std::string& id, const std::vector<std::string>& known, std::string_view kind,
                  const std::string& pointer);
  /// Errors, and remarks of rules that only warn.
  void report(const std::vector<RuleFinding>& findings);
  void check_likeness();
  void check_slow();
  void check_tier_sizes(const NetworkSize& size, const FabricPorts& ports);
  void check_node_wiring(const NodeSpec& node, const std::string& pointer);
  void check_blocks();
  int installed() const;
  int machine() const;
  int places() const;
  void check_machine_nodes();
  int sites() const { return spec_.fabric.sites ? spec_.fabric.sites->count : 1; }  ///< one tree each
  void error(std::string code, std::string message, const std::vector<std::string>& pointers,
             std::string underline = {}, std::string help = {});
  Place place_of(std::string pointer) const;

  const ClusterSpec& written_;
  const ClusterSpec& spec_;
  const Catalog& catalog_;
  const JsonValue* source_;
  std::string pointer_;
  BlockRequest request_;
  std::vector<Diagnostic> errors_;
  std::vector<std::string> remarks_;
};

}  // namespace clusterwright
