// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/closed_form_layer.hpp"

#include <algorithm>
#include <cmath>

#include "models/kernels/kernel_times.hpp"

namespace clusterwright {

namespace {

// Constants below: docs/validation.md, "Closed form".
constexpr double bytes_per_width = 20;      // norms, residual and dropout, forward, a token and element of the width
constexpr double bytes_per_activation = 6;  // activation function, a token and element of its input
constexpr double bytes_per_head_element = 8;
constexpr double backward_traffic = 1.5;
constexpr double cast_bytes_per_element = 6;
constexpr double bytes_per_logit = 26;
constexpr double unfused_efficiency = 0.55;                            // of the 16-bit peak
constexpr double score_bytes_forward = 13, score_bytes_backward = 22;  // unfused attention
constexpr double half_sequence = 256;  // sequence at which fused attention is half as fast
constexpr double forward_kernels = 28, backward_kernels = 48, tensor_kernels = 6;
constexpr double host_time = 6e-6, slow_host_time = 28e-6;  // of one kernel
constexpr double slow_launch = 10e-6;                       // time of a stack's launch from which its host is slow

/// One micro-batch of one rank: what every formula below reads.
struct LayerWork {
  const Transformer& model;
  const Scenario& scenario;
  const Plan& plan;
  const ClosedFormRates& rates;
  double tokens = 0;
  double width = 0;
  double split = 1;  ///< tensor degree

