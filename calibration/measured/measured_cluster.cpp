// SPDX-License-Identifier: Apache-2.0
#include "calibration/measured/measured_cluster.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace {

/// Latency of a hop, between the data sheets of the switches in the catalog.
constexpr Seconds assumed_hop_latency = 0.6 * microsecond;
constexpr int any_size = 1 << 24;  // or the largest multiple of a domain below
/// Network share of one accelerator where the network is named and its rate is not: hosts of 100 or 200 Gbit/s with
/// four chips.
constexpr BytesPerSecond assumed_host_network = 50 * gigabit_per_second;
/// NIC of an accelerator where the rate of an InfiniBand or Ethernet fabric is not published.
constexpr BytesPerSecond assumed_network = 400 * gigabit_per_second;

/// Chips of one of the equal slices of a pod that make up a job.
int slice(int accelerators, int pod) {
  int chips = std::min(accelerators, pod);
  while (accelerators % chips != 0) --chips;
  return chips;
}

/// Sides of a block of chips, as equal as possible.
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

constexpr const char* sheet_source = "data sheet that came with the measurement";

/// Power density of parts without published power, between the measured generations.
constexpr double assumed_density = 1.2;  // dense 16-bit TFLOP/s per watt

template <class T>
Sourced<T> from_sheet(T value) {
  return {value, sheet_source, false};
}

std::optional<AcceleratorPart> part_of_sheet(const MeasuredHardware& hardware) {
  AcceleratorPart part;
  part.id = hardware.accelerator;
  part.vendor = "not known";
  for (const auto& [format, rate] : hardware.peak_dense) part.peak_dense_tflops[format] = from_sheet(rate);
  const FlopsPerSecond rate = peak(part, NumberFormat::bf16);
  if (rate <= FlopsPerSecond{} || !hardware.memory_bandwidth || hardware.memory <= Bytes{}) return {};
  part.memory = from_sheet(hardware.memory);
  part.memory_bandwidth = from_sheet(*hardware.memory_bandwidth);
  part.power = from_sheet(hardware.power.value_or(rate / (1 * teraflop_per_second) / assumed_density * watt));
  part.scale_up_kind = hardware.scale_up_kind;
  if (hardware.scale_up) part.scale_up_bandwidth = from_sheet(*hardware.scale_up);
  part.scale_up_domain = from_sheet(hardware.scale_up_domain);
  const ScaleUpWiring wiring = hardware.scale_up_kind == "ici-torus" ? ScaleUpWiring::torus : ScaleUpWiring::switched;
  if (hardware.scale_up) part.scale_up = from_sheet(wiring);
  return part;
}

BytesPerSecond network_of(const MeasuredHardware& hardware) {
  if (hardware.scale_out) return *hardware.scale_out;
  return hardware.scale_out_kind == "dcn" ? assumed_host_network : assumed_network;
}

/// Transport by the word of the measurement set; published Ethernet clusters of accelerators move device memory.
Transport transport_of(const std::string& kind) {
  constexpr std::array<std::pair<std::string_view, Transport>, 6> known = {{{"roce", Transport::roce},
                                                                            {"gaudi-roce", Transport::roce},
                                                                            {"omni-path", Transport::omni_path},
                                                                            {"efa", Transport::efa},
                                                                            {"ethernet", Transport::tcp_device},
                                                                            {"slingshot", Transport::slingshot}}};
  for (const auto& [word, transport] : known)
    if (word == kind) return transport;
  return Transport::infiniband;
}

void describe_scale_up(const MeasuredHardware& hardware, NodeSpec& node) {
  const bool torus = hardware.scale_up_kind == "ici-torus";
  const int domain = torus ? slice(hardware.accelerators, hardware.scale_up_domain) : hardware.scale_up_domain;
  // A node may be a domain of its own where the catalog knows racks of its part.
  if (domain < *node.accelerators || hardware.scale_up_kind == "pcie" || hardware.scale_up_kind == "none") return;
  node.scale_up_domain = domain;
  if (torus) node.scale_up_torus = torus_sides(domain, domain > 256 ? 3 : 2);
}

}  // namespace

std::optional<AcceleratorPart> measured_part(const MeasuredHardware& hardware,
                                             const std::vector<AcceleratorPart>& catalog) {
  if (const AcceleratorPart* known = find_part(catalog, hardware.accelerator)) return *known;
  return part_of_sheet(hardware);
}

ClusterSpec measured_cluster(const MeasuredHardware& hardware, const std::vector<AcceleratorPart>& catalog) {
  ClusterSpec spec;
  const bool known = find_part(catalog, hardware.accelerator);
  if (const auto part = known ? std::nullopt : part_of_sheet(hardware)) spec.parts.emplace().accelerators = {*part};
  spec.name = "as published";
  spec.accelerators = hardware.accelerators;
  spec.node.accelerator = hardware.accelerator;
  const bool torus = hardware.scale_up_kind == "ici-torus";  // a slice is a machine of its own
  spec.node.accelerators =
      torus ? std::min(hardware.accelerators, hardware.accelerators_per_node) : hardware.accelerators_per_node;
  describe_scale_up(hardware, spec.node);
  const bool joined = hardware.scale_out_kind != "none";
  spec.node.nics = joined ? *spec.node.accelerators : 0;
  if (joined) spec.node.nic_rate = network_of(hardware);
  if (joined) spec.fabric.transport = transport_of(hardware.scale_out_kind);
  spec.node.pcie.nics = NicAttachment::accelerator;  // the published rate is what one accelerator has
  const bool pods = hardware.pod_accelerators && hardware.oversubscription_above_pod;
  if (pods) spec.fabric.tiers.push_back({"pod", *hardware.pod_accelerators, *hardware.oversubscription_above_pod, ""});
  const int unit = std::max(spec.node.scale_up_domain.value_or(1), *spec.node.accelerators);
  spec.fabric.tiers.push_back({"all", pods ? *hardware.pod_accelerators * 4096 : any_size / unit * unit, 1, ""});
  spec.fabric.hop_latency.value = assumed_hop_latency;
  return spec;
}

Cluster single_node(const AcceleratorPart& part, int accelerators) {
  ClusterSpec spec;
  spec.name = "one node";
  spec.accelerators = accelerators;
  spec.node.accelerator = part.id;
  spec.node.accelerators = accelerators;
  spec.node.nics = 0;
  spec.fabric.tiers.push_back({"all", accelerators, 1, ""});
  Catalog catalog;
  catalog.accelerators.push_back(part);
  return build_cluster(spec, catalog, JsonValue::object());
}

}  // namespace clusterwright
