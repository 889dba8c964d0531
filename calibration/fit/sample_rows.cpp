#include "calibration/fit/sample_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "calibration/fit/memory_fit.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "models/kernels/collectives/nccl_generation.hpp"

namespace clusterwright {

namespace {

constexpr double beyond_l2 = 4, beyond_l3 = 2;  // below, part of a working set stays in the cache between two calls
/// Calls visit(document, sample) for every sample of a probe that has repetitions.
template <class Visit>
void for_each_sample(const std::vector<ProbeSamples>& all, const char* probe, Visit visit) {
  for (const ProbeSamples& document : all)
    for (const ProbeSample& sample : document.samples)
      if (sample.probe == probe && !sample.repetitions.empty()) visit(document, sample);
}

/// The name in probes of a format of the measurement set.
bool multiplies_in(const std::string& dtype, const GemmFormat& format) {
  if (format.key == "bf16") return dtype == "bf16" || dtype == "fp16";
  return dtype == format.key || (format.key == "fp8" && (dtype == "fp8_e4m3" || dtype == "fp8_e5m2"));
}

Bytes output_size(const ProbeWhat& what, const GemmFormat& format) {
  const bool wide = what.output == "fp32" || (what.output.empty() && format.bytes_a >= 4);
  const Bytes element = (wide ? 4 : 2) * byte;
  return what.accumulate ? 2 * element : element;  // adding to C reads it first
}

std::string gemm_words(const ProbeWhat& what) {
  std::string text = fmt::format("{} x {} x {}", what.m, what.n, what.k);
  if (!what.layout.empty()) text += " " + what.layout;
  if (what.threads > 1) text += fmt::format(", {} threads", what.threads);
  return what.dtype + " " + text;
}

/// Short and cool, timed by the device: what a fit is made of.
bool is_burst(const ProbeSample& sample) {
  return sample.mode != "sustained" && sample.clock != "host";
}

CollectiveOp op_of(const std::string& name) {
  if (name == "send_recv") return CollectiveOp::send;
  for (std::size_t i = 0; i < collective_op_names.size(); ++i)
    if (collective_op_names[i] == name) return static_cast<CollectiveOp>(i);
  return CollectiveOp::dispatch;  // which no log has
}

/// Out of place; ranks that are spread evenly over their nodes.
bool is_usable(const ProbeWhat& what, CollectiveOp op, const SampledLinks& links) {
  if (what.in_place || what.ranks < 2 || op_of(what.operation) != op || what.bytes <= 0) return false;
  if (op == CollectiveOp::send && what.ranks != 2) return false;  // a ring of messages, not one
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
  for_each_sample(all, "gemm", [&](const ProbeSamples&, const ProbeSample& sample) {
    const ProbeWhat& what = sample.what;
    if (!is_burst(sample) || !multiplies_in(what.dtype, format)) return;
    GemmRow row{.shape = {what.m, what.n, what.k},
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

std::vector<SampleRow<AttentionSampleRow>> attention_samples(const std::vector<ProbeSamples>& all,
                                                             const AcceleratorPart& part,
                                                             const std::string& implementation) {
  std::vector<SampleRow<AttentionSampleRow>> out;
  const FlopsPerSecond rate = peak(part, NumberFormat::bf16);
  if (rate <= FlopsPerSecond{}) return out;
  for_each_sample(all, "attention", [&](const ProbeSamples&, const ProbeSample& sample) {
    const ProbeWhat& what = sample.what;
    const bool one_pass = what.pass == "forward" || what.pass == "backward";
    if (what.implementation != implementation || !one_pass || !is_burst(sample)) return;
    AttentionShape shape;
    shape.sequences = static_cast<double>(what.batch);
    shape.queries = shape.keys = static_cast<double>(what.sequence);
    shape.share = what.causal ? 0.5 : 1;
    shape.heads = static_cast<double>(what.heads);
    shape.head_width = static_cast<double>(what.head_width);
    shape.forward = what.pass == "forward";
    const Seconds time = statistics_of(sample.repetitions).median;
    out.push_back({{shape, rate, time},
                   fmt::format("{} of {} x {} tokens, {} heads of {}", what.pass, what.batch, what.sequence, what.heads,
                               what.head_width),
                   fmt::format("{} {} {}", what.sequence, what.batch, what.head_width),
                   time,
                   true});
  });
  return out;
}

std::vector<std::string> sampled_attention(const std::vector<ProbeSamples>& all) {
  std::set<std::string> names;
  for_each_sample(all, "attention", [&](const ProbeSamples&, const ProbeSample& sample) {
    if (!sample.what.implementation.empty()) names.insert(sample.what.implementation);
  });
  return {names.begin(), names.end()};
}

std::vector<SampleRow<TrafficRow>> memory_samples(const std::vector<ProbeSamples>& all) {
  std::vector<SampleRow<TrafficRow>> out;
  for_each_sample(all, "memory", [&](const ProbeSamples& document, const ProbeSample& sample) {
    const Bytes cached = std::max(beyond_l2 * document.device.l2, beyond_l3 * document.device.l3);
    const double writes = write_share(sample.what.operation);
    // A host copies by stores that pass the cache by, which no kernel of a step does.
    const bool passes_by = document.device.kind == ProbeDeviceKind::host && sample.what.operation == "copy";
    if (passes_by || !is_burst(sample) || writes < 0 || sample.what.working_set < cached) return;
    const Seconds time = statistics_of(sample.repetitions).median;
    const std::string size = fmt::format("{:.1f} MB", sample.bytes.in(megabyte));
    out.push_back({{writes, sample.bytes, time}, sample.what.operation + " of " + size, size, time, true});
  });
  return out;
}

std::vector<SampleRow<TrafficRow>> host_copy_samples(const std::vector<ProbeSamples>& all) {
  std::vector<SampleRow<TrafficRow>> out;
  for_each_sample(all, "copies", [&](const ProbeSamples&, const ProbeSample& sample) {
    if (sample.what.direction != "host_to_device") return;
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
  for_each_sample(all, "collectives", [&](const ProbeSamples&, const ProbeSample& sample) {
    const ProbeWhat& what = sample.what;
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
                   fmt::format("{} of {} bytes, {} ranks on {} node{}", what.operation, what.bytes, what.ranks, nodes,
                               nodes == 1 ? "" : "s"),
                   fmt::format("{}", what.bytes), row.time, large});
  });
  return out;
}

ProbeSamples of_threads(ProbeSamples samples, std::int64_t threads) {
  std::int64_t most = 0;
  for (const ProbeSample& sample : samples.samples) most = std::max(most, sample.what.threads);
  const std::int64_t kept = threads > 0 ? threads : most;
  std::erase_if(samples.samples,
                [&](const ProbeSample& sample) { return sample.what.threads > 0 && sample.what.threads != kept; });
  return samples;
}

bool crosses_nodes(const std::vector<ProbeSamples>& all) {
  bool found = false;
  for_each_sample(all, "collectives",
                  [&](const ProbeSamples&, const ProbeSample& sample) { found = found || sample.what.nodes > 1; });
  return found;
}

}  // namespace clusterwright
