// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/sample_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "calibration/fit/memory_fit.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "models/kernels/collectives/nccl_tuner.hpp"

namespace clusterwright {

namespace {

constexpr double beyond_l2 = 4, beyond_l3 = 2;  // smaller working sets stay in the cache between two calls
/// Calls visit(document, sample, what) for every sample of the probe `What` that has repetitions.
template <class What, class Visit>
void for_each_sample(const std::vector<ProbeSamples>& all, Visit visit) {
  for (const ProbeSamples& document : all)
    for (const ProbeSample& sample : document.samples)
      if (const What* what = std::get_if<What>(&sample.what); what && !sample.repetitions.empty())
        visit(document, sample, *what);
}

/// Key of the parameters that a probe's format is fitted to; fp16 and bf16 run on the same units at one rate.
std::string_view fitted_format(ProbedFormat dtype) {
  if (dtype == ProbedFormat::fp16) return "bf16";
  const bool eight_bit = dtype == ProbedFormat::fp8_e4m3 || dtype == ProbedFormat::fp8_e5m2;
  return eight_bit ? "fp8" : enum_name(dtype);
}

Bytes output_size(const ProbedGemm& what, const GemmFormat& format) {
  const bool wide = what.output == "fp32" || (what.output.empty() && format.bytes_a >= 4);
  const Bytes element = (wide ? 4 : 2) * byte;
  return what.accumulate ? 2 * element : element;  // adding to C reads it first
}

/// Layout of the operands, which a probe of a host does not say: its rows are whole.
GemmLayout layout_of(const ProbedGemm& what) {
  if (what.layout == "forward") return GemmLayout::transposed_b;
  return what.layout == "weight_gradient" ? GemmLayout::transposed_a : GemmLayout::plain;
}

std::string gemm_words(const ProbedGemm& what) {
  std::string text = fmt::format("{} x {} x {}", what.m, what.n, what.k);
  if (!what.layout.empty()) text += " " + what.layout;
  if (what.threads > 1) text += fmt::format(", {} threads", what.threads);
  return std::string(enum_name(what.dtype)) + " " + text;
}

/// Whether a sample is short, cool and timed by the device, as fits need it.
bool is_burst(const ProbeSample& sample) {
  return sample.mode != "sustained" && sample.clock != "host";
}

CollectiveOp op_of(const std::string& name) {
  if (name == "send_recv") return CollectiveOp::send;
  for (std::size_t i = 0; i < collective_op_names.size(); ++i)
    if (collective_op_names[i] == name) return static_cast<CollectiveOp>(i);
  return CollectiveOp::dispatch;  // no log has it
}

/// Whether a collective is out of place, of `op`, with ranks spread evenly over nodes whose links are known.
bool is_usable(const ProbedCollective& what, CollectiveOp op, const SampledLinks& links) {
  if (what.in_place || what.ranks < 2 || op_of(what.operation) != op || what.bytes <= 0) return false;
  if (op == CollectiveOp::send && what.ranks != 2) return false;  // more ranks exchange a ring of messages
  const std::int64_t nodes = std::max<std::int64_t>(1, what.nodes);
  if (links.scale_up <= BytesPerSecond{}) return false;
  return nodes == 1 || (links.scale_out > BytesPerSecond{} && what.ranks % nodes == 0);
}

}  // namespace

std::vector<SampleRow<GemmRow>> gemm_samples(const std::vector<ProbeSamples>& all, const AcceleratorPart& part,
                                             const GemmFormat& format) {
  std::vector<SampleRow<GemmRow>> out;
  const FlopsPerSecond rate = peak(part, format.units);
  if (rate <= FlopsPerSecond{}) return out;
  for_each_sample<ProbedGemm>(all, [&](const ProbeSamples&, const ProbeSample& sample, const ProbedGemm& what) {
    if (!is_burst(sample) || fitted_format(what.dtype) != format.key) return;
    GemmRow row{.shape = {what.m, what.n, what.k, 1, layout_of(what)},
                .device = {rate, part.memory_bandwidth.value, part.multiprocessors ? part.multiprocessors->value : 0},
                .storage = {format.bytes_a * byte, format.bytes_b * byte, output_size(what, format)},
                .time = statistics_of(sample.repetitions).median,
                .accelerator = part.id,
                .architecture = architecture_of(part)};
    const bool large = is_large(row);
    out.push_back({row, gemm_words(what), fmt::format("{}x{}", what.n, what.k), row.time, large});
  });
  return out;
}

std::vector<SampleRow<AttentionRow>> attention_samples(const std::vector<ProbeSamples>& all,
                                                       const AcceleratorPart& part, const std::string& implementation) {
  std::vector<SampleRow<AttentionRow>> out;
  const AttentionDevice device = fitted_attention_device(part);
  if (device.peak <= FlopsPerSecond{}) return out;
  for_each_sample<ProbedAttention>(
      all, [&](const ProbeSamples&, const ProbeSample& sample, const ProbedAttention& what) {
        if (what.implementation != implementation || what.pass == ProbedPass::both || !is_burst(sample)) return;
        AttentionShape shape;
        shape.sequences = static_cast<double>(what.batch);
        shape.queries = shape.keys = static_cast<double>(what.sequence);
        shape.share = what.causal ? 0.5 : 1;
        shape.heads = static_cast<double>(what.heads);
        shape.key_width = shape.value_width = static_cast<double>(what.head_width);
        shape.forward = what.pass == ProbedPass::forward;
        const Seconds time = statistics_of(sample.repetitions).median;
        out.push_back({{shape, device, time},
                       fmt::format("{} of {} x {} tokens, {} heads of {}", enum_name(what.pass), what.batch,
                                   what.sequence, what.heads, what.head_width),
                       fmt::format("{} {} {}", what.sequence, what.batch, what.head_width),
                       time,
                       true});
      });
  return out;
}

std::vector<std::string> sampled_attention(const std::vector<ProbeSamples>& all) {
  std::set<std::string> names;
  for_each_sample<ProbedAttention>(all, [&](const ProbeSamples&, const ProbeSample&, const ProbedAttention& what) {
    if (!what.implementation.empty()) names.insert(what.implementation);
  });
  return {names.begin(), names.end()};
}

std::vector<SampleRow<TrafficRow>> memory_samples(const std::vector<ProbeSamples>& all) {
  std::vector<SampleRow<TrafficRow>> out;
  for_each_sample<ProbedMemory>(
      all, [&](const ProbeSamples& document, const ProbeSample& sample, const ProbedMemory& what) {
        const Bytes cached = std::max(beyond_l2 * document.device.l2, beyond_l3 * document.device.l3);
        const std::string operation(enum_name(what.operation));
        const double writes = write_share(operation);
        // Stores of a host's copy bypass the cache, which no kernel of a step does.
        const bool passes_by = document.device.kind == ProbeDeviceKind::host && what.operation == StreamKernel::copy;
        if (passes_by || !is_burst(sample) || writes < 0 || what.working_set < cached) return;
        const Seconds time = statistics_of(sample.repetitions).median;
        const std::string size = fmt::format("{:.1f} MB", sample.bytes.in(megabyte));
        out.push_back({{writes, sample.bytes, time}, operation + " of " + size, size, time, true});
      });
  return out;
}

std::vector<SampleRow<TrafficRow>> host_copy_samples(const std::vector<ProbeSamples>& all) {
  std::vector<SampleRow<TrafficRow>> out;
  for_each_sample<ProbedCopy>(all, [&](const ProbeSamples&, const ProbeSample& sample, const ProbedCopy& what) {
    if (what.direction != CopyDirection::host_to_device) return;
    const Seconds time = statistics_of(sample.repetitions).median;
    const std::string size = fmt::format("{:.3f} MB", sample.bytes.in(megabyte));
    out.push_back({{0, sample.bytes, time}, "host to device, " + size, size, time, true});
  });
  return out;
}

std::vector<SampleRow<CollectiveRow>> collective_samples(const std::vector<ProbeSamples>& all,
                                                         const AcceleratorPart& part, const SampledLinks& links,
                                                         CollectiveOp op) {
  std::vector<SampleRow<CollectiveRow>> out;
  for_each_sample<ProbedCollective>(
      all, [&](const ProbeSamples&, const ProbeSample& sample, const ProbedCollective& what) {
        if (!is_usable(what, op, links)) return;
        const int nodes = static_cast<int>(std::max<std::int64_t>(1, what.nodes));
        CollectiveRow row{
            op, static_cast<double>(what.bytes) * byte, {nodes, static_cast<int>(what.ranks) / nodes}, {}, {}};
        row.links = {links.scale_up, links.scale_out, usual_switch_latency, reduces_in_switch(part)};
        row.links.generation = nccl_generation(part);
        row.links.sharp = links.sharp;
        row.time = statistics_of(sample.repetitions).median;
        const bool large = row.size >= large_message;
        row.weight = large ? 1 : small_message_weight;
        out.push_back({row,
                       fmt::format("{} of {} bytes, {} ranks on {} node{}", what.operation, what.bytes, what.ranks,
                                   nodes, nodes == 1 ? "" : "s"),
                       fmt::format("{}", what.bytes), row.time, large});
      });
  return out;
}

ProbeSamples of_threads(ProbeSamples samples, std::int64_t threads) {
  std::int64_t most = 0;
  for (const ProbeSample& sample : samples.samples) most = std::max(most, threads_of(sample.what));
  const std::int64_t kept = threads > 0 ? threads : most;
  std::erase_if(samples.samples, [&](const ProbeSample& sample) {
    const std::int64_t own = threads_of(sample.what);
    return own > 0 && own != kept;
  });
  return samples;
}

bool crosses_nodes(const std::vector<ProbeSamples>& all) {
  bool found = false;
  for_each_sample<ProbedCollective>(all, [&](const ProbeSamples&, const ProbeSample&, const ProbedCollective& what) {
    found = found || what.nodes > 1;
  });
  return found;
}

}  // namespace clusterwright
