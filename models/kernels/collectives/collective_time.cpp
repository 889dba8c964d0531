// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/collective_time.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "sim/interval.hpp"

namespace clusterwright {

Bytes ring_wire(CollectiveOp op, Bytes payload, int ranks) {
  if (op == CollectiveOp::send || op == CollectiveOp::broadcast) return payload;
  return passes(op) * payload * static_cast<double>(ranks - 1) / static_cast<double>(ranks);
}

Bytes switch_wire(Bytes payload, int ranks) {
  return payload * static_cast<double>(ranks + 1) / static_cast<double>(ranks);
}

BytesPerSecond bulk_rate(const CollectiveParameters& curve, int ranks, BytesPerSecond link) {
  return link * curve.bandwidth_share.value * (1 - curve.small_group_loss.value * 2 / std::max(ranks, 2));
}

BytesPerSecond curve_rate(const CollectiveParameters& curve, Bytes wire, int ranks, BytesPerSecond link) {
  const double ramp = std::pow(curve.half_time.value * link / wire, curve.ramp_exponent.value);
  return bulk_rate(curve, ranks, link) / (1 + ramp);
}

Seconds curve_latency(const CollectiveParameters& curve, int ranks) {
  return curve.base_latency.value + curve.rank_latency.value * static_cast<double>(ranks - 1);
}

double payload_share(Protocol protocol) {
  if (protocol == Protocol::ll) return 0.5;
  return protocol == Protocol::ll128 ? 120.0 / 128 : 1;
}

namespace {

const std::string switch_curve = "all_reduce_switch";

/// Everything that one formula needs.
struct Setting {
  CollectiveOp op;
  Bytes payload;
  const GroupShape& group;
  const GroupLinks& links;
  const std::map<std::string, CollectiveParameters>& curves;
  const NetworkParameters& network;

