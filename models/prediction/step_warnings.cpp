// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/step_warnings.hpp"
#include "models/prediction/bottleneck.hpp"
#include "models/prediction/limit_evidence.hpp"
#include "models/prediction/site_remarks.hpp"
#include "models/prediction/unstated_routing.hpp"
#include "topology/routing/routed_network.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "models/job/job_software.hpp"
#include "models/job/model_rules.hpp"
#include "models/kernels/collectives/slow_flow.hpp"
#include "models/kernels/kernel_times.hpp"
#include "models/lowering/rank_shapes.hpp"
#include "models/plan/planned_job.hpp"
#include "models/plan/stage_layout.hpp"
#include "models/settling/governor.hpp"

namespace clusterwright {

namespace {

/// Dimension that operands of some kernels are contiguous along.
struct Width {
  const char* name;
  std::int64_t length = 0;
  bool narrow = true;  ///< in the job's number format; otherwise 16 bit
};

void add_attention_widths(std::vector<Width>& widths, const PlannedJob& planned, const RankShapes& shapes) {
  widths.push_back({"width of a head", planned.model.width_of_head(), false});
  if (stores_scores(planned)) widths.push_back({"sequence of a rank", planned.sequence / planned.plan.context, false});
  if (planned.model.latent) {
    widths.push_back({"rank of the latent queries", planned.model.latent->query_rank});
    widths.push_back({"rank of the latent keys and values", planned.model.latent->key_value_rank});
    return;
  }
  widths.push_back({"width of queries, keys and values of a rank", shapes.query + shapes.key_value + shapes.value});
}

void add_mlp_widths(std::vector<Width>& widths, const PlannedJob& planned, const RankShapes& shapes) {
  const Transformer& model = planned.model;
  if (model.layers_of(LayerKind::dense) > 0) widths.push_back({"MLP width of a rank", shapes.ffn});
  if (!model.experts) return;
  widths.push_back({"expert width of a rank", model.experts->ffn / planned.plan.expert_tensor});
  widths.push_back({"number of experts", model.experts->experts, false});
}

std::vector<Width> contiguous_widths(const PlannedJob& planned) {
  const RankShapes shapes(planned);
  std::vector<Width> widths = {{"hidden width", shapes.hidden}};
  add_attention_widths(widths, planned, shapes);
  add_mlp_widths(widths, planned, shapes);
  widths.push_back({"vocabulary of a rank", shapes.vocabulary, false});
  if (planned.lora_rank > 0) widths.push_back({"adapter rank", planned.lora_rank, false});
  return widths;
}

/// Format of GEMMs in 16 bit, or in the job's own.
Precision precision_of(const Scenario& s, const Width& width) {
  return width.narrow || s.job.precision == Precision::fp32 ? s.job.precision : Precision::bf16;
}

std::string joined(const std::vector<int>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

/// Forward GEMMs of a layer without experts, with a number of tokens.
double layer_gemm_seconds(const KernelTimes& kernels, const PlannedJob& planned, const RankShapes& shapes,
                          std::int64_t tokens) {
  const bool dense = planned.model.layers_of(LayerKind::dense) > 0;
  const std::array<GemmShape, 4> all = {{{tokens, shapes.query + shapes.key_value + shapes.value, shapes.hidden},
                                         {tokens, shapes.hidden, shapes.attended},
                                         {tokens, dense ? shapes.up : 0, shapes.hidden},
                                         {tokens, shapes.hidden, dense ? shapes.ffn : 0}}};
  double sum = 0;
  for (const GemmShape& shape : all)
    if (shape.n > 0 && shape.k > 0)
      sum += to_seconds(kernels.gemm(shape, true, shapes.element * byte).work.duration).in(second);
  return sum;
}

void add_routing(const StepPrediction& step, std::vector<std::string>& out) {
  constexpr double negligible = 1e-3;
  if (step.dropped < negligible) return;
  out.push_back(
      fmt::format("the capacity factor drops {:.1f} % of the expert assignments: tokens/s and energy per token count "
                  "every token of the batch, MFU only the work that experts do",
                  100 * step.dropped));
}

/// Spread between the routings that the fabric leaves open.
void add_paths(const Scenario& s, const StepPrediction& step, std::vector<std::string>& out) {
  if (!step.hashed_time) return;
  if (std::string text = routing_sentence(s.cluster, "a step", step.step_time, *step.hashed_time); !text.empty())
    out.push_back(std::move(text));
}

/// More flows wait for each other than the stated quantiles describe.
void add_far_tail(const Cluster& cluster, std::vector<std::string>& out) {
  const std::optional<TailSpec>& tail = cluster.spec.fabric.tail;
  if (!tail || !cluster.has_network()) return;
  if (std::string text = far_tail_sentence(*tail, cluster.blocks.accelerators); !text.empty())
    out.push_back(std::move(text));
}

/// NICs without a working cable, whose ranks use another NIC of their node.
void add_lost_nics(const Scenario& s, std::vector<std::string>& out) {
  if (s.cluster.spec.fabric.faults.empty() || !s.cluster.has_network()) return;
  const NetworkGraph& graph = s.cluster.network().graph;
  int lost = 0;
  for (const NodeId node : graph.node_ids())
    for (int nic = 0; nic < graph.rails(); ++nic)
      lost += graph.working_endpoint(node, nic) != graph.endpoint(node, nic);
  if (lost > 0)
    out.push_back(
        fmt::format("{} of {} NICs have no working cable: their accelerators share the next NIC of their node, "
                    "as NCCL does",
                    lost, graph.endpoints()));
}

}  // namespace

std::vector<std::string> alignment_warnings(const Scenario& s, const Plan& plan) {
  std::vector<std::string> out;
  if (!s.cluster.accelerator.multiprocessors) return out;
  const StageLayout layout = stage_layout(s.transformer.layers, plan);
  const PlannedJob planned = planned_job(s.transformer, s.job, s.stack, plan, layout);
  for (const Width& width : contiguous_widths(planned)) {
    const Precision precision = precision_of(s, width);
    const GemmParameters* const fit = gemm_parameters(s.parameters, precision);
    const std::int64_t whole = aligned_elements(size_of(matrix_format(precision)));
    if (!fit || width.length % whole == 0) continue;
    const auto [least, most] = std::minmax({fit->unaligned_factor.value, fit->unaligned_output_factor.value});
    out.push_back(
        fmt::format("{} {} is no multiple of {} elements (16 bytes): kernels along it run at {:.0f} to {:.0f} % of "
                    "their rate",
                    width.name, width.length, whole, 100 * least, 100 * most));
  }
  return out;
}

std::vector<std::string> tile_warnings(const Scenario& s, const Plan& plan, double gemm_share) {
  constexpr std::int64_t tile = 128;
  constexpr double noticeable = 0.01;
  const StageLayout layout = stage_layout(s.transformer.layers, plan);
  const PlannedJob planned = planned_job(s.transformer, s.job, s.stack, plan, layout);
  const RankShapes shapes(planned);
  const std::int64_t whole = shapes.tokens / tile * tile;
  if (whole == 0 || whole == shapes.tokens) return {};
  const KernelTimes kernels(s.cluster.accelerator, s.parameters, s.stack,
                            step_factors(s.steps, s.stack, s.job, s.cluster.accelerator), s.job.precision);
  const double here = layer_gemm_seconds(kernels, planned, shapes, shapes.tokens) / static_cast<double>(shapes.tokens);
  const double there = layer_gemm_seconds(kernels, planned, shapes, whole) / static_cast<double>(whole);
  if ((here / there - 1) * gemm_share < noticeable) return {};
  return {
      fmt::format("{} tokens of a micro-batch on each rank leave the last tiles of {} rows nearly empty: GEMMs take "
                  "{:.0f} % longer for each token than with {}",
                  shapes.tokens, tile, 100 * (here / there - 1), whole)};
}

std::vector<std::string> idle_cap_warnings(const Scenario& s, const StepSummary& summary) {
  std::vector<std::string> out;
  constexpr double same = 1e-3;
  for (const CappedClock& capped : summary.capped) {
    if (capped.settled > capped.cap - same) continue;
    std::vector<int> accelerators;
    for (const SlowAcceleratorSpec& slow : s.cluster.spec.slow)
      if (slow.clock == capped.cap && !slow.relative_clock) accelerators.push_back(slow.accelerator);
    if (accelerators.empty()) continue;
    const std::string text = fmt::format(
        "the clock cap of {:.2f} on accelerator {} changes nothing: the power limit holds its clock at "
        "{:.2f} of the boost clock",
        capped.cap, joined(accelerators), capped.settled);
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(text);
  }
  return out;
}

/// Placement of the job, if other than its own nodes in order.
void add_nodes_used(const Cluster& cluster, std::vector<std::string>& out) {
  if (!cluster.request.placement) return;
  const PlacementSpec& placement = *cluster.request.placement;
  const std::string_view order = EnumNames<PlacementOrder>::names[static_cast<std::size_t>(placement.order)];
  out.push_back(fmt::format("placement: {} of {} nodes of the machine, {}", cluster.nodes(), cluster.machine_nodes(),
                            placement.nodes.empty() ? order : "in the order given"));
}

/// Attention that the stack would fuse on other accelerators, or in a later release.
void add_unfused_attention(const Scenario& s, std::vector<std::string>& out) {
  const LatentKernels* lacking = lacking_kernel(s.stack, s.job, s.transformer, s.cluster.accelerator);
  if (!lacking) return;
  const std::string until = lacking->since.known() ? fmt::format(" before {} (job.release is {})",
                                                                 lacking->since.text(), s.job.release.text())
                                                   : "";
  out.push_back(fmt::format(
      "attention is not fused: {} has no kernel that trains keys of {} and values of {} on {}{}; "
      "job.attention takes another one",
      s.stack.name, s.transformer.width_of_head(), s.transformer.width_of_value(), lacking->architecture, until));
}

/// Steps that wait for the host, whose time for a kernel nobody measured on the machine in question.
void add_host_estimate(const Scenario& s, const StepPrediction& step, std::vector<std::string>& out) {
  constexpr double noticeable = 0.05;
  const double share = step.breakdown[static_cast<std::size_t>(StepCharge::launch)] / step.step_time;
  const Sourced<Seconds>& launch = s.stack.kernel_launch;
  if (share < noticeable || launch.verified) return;
  out.push_back(fmt::format(
      "accelerators wait {:.0f} % of the step for the host, whose {:.0f} us for each kernel are an estimate: "
      "hosts that were measured took 22 to 37 us (kernel_launch_us of {}, docs/models/experts.md)",
      100 * share, launch.value.in(microsecond), s.stack.name));
}

/// Tensor groups beyond a scale-up domain, whose exchange in every layer is seldom what a user means.
void add_wide_tensor_groups(const Scenario& s, const Plan& plan, std::vector<std::string>& out) {
  const int domain = s.cluster.node_ranks();
  if (domain < 1 || plan.tensor <= domain) return;
  out.push_back(
      fmt::format("tensor groups of {} span {} scale-up domains of {}, so that every layer exchanges activations over "
                  "the network; `search` tries other shardings and offload to the host",
                  plan.tensor, (plan.tensor + domain - 1) / domain, domain));
}

/// Cost of stragglers, as other outputs name them only where they are the largest loss.
std::vector<std::string> straggler_sentences(const StepPrediction& step) {
  if (!step.stragglers) return {};
  const double loss = step.stragglers->loss / step.step_time;
  return {fmt::format("slower than the others: {}; without them the step takes {:.3f} s less ({:.1f} %)",
                      accelerator_names(step.stragglers->accelerators), step.stragglers->loss.in(second), 100 * loss)};
}

/// Limits of stages that limit nothing.
std::vector<std::string> idle_stage_limits(const Scenario& s) {
  const std::vector<Watts>& limits = s.job.parallel.stage_power_limits;
  const AcceleratorPart& part = s.cluster.accelerator;
  const Watts own = part.limit_or_rating();
  if (limits.empty() || std::ranges::any_of(limits, [&](Watts limit) { return limit < own; })) return {};
  return {fmt::format("job.parallel.stage_power_limits_w changes nothing: no limit is below the {:.0f} W of each {}",
                      own.in(watt), part.id)};
}

/// Limits that cannot be held, and what is known of the curve that those which can be held follow.
std::vector<std::string> limit_warnings(const StepPrediction& step, bool beyond_limit) {
  std::vector<std::string> out;
  if (beyond_limit)
    out.push_back(
        fmt::format("a power limit cannot be held: part of the step draws more at the lowest clock that is modelled "
                    "({:.2f} of full); drivers slow memory-bound kernels too, so the step takes longer",
                    lowest_clock));
  if (step.power.limits.empty()) return out;
  if (step.breakdown[static_cast<std::size_t>(StepCharge::throttle)] <= Seconds{}) return out;
  out.push_back(fmt::format(
      "what a power limit costs follows the power of single cards under held loads, and an estimate of the clock below "
      "which their voltage stays; published training on 8 H100 and 8 H200 under limits of 200 to 600 W lost {} to {} "
      "times as much (docs/models/power.md)",
      least_cost_of_limits, most_cost_of_limits));
  return out;
}

std::vector<std::string> step_warnings(const Scenario& s, const StepPrediction& step, const StepSummary& summary) {
  std::vector<std::string> out = s.cluster.remarks;
  for (const RuleFinding& found : job_findings({s.job, s.transformer, s.cluster}))
    if (!found.is_error()) out.push_back(found.message);
  for (std::string& text : alignment_warnings(s, step.plan)) out.push_back(std::move(text));
  const double gemms = step.breakdown[static_cast<std::size_t>(StepCharge::compute_gemm)] / step.step_time;
  for (std::string& text : tile_warnings(s, step.plan, gemms)) out.push_back(std::move(text));
  add_routing(step, out);
  for (std::string& text : idle_cap_warnings(s, summary)) out.push_back(std::move(text));
  for (std::string& text : idle_stage_limits(s)) out.push_back(std::move(text));
  for (std::string& text : limit_warnings(step, summary.beyond_limit)) out.push_back(std::move(text));
  add_paths(s, step, out);
  add_far_tail(s.cluster, out);
  add_lost_nics(s, out);
  add_unfused_attention(s, out);
  add_host_estimate(s, step, out);
  add_wide_tensor_groups(s, step.plan, out);
  add_nodes_used(s.cluster, out);
  for (std::string& text : straggler_sentences(step)) out.push_back(std::move(text));
  if (step.mixed) out.push_back(mixed_sentence(*step.mixed, step.step_time));
  for (std::string& text : site_remarks(s, step.plan, summary)) out.push_back(std::move(text));
  return out;
}

}  // namespace clusterwright
