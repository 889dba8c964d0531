// SPDX-License-Identifier: Apache-2.0
/// Times that no training step can beat, by simple arithmetic on the scenario and its plan.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>

#include "models/job/scenario.hpp"
#include "models/plan/placement.hpp"
#include "models/plan/plan.hpp"
#include "topology/fabrics/fabric_tiers.hpp"

namespace clusterwright::testing {

/// Weights of attention that every rank of a tensor group must have; latent vectors may be as narrow as they like.
inline double least_attention_weights(const Transformer& m) {
  return m.latent ? 0 : 4 * static_cast<double>(m.hidden * m.hidden);
}

/// Weights that a token meets in the lighter kind of layer.
inline double least_mlp_weights(const Transformer& m) {
  const double each = (m.gated_mlp ? 3 : 2) * static_cast<double>(m.hidden);
  const double dense = each * static_cast<double>(m.ffn);
  return m.experts ? std::min(dense, each * static_cast<double>(m.experts->per_token * m.experts->ffn)) : dense;
}

/// FLOPs of one micro-batch through one layer, forward and backward, on all ranks: 2 per weight and token, three times.
inline double layer_flops(const Scenario& s) {
  const double weights = least_attention_weights(s.transformer) + least_mlp_weights(s.transformer);
  return 6 * weights * s.job.sequence * *s.job.micro_batch;
}

/// Times nearer to zero than any plan allows: matrix work of the average rank at the data-sheet peak.
inline double least_compute_time(const Scenario& s, const Plan& plan) {
  const double flops = layer_flops(s) * static_cast<double>(s.transformer.layers) * plan.micro_batches;
  const double peak_rate = peak(s.cluster.accelerator, NumberFormat::bf16).in(flop / second);
  const double trained = s.job.lora_rank > 0 ? 2.0 / 3 : 1;  // frozen weights get no gradient
  return trained * flops / (plan.tensor * plan.pipeline * plan.context) / peak_rate;
}

/// Parameters gathered in 16 bit and gradients scattered in 32 bit, once each, over the NICs of one node.
inline double least_network_time(const Scenario& s, const Plan& plan) {
  const GroupShape group = Placement(plan, s.cluster.blocks).replica_group(ReplicaGroup::all);
  if (group.domains == 1 || plan.sharding == Sharding::none) return 0;
  // Experts may have one owner each, whose gradients go nowhere.
  const double weights =
      least_attention_weights(s.transformer) + (s.transformer.experts ? 0 : least_mlp_weights(s.transformer));
  const double of_a_rank = weights * static_cast<double>(s.transformer.layers) / (plan.tensor * plan.pipeline);
  // Frozen weights stay where they are; a shard group may fit into a node; stacks differ in the width of gradients.
  if (s.job.lora_rank > 0 || plan.sharding == Sharding::hsdp) return 0;
  const double bytes = s.stack.gathered_size.value + s.stack.reduced_size.value;
  const double wire = bytes * of_a_rank * (plan.gradient_ranks() - 1) / plan.gradient_ranks();
  return wire / (group.ranks_per_domain * s.cluster.network_per_accelerator().in(byte_per_second));
}

/// Bytes over each bundle of links above a tapered tier; the key is tier, group and direction.
class UplinkBytes {
 public:
  UplinkBytes(const Scenario& s, const Plan& plan) : fabric_(s.cluster.fabric), placement_(plan, s.cluster.blocks) {}

  void send(const RankCoordinates& from, const RankCoordinates& to, double bytes) {
    const AcceleratorId a(placement_.rank(from)), b(placement_.rank(to));
    for (std::size_t tier = 0; tier + 1 < fabric_.tiers().size(); ++tier) {
      if (!fabric_.tiers()[tier].tapered || fabric_.group_of(a, tier) == fabric_.group_of(b, tier)) continue;
      bytes_[{tier, fabric_.group_of(a, tier), true}] += bytes;
      bytes_[{tier, fabric_.group_of(b, tier), false}] += bytes;
    }
  }

  double longest_time() const {
    double longest = 0;
    for (const auto& [bundle, bytes] : bytes_) {
      const BytesPerSecond capacity = fabric_.tiers()[std::get<0>(bundle)].uplink_capacity;
      longest = std::max(longest, bytes / capacity.in(byte_per_second));
    }
    return longest;
  }

 private:
  const FabricTiers& fabric_;
  Placement placement_;
  std::map<std::tuple<std::size_t, int, bool>, double> bytes_;
};

/// Pipeline messages there and back over the busiest links above a tapered tier.
inline double least_uplink_time(const Scenario& s, const Plan& plan) {
  const double message =
      2.0 * s.job.sequence * plan.micro_batch * static_cast<double>(s.transformer.hidden) / plan.tensor / plan.context;
  UplinkBytes links(s, plan);
  for (int p = 0; p < plan.pipeline && plan.pipeline > 1; ++p)
    for (int d = 0; d < plan.gradient_ranks(); ++d)
      for (int t = 0; t < plan.tensor; ++t) {
        const bool wraps = p + 1 == plan.pipeline;
        const RankCoordinates here{t, d, p}, next{t, d, wraps ? 0 : p + 1};
        const double bytes = message * plan.micro_batches * (plan.virtual_pipeline - (wraps ? 1 : 0));
        links.send(here, next, bytes);
        links.send(next, here, bytes);
      }
  return links.longest_time();
}

}  // namespace clusterwright::testing
