// SPDX-License-Identifier: Apache-2.0
/// Contradictions in the description of a fabric.
#pragma once

#include <string>
#include <vector>

#include "topology/fabrics/fabric_spec.hpp"
#include "topology/fabrics/network_size.hpp"

namespace clusterwright {

/// One contradiction, before its place in the user's file is known.
struct FabricError {
  std::string code;
  std::string message;
  std::vector<std::string> pointers;  ///< JSON pointers relative to the cluster; the first is underlined
  std::string underline;
  std::string help;
};

/// Errors of one site of a fabric, collected by the check of its kind.
class FabricCheck {
 public:
  /// @param one_site  nodes of one site
  FabricCheck(const FabricSpec& fabric, const NetworkSize& one_site, const FabricPorts& switch_ports)
      : spec(fabric), size(one_site), ports(switch_ports) {}

  void error(std::string code, std::string message, std::vector<std::string> pointers, std::string help = {});

  /// E0306 where the cables of one switch exceed its ports.
  /// @param sum  sum of the cables as text
  void check_ports(long long needed, const std::string& sum, const std::string& pointer);
  /// E0316 where the nodes have more NICs than the switches have ports for them.
  void check_slots(const EndpointSlots& slots, const std::string& pointer);
  /// Groups of a dragonfly, and the ports of one group for cables to the others.
  struct Groups {
    int groups = 0;
    long long switches = 0;  ///< with such ports
    int links = 0;           ///< ports of each
    int per_pair = 0;        ///< stated cables between two groups; 0: none
  };
  /// E0307 where the global links of one group are fewer than the other groups, E0337 where the stated cables between
  /// groups exceed them.
  void check_groups(const Groups& dragonfly, const std::string& pointer);

  const FabricSpec& spec;
  const NetworkSize& size;
  const FabricPorts& ports;
  std::vector<FabricError> errors;
};

}  // namespace clusterwright
