// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/sample_fit.hpp"

#include <algorithm>

#include "calibration/fit/attention_fit.hpp"
#include "calibration/fit/memory_fit.hpp"
#include "calibration/fit/probe_stack.hpp"
#include "models/kernels/streaming_time.hpp"
#include "support/catch.hpp"
#include "support/made_up_samples.hpp"

using namespace clusterwright;

namespace {

const SectionFit& section(const SampleFit& fit, const std::string& name) {
  const auto found =
      std::find_if(fit.sections.begin(), fit.sections.end(), [&](const SectionFit& one) { return one.name == name; });
  REQUIRE(found != fit.sections.end());
  return *found;
}

SampleFit fit_of(const ProbeSamples& samples, const SampledLinks& links = {}) {
  return fit_samples({samples}, shipped_part("H200"), shipped_parameters("h200"),
                     {"own", "own samples of H200", links});
}

/// The shipped H200, a tenth slower, with dearer prologues.
GemmParameters other_chip() {
  GemmParameters out = shipped_parameters("h200").gemm.at("bf16");
  out.efficiency.value *= 0.9;
  out.k_overhead.value = 120;
  out.fixed.value = 6 * microsecond;
  return out;
}

ProbeSamples multiplies(double noise) {
  ProbeSamples out = made_up_gpu();
  add_gemms(shipped_part("H200"), other_chip(), noise, out);
  return out;
}

}  // namespace

TEST_CASE("a fit finds the chip that made the samples", "[calibration][samples]") {
  const SampleFit fit = fit_of(multiplies(0.02));
  const SectionFit& gemm = section(fit, "gemm/bf16");
  CHECK(gemm.state == SectionState::fitted);
  CHECK(gemm.samples == 80);
  CHECK(gemm.sizes == 16);
  CHECK(gemm.reports.front().held_out_median_abs_log < 0.03);
  CHECK(gemm.coverage > 0.8);
  CHECK(gemm.coverage < 0.99);
  const GemmParameters& found = fit.parameters.gemm.at("bf16");
  CHECK(found.efficiency.value == Approx(other_chip().efficiency.value).epsilon(0.02));
  CHECK(found.fixed.value.in(microsecond) == Approx(6).epsilon(0.1));
  CHECK(std::abs(found.efficiency.value - other_chip().efficiency.value) < 3 * found.efficiency.std_error);
  CHECK(found.efficiency.source.find("80 samples") != std::string::npos);
  CHECK(found.efficiency.source.find("own samples of H200") != std::string::npos);
  // Both 16-bit formats run on the same units; what no sample speaks of is kept to the byte.
  CHECK(fit.parameters.gemm.at("fp16").efficiency.value == found.efficiency.value);
  CHECK(fit.parameters.gemm.at("fp8").efficiency.value == shipped_parameters("h200").gemm.at("fp8").efficiency.value);
  CHECK(fit.parameters.memory.bandwidth_share.source == shipped_parameters("h200").memory.bandwidth_share.source);
}

TEST_CASE("what is generic and not sampled keeps its report, and with it its width", "[calibration][samples]") {
  const SampleFit fit = fit_samples({multiplies(0.02)}, shipped_part("H200"), shipped_parameters("generic"),
                                    {"own", "own samples of H200", {}});
  const auto has_report = [&](const std::string& name) {
    return std::any_of(fit.parameters.fits.begin(), fit.parameters.fits.end(),
                       [&](const FitReport& one) { return one.name == name; });
  };
  CHECK(has_report("gemm/bf16, M >= 1024"));
  CHECK_FALSE(has_report("gemm/bf16, M >= 1024, generation held out"));
  CHECK(has_report("gemm/fp8, M >= 1024, generation held out"));
  CHECK(has_report("collectives/all_reduce, from 1 MB"));
}

