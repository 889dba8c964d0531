// SPDX-License-Identifier: Apache-2.0
/// Both ends of every cable that the bill buys: device and port.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/site/plant/site_plan.hpp"

namespace clusterwright {

/// Ports of a device that are numbered together.
enum class PortGroup : std::uint8_t { switch_port, network, console, uplink };

struct PatchEnd {
  DeviceId device;
  PortGroup group = PortGroup::switch_port;
  int port = 0;  ///< number in its group, from 1
};

/// Cable with its ends. A cable of several links has an end for each link; those of one side may be at one device.
struct PatchCable {
  CableTotalId total;
  std::vector<PatchEnd> lower, upper;
  Meters routed;  ///< longest of its links
  Meters bought;
};

/// Name of a port as printed on a label: "12" of a switch, "training 3" of a node, "console 1", "uplink 1".
std::string port_name(const SitePlan& plan, const PatchCable& cable, const PatchEnd& end);

/// One entry for each cable of the bill.
/// @pre the plan keeps its runs (SiteRequest::keep_runs)
std::vector<PatchCable> patch_list(const SitePlan& plan);

}  // namespace clusterwright