  double heads_width() const { return static_cast<double>(model.query_width() + 2 * model.key_value_width()) / split; }
  double result_width() const { return static_cast<double>(model.attention_output_width()) / split; }
  double up() const { return model.gated_mlp ? 2 : 1; }
  bool adapters() const { return scenario.job.task == Task::lora; }
};

/// A matrix of n x k that `rows` pass: once forward, twice backward, once if its weights are frozen.
ClosedFormPasses matrix(const LayerWork& work, double rows, double n, double k) {
  const double data = closed_form_gemm(work.rates, rows, k, n);
  const double weights = work.adapters() ? 0 : closed_form_gemm(work.rates, n, k, rows);
  return {closed_form_gemm(work.rates, rows, n, k), data + weights};
}

ClosedFormPasses attention_matrices(const LayerWork& work) {
  const ClosedFormPasses out = matrix(work, work.tokens, work.width, work.result_width());
  if (!work.model.latent) return out + matrix(work, work.tokens, work.heads_width(), work.width);
  const LatentAttention& latent = *work.model.latent;
  const auto heads = static_cast<double>(work.model.heads) / work.split;
  const auto query = static_cast<double>(latent.query_rank), pair = static_cast<double>(latent.key_value_rank);
  const auto keys = static_cast<double>(latent.plain_width + latent.value_width) * heads;
  const auto queries = static_cast<double>(latent.key_width()) * heads;
  ClosedFormPasses in = query > 0
                            ? matrix(work, work.tokens, query, work.width) + matrix(work, work.tokens, queries, query)
                            : matrix(work, work.tokens, queries, work.width);
  return out + in + matrix(work, work.tokens, pair + static_cast<double>(latent.rotary_width), work.width) +
         matrix(work, work.tokens, keys, pair);
}

ClosedFormPasses mlp_matrices(const LayerWork& work, double rows, double inner) {
  if (inner <= 0 || rows <= 0) return {};
  return matrix(work, rows, work.up() * inner, work.width) + matrix(work, rows, work.width, inner);
}

/// Rows of routed experts on a rank, and the experts that share them.
struct RoutedWork {
  double rows = 0, experts = 0, inner = 0;
};

RoutedWork routed_work(const LayerWork& work) {
  const ExpertMixture& mixture = *work.model.experts;
  const Plan& plan = work.plan;
  return {work.tokens / work.split * static_cast<double>(mixture.per_token) * plan.expert_tensor,
          static_cast<double>(mixture.experts) / plan.expert, static_cast<double>(mixture.ffn) / plan.expert_tensor};
}

ClosedFormPasses mlp(const LayerWork& work, LayerKind kind) {
  if (kind == LayerKind::dense)
    return mlp_matrices(work, work.tokens, static_cast<double>(work.model.ffn) / work.split);
  const RoutedWork routed = routed_work(work);
  const ClosedFormPasses shared =
      mlp_matrices(work, work.tokens, static_cast<double>(work.model.experts->shared_width()) / work.split);
  return shared + mlp_matrices(work, routed.rows / routed.experts, routed.inner) * routed.experts;
}

ClosedFormPasses attention(const LayerWork& work) {
  const Scenario& scenario = work.scenario;
  const auto sequence = static_cast<double>(scenario.job.sequence);
  const double widths = static_cast<double>(work.model.query_width() + work.model.attention_output_width());
  const double square = 2 * work.tokens * sequence * widths / work.split;
  if (scenario.stack.attention == unfused_kernels) {
    const double scores = work.tokens * sequence * static_cast<double>(work.model.heads) / work.split;
    const double arithmetic = square / (work.rates.peak_16_bit * unfused_efficiency);
    return {arithmetic + scores * score_bytes_forward / work.rates.memory,
            2 * arithmetic + scores * score_bytes_backward / work.rates.memory};
  }
  const AttentionEfficiency reached =
      closed_form_attention(closed_form_generation(scenario.cluster.accelerator), scenario.stack.attention);
  constexpr double thin_head = 64, thin_head_efficiency = 0.85;
  const double thin = static_cast<double>(work.model.width_of_head()) <= thin_head ? thin_head_efficiency : 1;
  const double length = scenario.job.sample_tokens > 0 ? std::min(sequence, scenario.job.sample_tokens) : sequence;
  const double rate = work.rates.peak_16_bit * thin * length / (length + half_sequence);
  const double kept = square * work.model.score_share(sequence, scenario.job.sample_tokens) / rate;
  return {kept / reached.forward, 2.5 * kept / reached.backward};
}

bool casts(const LayerWork& work) {
  return size_of(matrix_format(work.scenario.job.precision)) < 2 * byte;
}

/// Elements per token of activations that a direction casts to 8 bit.
double cast_elements(const LayerWork& work, LayerKind kind, bool forward) {
  const double inner = kind == LayerKind::dense ? static_cast<double>(work.model.ffn) / work.split : 0;
  const double own =
      forward ? 2 * work.width + work.result_width() + inner : 2 * work.width + work.heads_width() + work.up() * inner;
  if (kind == LayerKind::dense) return own;
  const RoutedWork routed = routed_work(work);
  return own + routed.rows / work.tokens * (work.width + (forward ? 1 : work.up()) * routed.inner);
}

ClosedFormPasses elementwise(const LayerWork& work, LayerKind kind) {
  const double norms = bytes_per_width * work.width / (work.plan.sequence_parallel ? work.split : 1);
  double activations = bytes_per_activation * work.up() * static_cast<double>(work.model.ffn) / work.split;
  if (kind == LayerKind::experts) {
    const RoutedWork routed = routed_work(work);
    constexpr double permute_bytes = 16;  // to the experts and back
    activations =
        routed.rows / work.tokens * (bytes_per_activation * work.up() * routed.inner + permute_bytes * work.width);
  }
  const double bytes = (norms + activations + bytes_per_head_element * work.heads_width()) *
                       work.scenario.stack.elementwise_traffic.value;
  const double seconds = work.tokens * bytes / work.rates.memory;
  ClosedFormPasses out{seconds, backward_traffic * seconds};
  if (!casts(work)) return out;
  const double each = work.tokens * cast_bytes_per_element / work.rates.memory;
  return out + ClosedFormPasses{each * cast_elements(work, kind, true), each * cast_elements(work, kind, false)};
}

double repeated(const LayerWork& work, const ClosedFormPasses& matrices, const ClosedFormPasses& scores,
                const ClosedFormPasses& rest) {
  if (work.plan.recompute == Recompute::full) return matrices.forward + scores.forward + rest.forward;
  if (work.plan.recompute == Recompute::none) return 0;
  switch (work.scenario.stack.selective) {
    case SelectiveRecompute::every_second:
      return matrices.forward / 2 + rest.forward;
    case SelectiveRecompute::all_but_multiplies:
      return scores.forward + rest.forward;
    default:
      return work.scenario.stack.attention == unfused_kernels ? scores.forward : 0;
  }
}

/// Time of the host to issue a layer.
ClosedFormPasses host(const LayerWork& work, LayerKind kind) {
  const SoftwareStack& stack = work.scenario.stack;
  if (stack.graph_capture == GraphCapture::all || stack.attention == "xla") return {};
  const double call = stack.kernel_launch.value > Seconds(slow_launch * second) ? slow_host_time : host_time;
  const double extra = work.split > 1 ? tensor_kernels : 0;
  const double again = work.plan.recompute == Recompute::full ? forward_kernels : 0;
  ClosedFormPasses out = {call * (forward_kernels + extra), call * (backward_kernels + extra + again)};
  if (kind == LayerKind::dense || stack.experts.one_launch) return out;
  const double calls = casts(work) ? 2 : 1;  // a cast in front of each GEMM
  const double experts = calls * routed_work(work).experts * (stack.experts.launch.value / (1 * second));
  return out + ClosedFormPasses{2 * experts, 4 * experts + (again > 0 ? 2 * experts : 0)};
}

double slower(double device, double issue) {
  constexpr double sharpness = 6;
  return std::pow(std::pow(device, sharpness) + std::pow(issue, sharpness), 1 / sharpness);
}

/// Shares of the exchanges of a tensor group that nothing hides.
struct TensorExposure {
  double forward = 1, backward = 1;
};

TensorExposure exposure_of(const SoftwareStack& stack) {
  constexpr TensorExposure in_chunks{0.3, 0.3}, old_megatron{1, 0.5}, new_megatron{0.5, 0.4};
  if (stack.tensor_overlap == TensorOverlap::pieces) return in_chunks;
  if (stack.calibrated == "megatron-2024") return new_megatron;
  return stack.calibrated == "megatron-2022" ? old_megatron : TensorExposure{};
}

/// Exposed exchanges of the tensor group.
ClosedFormPasses tensor_exchange(const LayerWork& work) {
  const int ranks = work.plan.tensor;
  if (ranks <= 1) return {};
  const SoftwareStack& stack = work.scenario.stack;
  const ClosedFormLinks links = closed_form_links(work.scenario, ranks, 1);
  const double one = closed_form_ring(2 * 2 * work.tokens * work.width, ranks, links.bandwidth, links.inside);
  const TensorExposure shows = links.inside ? exposure_of(stack) : TensorExposure{};
  const double repeat = work.plan.sequence_parallel ? 1.5 : 1;
  const double again = work.plan.recompute == Recompute::full ? 2 * shows.forward * one : 0;
  return {2 * shows.forward * one, 2 * shows.backward * repeat * one + again};
}

/// Exposed exchanges of keys and values, behind attention of the block before.
ClosedFormPasses context_exchange(const LayerWork& work) {
  const int ranks = work.plan.context;
  if (ranks <= 1) return {};
  const ClosedFormLinks links = closed_form_links(work.scenario, ranks, work.plan.tensor);
  const double bytes = 2 * work.tokens * ranks * 2 * static_cast<double>(work.model.key_value_width()) / work.split;
  const double one = closed_form_ring(bytes, ranks, links.bandwidth, links.inside);
  constexpr double exposed = 0.3;
  return {exposed * one, 2 * exposed * one};
}

/// Dispatch and combine of tokens to experts.
ClosedFormPasses expert_exchange(const LayerWork& work) {
  const int ranks = work.plan.expert * work.plan.expert_tensor;
  if (ranks <= 1) return {};
  const ClosedFormLinks links = closed_form_links(work.scenario, ranks, 1);
  const auto domain = static_cast<double>(work.scenario.cluster.domain);
  double copies = static_cast<double>(work.model.experts->per_token);
  const double places = links.inside ? ranks : ranks / domain;
  if (!links.inside && work.scenario.stack.experts.transfer == ExpertTransfer::hierarchical)
    copies = places * (1 - std::pow(1 - 1 / places, copies));
  const double nic = work.scenario.cluster.network_per_accelerator() / (1 * byte / second);
  const double bandwidth = links.inside ? links.bandwidth : nic;
  const double bytes = 2 * work.tokens / work.split * copies * work.width * (1 - 1 / places);
  constexpr double reached = 0.6;
  const double one = 2 * bytes / (bandwidth * reached);  // there and back
  const double exposed = work.scenario.stack.experts.overlap_exchange ? 0.2 : 1;
  return {exposed * one, exposed * one * (work.plan.recompute == Recompute::full ? 2 : 1)};
}

}  // namespace

double closed_form_tokens(const Scenario& scenario, const Plan& plan) {
  return static_cast<double>(plan.micro_batch) * scenario.job.sequence / plan.context;
}

ClosedFormLinks closed_form_links(const Scenario& scenario, int ranks, int stride) {
  const Cluster& cluster = scenario.cluster;
  const int domain = std::min(cluster.domain, cluster.blocks.used);
  const int members = std::clamp(domain / std::max(1, stride), 1, ranks);
  const double inner = cluster.inner_bandwidth(std::min(domain, members * stride)) / (1 * byte / second);
  if (members == ranks) return {inner, true};
  double nic = cluster.network_per_accelerator() / (1 * byte / second);
  if (const auto cards = scenario.stack.network_cards) nic = nic * *cards / cluster.nics;
  const double outer = nic * members;
  return {members > 1 && inner > 0 ? std::min(inner, outer) : outer, false};
}

ClosedFormPasses closed_form_layer(const Scenario& scenario, const Plan& plan, const ClosedFormRates& rates,
                                   const ClosedFormFactors& factors, LayerKind kind) {
  const LayerWork work{scenario.transformer,
                       scenario,
                       plan,
                       rates,
                       closed_form_tokens(scenario, plan),
                       static_cast<double>(scenario.transformer.hidden),
                       static_cast<double>(plan.tensor)};
  const ClosedFormPasses matrices = attention_matrices(work) + mlp(work, kind);
  const ClosedFormPasses scores = attention(work), rest = elementwise(work, kind), issue = host(work, kind);
  ClosedFormPasses kernels = matrices + scores + rest;
  kernels.backward += repeated(work, matrices, scores, rest);
  const ClosedFormPasses exchanges = tensor_exchange(work) + context_exchange(work) + expert_exchange(work);
  return ClosedFormPasses{slower(kernels.forward * factors.compute, issue.forward * factors.host),
                          slower(kernels.backward * factors.compute, issue.backward * factors.host)} +
         exchanges * factors.communication;
}

ClosedFormPasses closed_form_head(const Scenario& scenario, const Plan& plan, const ClosedFormFactors& factors) {
  const ClosedFormRates rates = closed_form_rates(scenario.cluster.accelerator, Precision::bf16);
  const Transformer& model = scenario.transformer;
  const double tokens = closed_form_tokens(scenario, plan),
               logits = static_cast<double>(model.vocabulary) / plan.tensor;
  const double one = closed_form_gemm(rates, tokens, logits, static_cast<double>(model.hidden));
  const double loss = tokens * logits * bytes_per_logit / 2 / rates.memory;
  const double backward = scenario.job.task == Task::lora ? 1 : 2;
  return ClosedFormPasses{one + loss, backward * one + loss} * factors.compute;
}

}  // namespace clusterwright