TEST_CASE("one wild sample moves nothing and is named the worst", "[calibration][samples]") {
  ProbeSamples samples = multiplies(0.02);
  for (Seconds& time : samples.samples[40].repetitions) time *= 8;
  const SampleFit fit = fit_of(samples), clean = fit_of(multiplies(0.02));
  const auto& residuals = section(fit, "gemm/bf16").residuals;
  const auto worst = std::max_element(residuals.begin(), residuals.end(),
                                      [](auto& a, auto& b) { return std::abs(a.error) < std::abs(b.error); });
  CHECK(worst - residuals.begin() == 40);
  CHECK_FALSE(worst->inside());
  CHECK(fit.parameters.gemm.at("bf16").efficiency.value ==
        Approx(clean.parameters.gemm.at("bf16").efficiency.value).epsilon(0.01));
}

TEST_CASE("too few samples change nothing", "[calibration][samples]") {
  ProbeSamples samples = multiplies(0.02);
  samples.samples.resize(11);
  const SampleFit fit = fit_of(samples);
  CHECK(section(fit, "gemm/bf16").state == SectionState::too_few);
  CHECK(fit.parameters.gemm.at("bf16").efficiency.value == shipped_parameters("h200").gemm.at("bf16").efficiency.value);
}

TEST_CASE("samples that no curve explains are refused", "[calibration][samples]") {
  const SampleFit fit = fit_of(multiplies(0.8));
  CHECK(section(fit, "gemm/bf16").state == SectionState::poor);
  CHECK(fit.any(SectionState::poor));
  CHECK(fit.parameters.gemm.at("bf16").efficiency.source.find("own samples") == std::string::npos);
}