  const CollectiveParameters& curve() const { return curves.at(curve_name(op)); }
  Bytes wire() const { return ring_wire(op, payload, group.ranks()); }
};

bool reduces_in_switch(Algorithm algorithm) {
  return algorithm == Algorithm::nvls || algorithm == Algorithm::nvls_tree;
}

/// Latency that NCCL's tuner gives to a protocol beyond LL; zero where LL is not offered.
Seconds beyond_ll(const TunerEstimate& chosen, const std::vector<TunerEstimate>& estimates) {
  for (const TunerEstimate& one : estimates)
    if (one.algorithm == chosen.algorithm && one.protocol == Protocol::ll) return chosen.latency - one.latency;
  return {};
}

/// Sets latency and rate of the protocol, on a curve that knows protocols.
void price_protocol(const CollectiveParameters& curve, int ranks, BytesPerSecond link, const TunerEstimate& chosen,
                    const std::vector<TunerEstimate>& estimates, CollectiveTiming& timing) {
  if (curve.low_latency_share.value <= 0) return;
  timing.latency += curve.simple_latency.value * beyond_ll(chosen, estimates);
  if (chosen.protocol == Protocol::simple) return;
  const double group_share = 1 - curve.small_group_loss.value * 2 / std::max(ranks, 2);
  timing.rate = link * curve.low_latency_share.value * payload_share(chosen.protocol) * group_share;
}

CollectiveTiming inside_domain(const Setting& at, const TunerEstimate& chosen,
                               const std::vector<TunerEstimate>& estimates = {}) {
  const int ranks = at.group.ranks();
  const bool reducing = reduces_in_switch(chosen.algorithm) && at.op == CollectiveOp::all_reduce;
  const CollectiveParameters& curve = reducing ? at.curves.at(switch_curve) : at.curve();
  const Bytes wire = reducing ? switch_wire(at.payload, ranks) : at.wire();
  const bool exchanges = at.op == CollectiveOp::all_to_all && at.links.exchange > BytesPerSecond{};
  const BytesPerSecond link = exchanges ? at.links.exchange : at.links.scale_up;
  const int steps = at.links.inner_steps > 0 ? at.links.inner_steps : ranks - 1;
  CollectiveTiming timing{curve_latency(curve, steps + 1), wire, curve_rate(curve, wire, ranks, link), false};
  timing.algorithm = chosen.algorithm;
  timing.protocol = chosen.protocol;
  if (at.links.by_protocol) price_protocol(curve, ranks, link, chosen, estimates, timing);
  return timing;
}

TransportParameters transport_of(const Setting& at) {
  return at.network.of(std::string(enum_name(at.links.transport)));
}

/// Latency of sockets in each step between domains.
Seconds socket_latency(const Setting& at) {
  return at.links.tcp ? at.network.tcp_latency.value : Seconds{};
}

/// Steps one after another between domains.
struct DomainSteps {
  double count = 1;
  Seconds path;  ///< of one, through switches and cables
};

void add_steps(const Setting& at, const DomainSteps& steps, CollectiveTiming& timing) {
  timing.path += steps.count * steps.path;
  timing.latency += steps.count * (steps.path + socket_latency(at));
}

/// Bandwidth of all NICs of one domain.
BytesPerSecond domain_network_rate(const Setting& at) {
  return at.group.ranks_per_domain * (at.links.network_per_rank * transport_share(at.links, at.network));
}

BytesPerSecond with_fabric_limit(const Setting& at, BytesPerSecond rate, Protocol protocol = Protocol::simple) {
  return at.links.fabric_limit ? std::min(rate, *at.links.fabric_limit * payload_share(protocol)) : rate;
}

/// Rate of a ring's wire over all domains.
BytesPerSecond ring_rate(const Setting& at, bool ramped) {
  BytesPerSecond rate = domain_network_rate(at);
  const int ranks = at.group.ranks();
  if (at.group.ranks_per_domain > 1)
    rate = std::min(rate, ramped ? curve_rate(at.curve(), at.wire(), ranks, at.links.scale_up)
                                 : bulk_rate(at.curve(), ranks, at.links.scale_up));
  return rate;
}

DomainSteps steps_between_domains(const Setting& at, Algorithm algorithm) {
  const double domains = at.group.domains;
  const StepLatency& switches = at.links.switch_latency;
  switch (algorithm) {
    case Algorithm::tree:
    case Algorithm::nvls_tree:
      return {2 * std::floor(std::log2(domains)), switches.tree};
    case Algorithm::pat:
      return {std::floor(std::log2(domains)), switches.tree};
    case Algorithm::nvls:
    case Algorithm::collnet_direct:
    case Algorithm::collnet_chain:
      return {2, switches.farthest};  // to the root of the switches' tree and back
    default:
      return {passes(at.op) * (domains - 1), switches.ring};
  }
}

/// Reduced inside each domain by its switch, between domains along a tree or by their switches; bytes and rates are
/// those of a ring as fast.
void price_switch_tree(const Setting& at, CollectiveTiming& timing) {
  const CollectiveParameters& curve = at.curves.at(switch_curve);
  const int members = at.group.ranks_per_domain;
  const Bytes inner = switch_wire(at.payload, members);
  const double bus_factor = ring_wire(CollectiveOp::all_reduce, at.payload, members) / inner;
  const bool exchange = at.group.domains == 2 && timing.algorithm == Algorithm::nvls_tree;
  timing.network_share = exchange ? 0.5 : 1;
  timing.scale_up_share = 1 / bus_factor;
  timing.rate = std::min(curve_rate(curve, inner, members, at.links.scale_up) * bus_factor,
                         domain_network_rate(at) / timing.network_share);
  // NCCL's measurement of kernels that reduce and send at the same time: less than either alone.
  if (timing.algorithm == Algorithm::nvls_tree)
    timing.rate = std::min(timing.rate, nvls_tree_ceiling(nccl_machine_of(at.group, at.links), at.group.domains));
  timing.rate = with_fabric_limit(at, timing.rate);
}

/// Rate of the bulk ring times the ratio of NCCL's bandwidths. Low-latency protocols have no ramp of small messages.
void price_by_ratio(const Setting& at, const TunerEstimate& chosen, const TunerEstimate& ring,
                    CollectiveTiming& timing) {
  const Seconds transfer = chosen.time - chosen.latency;
  const Seconds of_ring = ring.time - ring.latency;
  const bool ramped = chosen.protocol == Protocol::simple;
  timing.rate = with_fabric_limit(at, ring_rate(at, ramped) * (of_ring / transfer), chosen.protocol);
}

const TunerEstimate& bulk_ring(const std::vector<TunerEstimate>& estimates) {
  return *std::find_if(estimates.begin(), estimates.end(), [](const TunerEstimate& estimate) {
    return estimate.algorithm == Algorithm::ring && estimate.protocol == Protocol::simple;
  });
}

/// Latency of a library whose estimates nobody published: that of the curve inside a domain, and of one message in
/// each step between domains.
Seconds own_library_latency(const Setting& at, const DomainSteps& steps) {
  const int inner = at.links.inner_steps > 0 ? at.links.inner_steps : at.group.ranks_per_domain - 1;
  const Seconds message = at.network.message_latency.value * transport_of(at).latency.value;
  return curve_latency(at.curve(), inner + 1) + steps.count * message;
}

CollectiveTiming across_domains(const Setting& at, const TunerEstimate& chosen, const TunerEstimate& ring) {
  CollectiveTiming timing;
  timing.algorithm = chosen.algorithm;
  timing.protocol = chosen.protocol;
  timing.crosses_domains = true;
  timing.wire = at.wire();
  const DomainSteps steps = steps_between_domains(at, chosen.algorithm);
  timing.latency = at.links.nccl ? at.network.latency_scale.value * transport_of(at).latency.value * chosen.latency
                                 : own_library_latency(at, steps);
  add_steps(at, steps, timing);
  if (reduces_in_switch(chosen.algorithm) && at.op == CollectiveOp::all_reduce)
    price_switch_tree(at, timing);
  else
    price_by_ratio(at, chosen, ring, timing);
  return timing;
}

CollectiveTiming message_between_domains(const Setting& at) {
  const BytesPerSecond own = at.links.network_per_rank * transport_share(at.links, at.network);
  const Seconds start = at.network.message_latency.value * transport_of(at).latency.value;
  CollectiveTiming timing{start, at.payload, with_fabric_limit(at, own), true};
  add_steps(at, {1, at.links.switch_latency.farthest}, timing);
  timing.algorithm = Algorithm::direct;
  return timing;
}

/// Where NVLink joins a domain, bytes for other domains first hop to the member on the receiver's rail (PXN); inside
/// and outside overlap.
CollectiveTiming all_to_all_across_domains(const Setting& at, const CollectiveChoice& choice) {
  const double ranks = at.group.ranks(), members = at.group.ranks_per_domain;
  CollectiveTiming timing = message_between_domains(at);
  if (members > 1 && at.links.nvlink) timing.algorithm = Algorithm::rail_aligned;
  timing.algorithm = choice.algorithm.value_or(timing.algorithm);
  timing.latency += at.curve().rank_latency.value * (ranks - 1);
  timing.wire = at.payload * ((ranks - members) / ranks);
  timing.network_share = members;  // each sends its own
  if (members < 2) return timing;
  const double hops = timing.algorithm == Algorithm::rail_aligned ? (members - 1) / members : 0;
  const Bytes inner = at.payload * ((members - 1) / ranks) + timing.wire * hops;
  const BytesPerSecond link = at.links.exchange > BytesPerSecond{} ? at.links.exchange : at.links.scale_up;
  timing.scale_up_share = inner / timing.wire;
  timing.rate =
      std::min(timing.rate, curve_rate(at.curve(), inner, at.group.ranks_per_domain, link) / timing.scale_up_share);
  return timing;
}

/// Whether the user and the fitted curves allow one of NCCL's candidates.
bool allows(const Setting& at, const TunerEstimate& candidate, const CollectiveChoice& choice) {
  if (choice.algorithm && candidate.algorithm != *choice.algorithm) return false;
  if (choice.protocol && candidate.protocol != *choice.protocol) return false;
  return !reduces_in_switch(candidate.algorithm) || at.curves.contains(switch_curve);
}

/// Most ranks of a domain in a sweep that curves were fitted to.
constexpr int most_measured_inside = 16;

/// In small domains NCCL's own estimates decide: the jumps at its switch points are measured. In larger ones, and
/// between domains, its estimates count with latencies that curves and fabrics do not have, so what takes least here
/// runs, switches and cables aside: no tuner knows how far apart sites are.
CollectiveTiming fastest(const Setting& at, const std::vector<TunerEstimate>& allowed,
                         const std::vector<TunerEstimate>& estimates) {
  const bool inside = at.group.domains == 1;
  const auto timing = [&](const TunerEstimate& candidate) {
    return inside ? inside_domain(at, candidate, estimates) : across_domains(at, candidate, bulk_ring(estimates));
  };
  const auto known_to_tuner = [](const CollectiveTiming& one) { return one.time() - one.path; };
  CollectiveTiming best = timing(allowed.front());
  if (inside && at.group.ranks() <= most_measured_inside) return best;
  for (const TunerEstimate& candidate : allowed) {
    const CollectiveTiming other = timing(candidate);
    if (known_to_tuner(other) < known_to_tuner(best)) best = other;
  }
  return best;
}

/// RCCL between domains is taken to know the rate that its rings have here.
NcclMachine machine_of(const Setting& at) {
  const bool rccl = at.links.nccl && at.links.nvlink && !at.links.by_protocol;
  if (!rccl || at.group.domains < 2 || at.links.network_per_rank <= BytesPerSecond{})
    return nccl_machine_of(at.group, at.links);
  NcclMachine machine = machine_of_many_channels(at.links.generation, at.links.scale_up, ring_rate(at, false));
  machine.amd_host = at.links.amd_host;
  return machine;
}

std::vector<TunerEstimate> estimates_of(const Setting& at) {
  return nccl_estimates(at.op, at.payload, at.group.domains, at.group.ranks_per_domain, machine_of(at));
}

CollectiveTiming tuned_timing(const Setting& at, const CollectiveChoice& choice) {
  const std::vector<TunerEstimate> estimates = estimates_of(at);
  if (!at.links.nccl && !choice.algorithm && !choice.protocol) return fastest(at, {bulk_ring(estimates)}, estimates);
  std::vector<TunerEstimate> allowed;
  for (const TunerEstimate& candidate : estimates)
    if (allows(at, candidate, choice)) allowed.push_back(candidate);
  if (allowed.empty()) throw std::invalid_argument("NCCL does not offer this algorithm and protocol here");
  return fastest(at, allowed, estimates);
}

}  // namespace

CollectiveChoice nccl_choice(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                             const std::map<std::string, CollectiveParameters>& curves) {
  if (!links.nccl || group.ranks() < 2) return {};
  const NetworkParameters network;
  const Setting at{op, payload, group, links, curves, network};
  for (const TunerEstimate& candidate : estimates_of(at))
    if (allows(at, candidate, {})) return {candidate.algorithm, candidate.protocol};
  return {};
}

double transport_share(const GroupLinks& links, const NetworkParameters& network) {
  if (!links.tcp)
    return network.bandwidth_share.value * network.of(std::string(enum_name(links.transport))).bandwidth.value;
  const double share = network.tcp_bandwidth_share.value;
  if (links.network_per_rank <= BytesPerSecond{}) return share;
  return std::min(share, tcp_host_rate(links, network) / links.network_per_rank);
}

BytesPerSecond tcp_host_rate(const GroupLinks& links, const NetworkParameters& network) {
  double cores = network.tcp_cores.value;
  if (links.host_cores > 0) cores = std::min(cores, links.host_cores);
  const double each = byte_per_second / network.tcp_send_per_core.value;
  const double back = byte_per_second / network.tcp_receive_per_core.value;
  BytesPerSecond rate = cores / (each + back) * byte_per_second;
  if (links.host_memory > BytesPerSecond{})
    rate = std::min(rate, links.host_memory / (2 * network.tcp_memory_passes.value));
  return rate;
}

std::string curve_name(CollectiveOp op) {
  return std::string(name_of(op == CollectiveOp::broadcast ? CollectiveOp::all_gather : op));
}

NcclMachine nccl_machine_of(const GroupShape& group, const GroupLinks& links) {
  const bool between = group.domains > 1;
  NcclMachine machine =
      nccl_machine(links.generation, links.nvlink, links.switch_reduction ? group.ranks_per_domain : 0, links.scale_up,
                   between ? group.ranks_per_domain : 0,
                   between ? group.ranks_per_domain * links.network_per_rank : BytesPerSecond{});
  machine.amd_host = links.amd_host;
  if (links.sharp) machine.collnet_rails = group.ranks_per_domain;
  return machine;
}

CollectiveTiming collective_time(CollectiveOp op, Bytes payload, const GroupShape& group, const GroupLinks& links,
                                 const std::map<std::string, CollectiveParameters>& curves,
                                 const NetworkParameters& network, const CollectiveChoice& choice) {
  if (!curves.contains(curve_name(op))) throw std::invalid_argument("no curve for " + curve_name(op));
  if (group.ranks() < 2 || payload <= Bytes{}) return {Seconds{}, Bytes{}, byte_per_second, false};
  const Setting at{op, payload, group, links, curves, network};
  const bool between = group.domains > 1;
  if (op == CollectiveOp::send && between) return message_between_domains(at);
  if (op == CollectiveOp::all_to_all && between) return all_to_all_across_domains(at, choice);
  if (op != CollectiveOp::send && op != CollectiveOp::all_to_all) return tuned_timing(at, choice);
  TunerEstimate plain{Algorithm::direct, Protocol::simple, {}, {}, {}};
  return inside_domain(at, plain);
}

namespace {

constexpr double unjudged_residual = 0.4;  // of a set whose fits report nothing
constexpr Bytes large_message = 1 * megabyte;

/// Fits that judge an op: messages and broadcasts have no measurements of their own, and both kernels of experts are
/// judged by the worse one, as low-latency ones were measured on one part only.
std::string judged(CollectiveOp op) {
  if (between_experts(op)) return "expert_exchange";
  return op == CollectiveOp::send ? "all_to_all" : curve_name(op) + ",";
}

/// 90th percentile of the error on held-out rows of the op; that of the worst op if this one has no report.
double residual(CollectiveOp op, Bytes bytes, const CollectiveSet& set) {
  const std::string size = bytes < large_message && !between_experts(op) ? ", below 1 MB" : ", from 1 MB";
  double own = 0, worst = 0;
  for (const FitReport& fit : set.fits) {
    if (!fit.name.ends_with(size)) continue;
    worst = std::max(worst, fit.held_out_p90_abs_log);
    if (fit.name.starts_with("collectives/" + judged(op))) own = std::max(own, fit.held_out_p90_abs_log);
  }
  return own > 0 ? own : worst > 0 ? worst : unjudged_residual;
}

double relative_error(const Sourced<double>& value) {
  return value.value > 0 ? value.std_error / value.value : 0;
}

}  // namespace

double collective_half_width(CollectiveOp op, Bytes bytes, const CollectiveTiming& timing, const CollectiveSet& set) {
  const double in_class = residual(op, bytes, set);
  if (!timing.crosses_domains) return in_class;
  const double latency_part = timing.latency / timing.time();
  const double of_latency = latency_part * relative_error(set.network.latency_scale);
  const double of_rate = (1 - latency_part) * relative_error(set.network.bandwidth_share);
  const double between = std::hypot(of_latency, of_rate, set.network.structural_error.value);
  return std::hypot(in_class, half_width_90 * between);
}

}  // namespace clusterwright
