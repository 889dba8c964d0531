// SPDX-License-Identifier: Apache-2.0
// Choice of algorithm and protocol as NCCL makes it: an estimate for each pair that the group can run, and the fastest
// wins.
//
//   1. Search (nccl_machine). Channels get the largest bandwidth of NCCL's tables that a NIC carries. There are as many
//      as the links inside a node can feed, at most one per NIC. Without a network the scale-up links decide. Fast
//      channels are split in two. The graph search of NCCL itself is not repeated.
//   2. Bandwidth. Bus bandwidth is channels times channel bandwidth, less a share and a ceiling by protocol, generation
//      and number of nodes. Algorithm bandwidth is bus * ranks / steps, and bus / 2 for an all-reduce by trees, whose
//      middle sizes pay a correction, interpolated between NCCL's steps.
//   3. Latency. A base by algorithm and protocol, and hops inside nodes and between them.
//   4. time = latency + payload / algorithm bandwidth.
//
// Invariant: estimates are sorted by time, and equal ones keep NCCL's order of algorithms, then of protocols.
//
// Example: all-reduce of 4 nodes with 8 H100, 450 GB/s of NVLink and one NIC of 50 GB/s each. NCCL counts 0.824 * 450 =
// 370.8 GB/s of NVLink. Channels of 48 GB/s between nodes: 8 of them, bus bandwidth 384 GB/s.
//   ring, Simple   2 * 31 = 62 steps: 384 * 32 / 62 = 198 GB/s. 8.4 us + 1.4 (56 * 3.4 + 6 * 14) us = 393 us.
//   tree, LL       min(8 * 36 / 3.8, 20.4) = 20.4 GB/s. 6.8 us + 2 (7 * 0.6 + 2 * 5) us = 35 us.
//   NVLS tree      8 heads * 45.5 = 364 GB/s, 188 GB/s by 32 / 62. 25 us + 4 * 20.9 us = 109 us.
// At 64 KiB the tree takes 35 + 65,536 / 6.1 GB/s (half the bus, correction 0.6) = 46 us, the NVLS tree 109 us and the
// ring 393 us: tree with LL. At 100 MB the NVLS tree takes 641 us and the ring 897 us: NVLS tree.
//
// Source: github.com/NVIDIA/nccl 2.30.7, src/graph/tuning.cc and search.cc; constants in nccl_constants.hpp.
#include "models/kernels/collectives/nccl_tuner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "models/kernels/collectives/nccl_constants.hpp"

namespace clusterwright {

NcclGeneration nccl_generation(const AcceleratorPart& part) {
  const std::string& name = part.architecture;
  if (name.starts_with("Volta")) return NcclGeneration::volta;
  if (name.starts_with("Hopper")) return NcclGeneration::hopper;
  if (name.starts_with("Blackwell")) return NcclGeneration::blackwell;
  return NcclGeneration::ampere;
}

bool runs_nccl(const AcceleratorPart& part) {
  constexpr std::array<std::string_view, 5> with_own_library = {"AWS", "Cerebras", "Google", "Groq", "Intel"};
  return std::ranges::find(with_own_library, part.vendor) == with_own_library.end();
}

bool reduces_in_switch(const AcceleratorPart& part) {
  return nccl_generation(part) >= NcclGeneration::hopper && part.scale_up_kind.starts_with("NVLink") &&
         !part.scale_up_kind.ends_with("bridge");
}

namespace {

template <class Table>
const auto& of(const Table& table, Algorithm algorithm) {
  return table[static_cast<std::size_t>(algorithm)];
}

/// Group and machine that one call is tuned for.
class Tuner {
 public:
  Tuner(CollectiveOp op, Bytes payload, int nodes, int per_node, const NcclMachine& machine)
      : op_(op), payload_(payload), nodes_(nodes), per_node_(per_node), ranks_(nodes * per_node), machine_(machine) {
    column_ = static_cast<std::size_t>(nodes <= 1 ? 0 : (nodes == 2 ? 1 : 2));
    generation_ = static_cast<std::size_t>(machine.generation);
    all_reduce_ = op == CollectiveOp::all_reduce;
    steps_ = all_reduce_ ? 2 * (ranks_ - 1) : (op == CollectiveOp::broadcast ? ranks_ : ranks_ - 1);
  }

  bool offers(Algorithm algorithm, Protocol protocol) const;
  TunerEstimate estimate(Algorithm algorithm, Protocol protocol) const;

