#include "calibration/measured_cluster.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

/// Between the data sheets of the switches in the catalog.
constexpr Seconds assumed_hop_latency = 0.6 * microsecond;
constexpr int any_size = 1 << 24;
/// Of one accelerator, where a network is named but not its rate: hosts of 100 Gbit/s or 200 Gbit/s with four chips.
constexpr BytesPerSecond assumed_host_network = 50 * gigabit_per_second;
/// An accelerator's NIC where nothing is said of an InfiniBand or Ethernet fabric.
constexpr BytesPerSecond assumed_network = 400 * gigabit_per_second;

/// The largest block of a scale-up domain that divides the job: jobs leave the rest of a rack out.
int filled_domain(int accelerators, int domain) {
  if (accelerators <= domain) return accelerators;
  for (int block = domain; block > 1; --block)
    if (accelerators % block == 0) return block;
  return 1;
}

/// Sides of a block of chips as square as it goes: two dimensions up to 256 chips, three beyond.
std::vector<int> torus_sides(int chips, int dimensions) {
  std::vector<int> sides;
  for (int left = chips; dimensions > 0; --dimensions) {
    int side = std::max(1, static_cast<int>(std::lround(std::pow(left, 1.0 / dimensions))));
    while (left % side != 0) --side;
    sides.push_back(side);
    left /= side;
  }
  return sides;
}

BytesPerSecond network_of(const MeasuredHardware& hardware) {
  if (hardware.scale_out) return *hardware.scale_out;
  return hardware.scale_out_kind == "dcn" ? assumed_host_network : assumed_network;
}

void describe_scale_up(const MeasuredHardware& hardware, NodeSpec& node) {
  const bool torus = hardware.scale_up_kind == "ici-torus";
  const int domain = filled_domain(hardware.accelerators, hardware.scale_up_domain);
  if (domain <= *node.accelerators) return;
  node.scale_up_domain = domain;
  if (torus) node.scale_up_torus = torus_sides(domain, domain > 256 ? 3 : 2);
}

}  // namespace

ClusterSpec measured_cluster(const MeasuredHardware& hardware) {
  ClusterSpec spec;
  spec.name = "as published";
  spec.accelerators = hardware.accelerators;
  spec.node.accelerator = hardware.accelerator;
  spec.node.accelerators = std::min(hardware.accelerators, hardware.accelerators_per_node);
  describe_scale_up(hardware, spec.node);
  const bool joined = hardware.scale_out_kind != "none";
  spec.node.nics = joined ? *spec.node.accelerators : 0;
  spec.node.nic = "ConnectX-7 NDR";  // the rate is given, so only the name counts
  if (joined) spec.node.nic_rate = network_of(hardware);
  const bool pods = hardware.pod_accelerators && hardware.oversubscription_above_pod;
  if (pods) spec.fabric.tiers.push_back({"pod", *hardware.pod_accelerators, *hardware.oversubscription_above_pod, ""});
  spec.fabric.tiers.push_back({"all", pods ? *hardware.pod_accelerators * 4096 : any_size, 1, ""});
  spec.fabric.hop_latency.value = assumed_hop_latency;
  return spec;
}

}  // namespace clusterwright