TEST_CASE("a kernel of attention is fitted beside the shipped families, both passes", "[calibration][samples]") {
  const AcceleratorPart& part = shipped_part("H200");
  AttentionParameters truth = shipped_parameters("h200").attention.at("flash-2");
  truth.forward_efficiency.value = 0.31;
  truth.backward_efficiency.value = 0.22;
  truth.score_clocks.value = 0.2;
  truth.score_clocks_backward.value = 0.6;
  truth.block_clocks.value = 9000;
  truth.block_clocks_backward.value = 7000;
  truth.row_bytes_backward.value = 40;
  truth.tail_share.value = 0.9;
  ProbeSamples samples = made_up_gpu();
  NormalNumbers numbers(9);
  for (const std::int64_t sequence : {512, 1024, 2048, 4096, 8192, 16384})
    for (const std::int64_t width : {64, 128})
      for (const ProbedPass pass : {ProbedPass::forward, ProbedPass::backward}) {
        ProbedAttention what;
        what.pass = pass, what.implementation = "own_wmma", what.dtype = "bf16", what.batch = 16384 / sequence;
        what.sequence = sequence, what.heads = what.kv_heads = 32, what.head_width = width, what.causal = true;
        samples.samples.push_back(made_up_sample(what, 1 * second, 0, numbers));
      }
  const auto rows = attention_samples({samples}, part, "own_wmma");
  REQUIRE(rows.size() == samples.samples.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (Seconds& time : samples.samples[i].repetitions)
      time = attention_time(rows[i].row.shape, truth, rows[i].row.device).time() * std::exp(0.01 * numbers.next());
  const SampleFit fit = fit_of(samples);
  CHECK(section(fit, "attention/own_wmma").reports.front().held_out_median_abs_log < 0.03);
  const AttentionParameters& found = fit.parameters.attention.at("own_wmma");
  CHECK(found.forward_efficiency.value == Approx(0.31).epsilon(0.03));
  CHECK(found.backward_efficiency.value == Approx(0.22).epsilon(0.03));
  CHECK(found.score_clocks.value == Approx(0.2).epsilon(0.2));
  CHECK(found.score_clocks_backward.value == Approx(0.6).epsilon(0.2));
  CHECK(found.block_clocks.value == Approx(9000).epsilon(0.1));
  CHECK(found.row_bytes_backward.value == Approx(40).epsilon(0.2));
  CHECK(fit.parameters.attention.at("flash-2").forward_efficiency.source ==
        shipped_parameters("h200").attention.at("flash-2").forward_efficiency.source);
}

TEST_CASE("samples of a shipped family start from what is believed of it", "[calibration][samples]") {
  const AttentionParameters believed = shipped_parameters("h200").attention.at("cudnn");
  const AttentionParameters none = fit_attention_samples({}, "own", &believed);
  CHECK(none.forward_efficiency.value == Approx(believed.forward_efficiency.value));
  CHECK(none.backward_efficiency.value == Approx(believed.backward_efficiency.value));
  CHECK(none.score_clocks.value == Approx(believed.score_clocks.value));
}

TEST_CASE("streams tell shares and the size that half of them needs", "[calibration][samples]") {
  const AcceleratorPart& part = shipped_part("H200");
  MemoryParameters truth = shipped_parameters("h200").memory;
  truth.bandwidth_share.value = 0.75;
  truth.read_share.value = 0.85;
  truth.half_size.value = 30 * megabyte;
  ProbeSamples samples = made_up_gpu();
  NormalNumbers numbers(3);
  for (const StreamKernel operation : {StreamKernel::copy, StreamKernel::triad, StreamKernel::read})
    for (const double megabytes : {10.0, 250.0, 500.0, 1000.0, 2000.0, 4000.0, 8000.0}) {
      ProbedMemory what;
      what.operation = operation;
      what.working_set = megabytes * megabyte;
      const BytesPerSecond rate =
          part.memory_bandwidth.value * streaming_share(write_share(std::string(enum_name(operation))), truth);
      const Seconds gap = shipped_parameters("h200").step.kernel_gap.value;
      ProbeSample sample =
          made_up_sample(what, (what.working_set + truth.half_size.value) / rate + gap, 0.005, numbers);
      sample.bytes = what.working_set;
      samples.samples.push_back(std::move(sample));
    }
  const SampleFit fit = fit_of(samples);
  CHECK(section(fit, "memory").samples == 18);  // 10 MB is the cache's
  CHECK(section(fit, "memory").reports.front().held_out_median_abs_log < 0.03);
  CHECK(fit.parameters.memory.bandwidth_share.value == Approx(0.75).epsilon(0.02));
  CHECK(fit.parameters.memory.read_share.value == Approx(0.85).epsilon(0.02));
  CHECK(fit.parameters.memory.half_size.value.in(megabyte) == Approx(30).epsilon(0.2));
}

namespace {

/// all_reduce of eight ranks on each of `nodes`, `slower` than what the shipped curves say.
ProbeSamples logged_all_reduce(int nodes, double slower, const SampledLinks& links) {
  const AcceleratorPart& part = shipped_part("H200");
  const ParameterSet set = shipped_parameters("h200");
  ProbeSamples samples = made_up_gpu();
  NormalNumbers numbers(5);
  for (std::int64_t bytes = 1024; bytes <= std::int64_t{1} << 32; bytes *= 4) {
    ProbedCollective what;
    what.operation = "all_reduce";
    what.bytes = bytes, what.ranks = 8 * nodes, what.nodes = nodes;
    samples.samples.push_back(made_up_sample(what, 1 * second, 0, numbers));
  }
  for (std::size_t i = 0; const auto& row : collective_samples({samples}, part, links, CollectiveOp::all_reduce)) {
    const Seconds time = predicted_time(row.row, set.collectives, set.network) * slower;
    for (Seconds& one : samples.samples[i].repetitions) one = time;
    ++i;
  }
  return samples;
}

}  // namespace

TEST_CASE("a log of one operation moves its curve alone", "[calibration][samples]") {
  const SampledLinks links{shipped_part("H200").scale_up_bandwidth->value, {}, false};
  const ParameterSet shipped = shipped_parameters("h200");
  const SampleFit fit = fit_of(logged_all_reduce(1, 1.3, links), links);
  const SectionFit& own = section(fit, "collectives/all_reduce");
  CHECK(own.state == SectionState::fitted);
  CHECK(own.reports.front().held_out_median_abs_log < 0.05);
  for (const auto& row :
       collective_samples({logged_all_reduce(1, 1.3, links)}, shipped_part("H200"), links, CollectiveOp::all_reduce)) {
    const double before = predicted_time(row.row, shipped.collectives, shipped.network) / row.measured;
    const double now = predicted_time(row.row, fit.parameters.collectives, shipped.network) / row.measured;
    CHECK(before == Approx(1 / 1.3));
    CHECK(now == Approx(1).epsilon(0.08));
  }
  CHECK(fit.parameters.collectives.at("all_gather").base_latency.value ==
        shipped.collectives.at("all_gather").base_latency.value);
}

TEST_CASE("a log over nodes moves the network, and is no use without links", "[calibration][samples]") {
  const SampledLinks links{shipped_part("H200").scale_up_bandwidth->value, 50 * gigabyte / second, false};
  const ProbeSamples samples = logged_all_reduce(4, 1.25, links);
  CHECK(crosses_nodes({samples}));
  const SampleFit fit = fit_of(samples, links);
  CHECK(section(fit, "network").state == SectionState::fitted);
  CHECK(fit.parameters.network.bandwidth_share.value < 0.9 * shipped_parameters("h200").network.bandwidth_share.value);
  CHECK(fit.parameters.network.structural_error.value < 0.12);  // this fabric, not how fabrics differ
  CHECK(fit_of(samples).sections.empty());
}

namespace {

struct MadeUpLoad {
  const char* name;
  const char* contents;
  double tensor;  ///< busy share of the matrix units, at their clock
  double memory;
  double clock;
  double wait_us;
};

/// A load of about a millisecond as the probe would write it, but for its watts.
ProbeSample held(const MadeUpLoad& load, const AcceleratorPart& part, const ParameterSet& set) {
  ProbeSample out;
  out.mode = "sustained";
  ProbedPower& what = out.what.emplace<ProbedPower>();
  what.load = load.name;
  what.contents = load.contents;
  out.state.sm = load.clock * part.boost_mhz->value * megahertz;
  if (load.tensor + load.memory == 0) return out;
  const Seconds busy = 1 * millisecond, all = busy + load.wait_us * microsecond;
  what.dtype = "bf16";
  out.flops = load.tensor * busy * peak(part, NumberFormat::bf16) * set.gemm.at("bf16").efficiency.value * load.clock;
  out.bytes = load.memory * busy * part.memory_bandwidth.value * set.memory.bandwidth_share.value;
  out.repetitions = {all, all, all};
  if (load.wait_us > 0) what.second.value = JsonValue::object({{"wait_us", load.wait_us}});
  return out;
}

}  // namespace

TEST_CASE("held loads tell what units draw, and how power follows the clock", "[calibration][samples]") {
  const AcceleratorPart& part = shipped_part("H200");
  const ParameterSet set = shipped_parameters("h200");
  DevicePowerParameters truth = set.power;
  truth.tensor_weight.value = 1.2;
  truth.memory_weight.value = 0.4;
  truth.active_weight.value = 0.2;
  truth.waiting_share.value = 0.15;
  truth.clock_exponent.value = 2.8;
  truth.idle = Sourced<Watts>{95 * watt, ""};
  ProbeSamples samples = made_up_gpu();
  for (const MadeUpLoad& load : {MadeUpLoad{"idle", "", 0, 0, 0.2, 0},
                                 {"spin_wait", "", 0, 0, 1, 0},
                                 {"memory_bound_read", "", 0, 1, 1, 0},
                                 {"device_copy", "", 0, 0.95, 1, 0},
                                 {"gemm", "random", 1, 0.1, 0.8, 0},
                                 {"gemm", "zeros", 1, 0.1, 1, 0},
                                 {"gemm", "sparse", 1, 0.1, 0.9, 0},
                                 {"gemm_half_duty", "random", 1, 0.1, 1, 1000},
                                 {"mixed_gemm_copy", "random", 0.5, 0.6, 0.95, 0},
                                 {"decode_like", "random", 0.05, 0.9, 1, 0},
                                 {"quarter_duty", "random", 1, 0.1, 1, 3000}})
    samples.samples.push_back(held(load, part, set));
  for (ProbeSample& sample : samples.samples) sample.mean_power = 1 * watt;
  const auto rows = power_samples({samples}, part, set);
  REQUIRE(rows.size() == samples.samples.size());
  NormalNumbers numbers(11);
  for (std::size_t i = 0; i < rows.size(); ++i)
    samples.samples[i].mean_power =
        predicted_power(rows[i].row, part, truth, 0.9, 0.6) * std::exp(0.01 * numbers.next());

  const SampleFit fit = fit_of(samples);
  const SectionFit& power = section(fit, "power");
  CHECK(power.state == SectionState::fitted);
  CHECK(power.samples == 4);  // mixed loads judge; pure ones are each the only witness of a number
  CHECK(power.reports.front().held_out_median_abs_log < 0.05);
  const DevicePowerParameters& found = fit.parameters.power;
  REQUIRE(found.idle);
  CHECK(found.idle->value.in(watt) == Approx(95).epsilon(0.03));
  CHECK(found.tensor_weight.value == Approx(1.2).epsilon(0.06));
  CHECK(found.memory_weight.value + found.active_weight.value == Approx(0.6).epsilon(0.06));
  CHECK(found.waiting_share.value == Approx(0.15).epsilon(0.1));
  CHECK(found.clock_exponent.value == Approx(2.8).epsilon(0.12));  // no limit was touched
  CHECK(found.clock_exponent.value > set.power.clock_exponent.value);
}

TEST_CASE("a layer is the sum of its pieces, and a split layer less than the whole", "[calibration][samples]") {
  const AcceleratorPart& part = shipped_part("H200");
  ParameterSet set = shipped_parameters("h200");
  set.attention["own_wmma"] = set.attention.at("flash-2");
  ProbeSample layer;
  ProbedLayer& what = layer.what.emplace<ProbedLayer>();
  what.pass = ProbedPass::forward, what.dtype = "bf16", what.attention = "own_wmma";
  what.batch = 1, what.sequence = 4096, what.hidden = 4096, what.ffn = 14336;
  what.heads = 32, what.kv_heads = 8, what.head_width = 128;
  what.gated = what.causal = true;
  const Seconds forward = predicted_layers(layer, part, set);
  // 2 x 4096 tokens x 218 M weights and 4096^2 x 4096 x 2 of attention, at some 600 to 800 TFLOP/s.
  const Flops flops = (2.0 * 4096 * 218.1e6 + 2.0 * 4096 * 4096 * 4096) * flop;
  CHECK(flops / forward > 500e12 * flop / second);
  CHECK(flops / forward < 800e12 * flop / second);
  what.pass = ProbedPass::both;
  const Seconds both = predicted_layers(layer, part, set);
  CHECK(both / forward > 2.8);
  CHECK(both / forward < 3.6);
  ProbeSample sustained = layer;
  sustained.mode = "sustained";  // at the clock that 700 W allow
  CHECK(predicted_layers(sustained, part, set) > both);
  CHECK(predicted_layers(sustained, part, set) < 1.15 * both);
  ProbeSample model;
  ProbedModel& whole = model.what.emplace<ProbedModel>();
  static_cast<ProbedTransformer&>(whole) = what;
  whole.layers = 4, whole.vocabulary = 32000, whole.parameters = 4 * 218'100'000;
  CHECK(predicted_layers(model, part, set) > 4 * both);
  what.heads = 8, what.kv_heads = 2, what.ffn = 14336 / 4;  // a rank of four
  CHECK(predicted_layers(layer, part, set) < 0.4 * both);

  ProbeSamples samples = made_up_gpu();
  layer.repetitions = {1.1 * predicted_layers(layer, part, set)};
  samples.samples = {layer};
  const std::vector<SectionFit> found = check_layers({samples}, part, set);
  REQUIRE(found.size() == 1);
  CHECK(found.front().name == "layer");
  CHECK(found.front().state == SectionState::checked);
  CHECK(found.front().residuals.front().error == Approx(-std::log(1.1)));
  CHECK(check_layers({samples}, part, shipped_parameters("h200")).empty());  // nobody fitted that attention
}