 private:
  bool offers_nvls(Algorithm algorithm) const;
  double ring_bandwidth(Protocol protocol) const;
  double tree_bandwidth(Protocol protocol) const;
  double nvls_bandwidth(bool tree) const;
  double collnet_bandwidth(Algorithm algorithm) const;
  double bus_bandwidth(Algorithm algorithm, Protocol protocol) const;
  double algorithm_bandwidth(Algorithm algorithm, double bus) const;
  double latency(Algorithm algorithm, Protocol protocol) const;
  double ring_latency(Protocol protocol) const;
  double plateau() const;
  double hop_inside(Algorithm algorithm, Protocol protocol) const;
  double hop_between(Algorithm algorithm, Protocol protocol) const;
  double all_channels() const {
    return machine_.channels * (nodes_ > 1 ? machine_.inter : machine_.intra).in(gigabyte_per_second);
  }
  double low_latency_ceiling() const;
  double tree_correction(Protocol protocol) const;

  CollectiveOp op_;
  Bytes payload_;
  int nodes_, per_node_, ranks_;
  const NcclMachine& machine_;
  std::size_t column_, generation_;
  bool all_reduce_;
  int steps_;
};

bool Tuner::offers_nvls(Algorithm algorithm) const {
  if (machine_.nvls_heads == 0 || per_node_ < 2) return false;
  if (algorithm == Algorithm::nvls_tree) return all_reduce_ && nodes_ > 1;
  return op_ != CollectiveOp::broadcast && (nodes_ == 1 || machine_.collnet_rails > 0);
}

bool Tuner::offers(Algorithm algorithm, Protocol protocol) const {
  const bool simple = protocol == Protocol::simple;
  if (protocol == Protocol::ll128 && !machine_.nvlink && per_node_ > 1) return false;
  switch (algorithm) {
    case Algorithm::ring:
      return true;
    case Algorithm::tree:
      return all_reduce_;
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
      return simple && offers_nvls(algorithm);
    case Algorithm::collnet_direct:
      return simple && nodes_ > 1 && machine_.collnet_rails > 0 && op_ != CollectiveOp::broadcast;
    case Algorithm::collnet_chain:
      return simple && nodes_ > 1 && machine_.collnet_rails > 0 && all_reduce_;
    case Algorithm::pat:
      return simple && per_node_ == 1 && nodes_ > 1 &&
             (op_ == CollectiveOp::all_gather || op_ == CollectiveOp::reduce_scatter);
    default:
      return false;
  }
}

double Tuner::low_latency_ceiling() const {
  if (nodes_ == 1) return nccl::ll_ceiling_one_node[generation_];
  return (machine_.amd_host ? nccl::ll_ceiling_amd : nccl::ll_ceiling_intel)[column_];
}

double Tuner::ring_bandwidth(Protocol protocol) const {
  const double plain = all_channels();
  if (protocol == Protocol::ll) return std::min(low_latency_ceiling(), 0.5 * plain);
  if (protocol == Protocol::ll128)
    return std::min(0.92 * plain, machine_.channels * nccl::ring_ll128_per_channel[generation_]);
  return plain;
}

/// NCCL's value at powers of two; interpolated between them, where its steps would let times fall.
double Tuner::tree_correction(Protocol protocol) const {
  const auto& table = nccl::tree_correction[static_cast<std::size_t>(protocol)];
  const double power = std::log2(payload_.in(byte) / 64);
  const auto at = [&](double whole) {
    return whole < 0 || whole >= static_cast<double>(table.size()) ? 1.0 : table[static_cast<std::size_t>(whole)];
  };
  const double below = std::floor(power);
  return std::lerp(at(below), at(below + 1), power - below);
}

double Tuner::tree_bandwidth(Protocol protocol) const {
  const double channels = machine_.channels;
  const double simple = std::min(0.92 * all_channels(), channels * nccl::tree_simple_per_channel[generation_][column_]);
  if (protocol == Protocol::ll) return std::min(simple / 3.8, low_latency_ceiling());
  if (protocol == Protocol::simple) return simple;
  return std::min(simple * (nodes_ == 1 ? 7.0 / 9 : 120.0 / 128),
                  channels * nccl::tree_ll128_per_channel[generation_][column_]);
}

/// Bus bandwidth with one channel for each head, a rank of a node.
double Tuner::nvls_bandwidth(bool tree) const {
  const double heads = machine_.nvls_heads;
  const double reduced = machine_.nvls_intra.in(gigabyte_per_second)*nccl::nvls_efficiency[generation_];
  const double inside =
      all_reduce_ ? reduced * (heads - 1) / heads * 2 : reduced * (per_node_ - 1) / static_cast<double>(per_node_);
  if (nodes_ == 1) return heads * inside;
  const double rails = machine_.nvls_inter.in(gigabyte_per_second) / heads * (tree && nodes_ == 2 ? 2 : 1);
  const double limit = tree ? nccl::nvls_tree_per_channel[generation_][column_] : rails;
  return heads * std::min({inside, rails, limit});
}

double Tuner::collnet_bandwidth(Algorithm algorithm) const {
  const double intra = machine_.intra.in(gigabyte_per_second);
  if (algorithm == Algorithm::collnet_chain) return machine_.channels * intra;
  if (!all_reduce_) return per_node_ * std::min(intra, 0.9 * machine_.inter.in(gigabyte_per_second));
  const double imbalance = std::max(1.0, per_node_ / static_cast<double>(machine_.collnet_rails));
  return machine_.channels * intra / imbalance * (machine_.generation >= NcclGeneration::hopper ? 0.85 : 1);
}

double Tuner::bus_bandwidth(Algorithm algorithm, Protocol protocol) const {
  switch (algorithm) {
    case Algorithm::tree:
      return tree_bandwidth(protocol);
    case Algorithm::nvls:
    case Algorithm::nvls_tree:
      return nvls_bandwidth(algorithm == Algorithm::nvls_tree);
    case Algorithm::collnet_direct:
    case Algorithm::collnet_chain:
      return collnet_bandwidth(algorithm);
    case Algorithm::pat:
      return 0.75 * all_channels();
    default:
      return ring_bandwidth(protocol);
  }
}

double Tuner::algorithm_bandwidth(Algorithm algorithm, double bus) const {
  const bool halves =
      algorithm == Algorithm::tree || algorithm == Algorithm::collnet_direct || algorithm == Algorithm::collnet_chain;
  if (all_reduce_ && halves) return bus / 2;
  const bool unscaled =
      algorithm == Algorithm::nvls || algorithm == Algorithm::collnet_direct || algorithm == Algorithm::pat;
  if (!all_reduce_ && unscaled) return bus;
  return bus * ranks_ / steps_;
}

double Tuner::hop_inside(Algorithm algorithm, Protocol protocol) const {
  const auto& table = machine_.nvlink ? nccl::nvlink_hop : nccl::pcie_hop;
  return of(table, algorithm)[static_cast<std::size_t>(protocol)];
}

double Tuner::hop_between(Algorithm algorithm, Protocol protocol) const {
  const Algorithm row = per_node_ == 1 ? Algorithm::tree : algorithm;
  const double nic = machine_.nic_latency.in(microsecond) * (protocol == Protocol::simple ? 2 : 1);
  return of(nccl::network_hop, row)[static_cast<std::size_t>(protocol)] + nic;
}

double Tuner::ring_latency(Protocol protocol) const {
  const bool simple = protocol == Protocol::simple;
  const int between = nodes_ == 1 ? 0 : (all_reduce_ ? 2 : 1) * (nodes_ - 1);
  const double post = nodes_ == 1 ? 0 : (machine_.amd_host ? 2 : 1) * (simple ? 3 : 1);
  const double hops = (steps_ - between) * std::max(hop_inside(Algorithm::ring, protocol), post) +
                      between * hop_between(Algorithm::ring, protocol);
  return hops * (simple ? plateau() : 1);
}

/// Slower hops of bulk rings between nodes: NCCL's step at 64 bytes per rank and channel, reached over one doubling.
double Tuner::plateau() const {
  if (nodes_ == 1 || !all_reduce_) return 1;
  const double doublings = std::log2(payload_.in(byte) / (64.0 * machine_.channels * ranks_));
  return std::lerp(1, machine_.generation == NcclGeneration::volta ? 1.9 : 1.4, std::clamp(doublings + 1, 0.0, 1.0));
}

double Tuner::latency(Algorithm algorithm, Protocol protocol) const {
  const double inside = hop_inside(algorithm, protocol);
  const double between = nodes_ > 1 ? hop_between(algorithm, protocol) : 0;
  const double levels = std::floor(std::log2(static_cast<double>(nodes_)));
  switch (algorithm) {
    case Algorithm::tree:
      return 2 * ((per_node_ - 1) * inside + levels * between);
    case Algorithm::nvls:
      return inside + between;
    case Algorithm::nvls_tree:
      return inside + 2 * levels * between;
    case Algorithm::collnet_direct:
      return 2 * (std::min(1, per_node_ - 1) * inside + 0.4 * (per_node_ - 1)) + between;
    case Algorithm::collnet_chain:
      return 2 * (per_node_ - 1) * inside + between;
    case Algorithm::pat:
      return levels * between / 3.5 + 2.8 * ranks_;
    default:
      return ring_latency(protocol);
  }
}

TunerEstimate Tuner::estimate(Algorithm algorithm, Protocol protocol) const {
  const double bus = bus_bandwidth(algorithm, protocol);
  const double corrected = algorithm == Algorithm::tree ? bus * tree_correction(protocol) : bus;
  const Seconds fixed =
      (of(nccl::base_latency, algorithm)[static_cast<std::size_t>(protocol)] + latency(algorithm, protocol)) *
      microsecond;
  const BytesPerSecond rate = algorithm_bandwidth(algorithm, corrected) * gigabyte_per_second;
  return {algorithm, protocol, fixed, bus * gigabyte_per_second, fixed + payload_ / rate};
}

template <class Steps>
double largest_step(const Steps& steps, double limit) {
  for (const double step : steps)
    if (step <= limit) return step;
  return limit;
}

double inter_step(NcclGeneration generation, double limit) {
  if (generation == NcclGeneration::hopper) return largest_step(nccl::inter_steps_hopper, limit);
  if (generation == NcclGeneration::blackwell) return largest_step(nccl::inter_steps_blackwell, limit);
  return largest_step(nccl::inter_steps_before, limit);
}

double intra_step(NcclGeneration generation, double limit) {
  if (generation == NcclGeneration::hopper) return largest_step(nccl::intra_steps_hopper, limit);
  if (generation == NcclGeneration::blackwell) return largest_step(nccl::intra_steps_blackwell, limit);
  return largest_step(nccl::intra_steps_before, limit);
}

/// Fast channels are split in two.
void split(NcclMachine& machine) {
  const double rate = std::max(machine.intra, machine.inter).in(gigabyte_per_second);
  const bool hopper = machine.generation == NcclGeneration::hopper;
  if (rate < nccl::splits_from || 2 * machine.channels > nccl::most_channels) return;
  if (hopper && rate < nccl::hopper_splits_from && machine.channels > nccl::hopper_few_channels) return;
  machine.channels *= 2;
  machine.intra = machine.intra / 2;
  machine.inter = machine.inter / 2;
}

}  // namespace

NcclMachine nccl_machine(NcclGeneration generation, bool nvlink, int nvls_heads, BytesPerSecond scale_up, int nics,
                         BytesPerSecond network_per_node) {
  NcclMachine machine;
  machine.generation = generation;
  machine.nvlink = nvlink;
  const double share = nvlink ? nccl::nvlink_share[static_cast<std::size_t>(generation)] : nccl::pcie_share;
  const double links = scale_up.in(gigabyte_per_second)*share;
  if (nics > 0 && network_per_node > BytesPerSecond{}) {
    const double inter = inter_step(generation, network_per_node.in(gigabyte_per_second) / nics);
    // One NIC for each channel, as long as the links inside can feed them.
    machine.channels = std::clamp(static_cast<int>(std::ceil(links / inter)), 1, nics);
    machine.inter = inter * gigabyte_per_second;
    machine.intra = std::min(inter, links / machine.channels) * gigabyte_per_second;
  } else {
    const double intra = intra_step(generation, links);
    machine.channels = std::max(1, static_cast<int>(links / intra));
    machine.intra = intra * gigabyte_per_second;
  }
  split(machine);
  if (nvls_heads < 2) return machine;
  machine.nvls_heads = std::min(nvls_heads, nccl::most_nvls_heads);
  machine.nvls_intra = intra_step(generation, links / (machine.nvls_heads + 1)) * gigabyte_per_second;
  machine.nvls_inter = nics * inter_step(generation, nics > 0 ? network_per_node.in(gigabyte_per_second) / nics : 0) *
                       gigabyte_per_second;
  return machine;
}

NcclMachine machine_of_many_channels(NcclGeneration generation, BytesPerSecond scale_up,
                                     BytesPerSecond network_per_node) {
  NcclMachine machine;
  machine.generation = generation;
  machine.channels = nccl::most_channels;
  machine.inter = network_per_node / machine.channels;
  machine.intra = std::min(machine.inter, scale_up / machine.channels);
  return machine;
}

std::vector<TunerEstimate> nccl_estimates(CollectiveOp op, Bytes payload, int nodes, int per_node,
                                          const NcclMachine& machine) {
  if (nodes * per_node < 2 || op == CollectiveOp::all_to_all || op == CollectiveOp::send) return {};
  const Tuner tuner(op, payload, nodes, per_node, machine);
  std::vector<TunerEstimate> out;
  for (std::size_t a = 0; a < nccl_algorithm_count; ++a)
    for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple})
      if (const auto algorithm = static_cast<Algorithm>(a); tuner.offers(algorithm, protocol))
        out.push_back(tuner.estimate(algorithm, protocol));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  return out;
}

BytesPerSecond nvls_tree_ceiling(const NcclMachine& machine, int nodes) {
  const auto& row = nccl::nvls_tree_per_channel[static_cast<std::size_t>(machine.generation)];
  const double per_channel = row[nodes <= 2 ? 1 : 2];
  constexpr double unknown = 1e9;
  return (per_channel > 0 ? machine.nvls_heads * per_channel : unknown) * gigabyte_per_second;
}

}  // namespace clusterwright
