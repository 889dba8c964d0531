// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/kernel_times.hpp"

#include <cmath>
#include <vector>

#include "sim/clocked_power.hpp"
#include "support/catch.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const AcceleratorPart& h100() {
  return *parts().find_accelerator("H100-SXM");
}
const ParameterSet& fitted() {
  static const ParameterSet set = fitted_parameters("h100-sxm");
  return set;
}
const SoftwareStack& stack() {
  static const SoftwareStack s = software_stack("megatron-2024");
  return s;
}
StepFactors factors() {
  StepFactors out;
  out.compute = 1.1;
  return out;
}
KernelTimes kernels(Precision precision = Precision::bf16) {
  return {h100(), fitted(), stack(), factors(), precision};
}

double seconds(const KernelTiming& price) {
  return to_seconds(price.work.duration).in(second);
}

/// What every kernel pays between itself and the next.
double gap() {
  return (fitted().step.kernel_gap.value * stack().kernels_per_op.value).in(second);
}

AttentionShape attention_shape() {
  return {1, 8192, 8192, 0.5, 16, 128, 128, true};
}

/// TFLOP/s of a kernel that draws so many watts above idle for as long as it is held.
double sustained_rate(const KernelTiming& kernel, double flops, double watts, const VoltageCurve& voltage) {
  const WorkTiming& work = kernel.work;
  double clock = 1;
  while (clock > 0.3 && work.power.in(watt)*ClockedPower(clock, voltage).of(work.clock_share) > watts) clock -= 0.001;
  return flops / (seconds(kernel) * clock_stretch(work.clock_share, clock)) / 1e12;
}

std::string error_of(const AcceleratorPart& part, const ParameterSet& set, const SoftwareStack& s, Precision p) {
  try {
    KernelTimes(part, set, s, factors(), p);
  } catch (const ConfigError& error) {
    return error.diagnostics().front().code;
  }
  return {};
}

}  // namespace

TEST_CASE("a matrix multiply in a step is its microbenchmark, taxed, and a gap", "[models]") {
  const GemmShape shape{8192, 4096, 4096};
  const AcceleratorPart& part = h100();
  const GemmDevice device{peak(part, NumberFormat::bf16), part.memory_bandwidth.value, part.multiprocessors->value};
  const Seconds alone = gemm_time(shape, device, fitted().gemm.at("bf16"), 2 * byte, 2 * byte, 0).time;
  const KernelTiming price = kernels().gemm(shape, true, 2 * byte);
  CHECK(seconds(price) == Approx(alone.in(second)*1.1 + gap()).epsilon(1e-6));
  CHECK(price.work.clock_share > 0.9);
  CHECK(price.work.activity.tensor > 0.9);
  CHECK(to_seconds(price.work.launch) == stack().kernel_launch.value * stack().kernels_per_op.value);
}

TEST_CASE("a multiply slows down with the multiprocessors that collectives hold", "[models]") {
  const KernelTiming price = kernels().gemm({8192, 8192, 8192}, true, 2 * byte);
  REQUIRE(price.slow_down);
  const auto& points = price.slow_down->points;
  REQUIRE(points.size() == 3);
  CHECK(points[0].reserved == 0);
  CHECK(points[0].relative_duration == 1);
  CHECK(points[1].reserved == 20);  // of one collective
  // 132 / 112 and 132 / 92, give or take a wave.
  CHECK(points[1].relative_duration == Approx(132.0 / 112).epsilon(0.05));
  CHECK(points[2].relative_duration == Approx(132.0 / 92).epsilon(0.05));
}

TEST_CASE("8 bit is faster only where asked for", "[models]") {
  const GemmShape shape{8192, 8192, 8192};
  const double wide = seconds(kernels().gemm(shape, true, 2 * byte));
  CHECK(seconds(kernels(Precision::fp8).gemm(shape, true, 2 * byte)) < 0.7 * wide);
  CHECK(seconds(kernels(Precision::fp8).gemm(shape, false, 2 * byte)) == wide);
  CHECK(seconds(kernels(Precision::fp16).gemm(shape, true, 2 * byte)) == wide);
}

TEST_CASE("attention grows with heads, and a backward pass costs more than two forward passes", "[models]") {
  const KernelTimes device = kernels();
  AttentionShape shape = attention_shape();
  const double forward = seconds(device.attention(shape)) - gap();
  shape.heads *= 2;
  const double twice = seconds(device.attention(shape)) - gap();
  CHECK(twice < 2 * forward);  // the last blocks are idle as long as before
  CHECK(twice > 1.8 * forward);
  shape = attention_shape();
  shape.forward = false;
  const double backward = seconds(device.attention(shape)) - gap();
  CHECK(backward > 2 * forward);
  CHECK(backward < 4 * forward);
}

TEST_CASE("held kernels run at the clock that their measured power allows", "[models]") {
  // Means of 3 s on one H100 and one H200, 2026-11-28: watts, TFLOP/s.
  struct Held {
    const char* kernel;  // empty: multiply of 8,192 cubed
    AttentionShape shape;
    double h100_watts, h100_rate, h200_watts, h200_rate;
  };
  const std::vector<Held> all = {{"", {}, 709, 675, 714, 670},
                                 {"cudnn", {2, 8192, 8192, 0.5, 32, 128, 128, true}, 700, 531, 710, 542},
                                 {"cudnn", {2, 8192, 8192, 0.5, 32, 128, 128, false}, 699, 474, 721, 482},
                                 {"cudnn", {1, 32768, 32768, 0.5, 32, 128, 128, false}, 673, 519, 652, 522},
                                 {"cudnn", {8, 2048, 2048, 0.5, 32, 128, 128, false}, 696, 364, 688, 388},
                                 {"cudnn", {2, 8192, 8192, 0.5, 32, 64, 64, false}, 702, 387, 679, 397},
                                 {"flash-2", {2, 8192, 8192, 0.5, 32, 128, 128, true}, 714, 315, 688, 320},
                                 {"flash-2", {2, 8192, 8192, 0.5, 32, 128, 128, false}, 706, 282, 705, 286}};
  const ParameterSet h200_set = fitted_parameters("h200");
  double sum = 0;
  for (const Held& held : all)
    for (const bool is_h100 : {true, false}) {
      SoftwareStack measured = stack();
      if (*held.kernel) measured.attention = held.kernel;
      const ParameterSet& set = is_h100 ? fitted() : h200_set;
      const AcceleratorPart& part = *parts().find_accelerator(is_h100 ? "H100-SXM" : "H200");
      const KernelTimes device(part, set, measured, {}, Precision::bf16);
      const AttentionShape& s = held.shape;
      const double pair = 2 * s.sequences * s.heads * s.queries * s.keys * s.share * s.key_width;
      const double flops = *held.kernel ? pair * (s.forward ? 2 : 5) : 2 * std::pow(8192.0, 3);
      const KernelTiming kernel = *held.kernel ? device.attention(s) : device.gemm({8192, 8192, 8192}, false, 2 * byte);
      const double watts = is_h100 ? held.h100_watts : held.h200_watts;
      const double error = sustained_rate(kernel, flops, watts - device.idle_power().in(watt), set.power.voltage()) /
                               (is_h100 ? held.h100_rate : held.h200_rate) -
                           1;
      CAPTURE(held.kernel, s.queries, s.key_width, s.forward, is_h100, error);
      CHECK(error == Approx(0).margin(0.18));
      sum += error;
    }
  CHECK(sum / static_cast<double>(2 * all.size()) == Approx(0).margin(0.08));
}

TEST_CASE("an elementwise kernel takes its traffic over the reachable bandwidth", "[models]") {
  const MemoryParameters& fit = fitted().memory;
  const double rate = h100().memory_bandwidth.value.in(byte_per_second)*fit.bandwidth_share.value;
  const double half = fit.half_size.value.in(byte);
  CHECK(seconds(kernels().elementwise(1 * gigabyte)) == Approx((1e9 + half) / rate + gap()).epsilon(1e-6));
  CHECK(seconds(kernels().elementwise(Bytes{})) == Approx(half / rate + gap()).epsilon(1e-6));
  CHECK(kernels().elementwise(fit.half_size.value).work.activity.memory == Approx(0.5));
  CHECK(kernels().elementwise(1 * gigabyte).work.clock_share == 0);
}

TEST_CASE("an update takes its bytes and the clocks of each parameter, as fused AdamW does on two cards", "[models]") {
  struct Measured {
    const char* part;
    const char* parameters;
    double bytes, seconds;  // of one parameter
  };
  // calibration/torch_probe/samples, 2026-11-28, FusedOptimizer kernels: states in 16 bit at 1980 MHz; in 32 bit.
  const Measured all[] = {{"H100-SXM", "h100-sxm", 14, 6.12e-12},
                          {"H200", "h200", 14, 5.15e-12},
                          {"H100-SXM", "h100-sxm", 28, 11.0e-12},
                          {"H200", "h200", 28, 8.30e-12}};
  for (const Measured& m : all) {
    INFO(m.part << ", " << m.bytes << " bytes");
    const ParameterSet set = fitted_parameters(m.parameters);
    const KernelTimes times(*parts().find_accelerator(m.part), set, stack(), factors(), Precision::bf16);
    const KernelTiming price = times.update(4e9 * m.bytes * byte, 4e9);
    CHECK(seconds(price) / (4e9 * m.seconds) == Approx(1).epsilon(0.06));
    CHECK(seconds(price) > 1.1 * seconds(times.elementwise(4e9 * m.bytes * byte)));
    CHECK(price.work.clock_share > 0.1);
  }
}

TEST_CASE("an update whose stack streams it takes its bytes alone", "[models]") {
  SoftwareStack streamed = stack();
  streamed.kernels.update_clocks.value = 0;
  const KernelTimes times(h100(), fitted(), streamed, factors(), Precision::bf16);
  CHECK(seconds(times.update(30 * gigabyte, 1e9)) == Approx(seconds(times.elementwise(30 * gigabyte))));
}

TEST_CASE("communication kernels cost multiprocessors, not time", "[models]") {
  const WorkTiming collective = kernels().collective().work, message = kernels().message().work;
  CHECK(collective.duration.count == 0);
  CHECK(collective.reserved_sms == 20);
  CHECK(collective.waiting_power > Watts{});
  CHECK(message.duration.count == 0);
  CHECK(message.reserved_sms == 4);
  CHECK(message.waiting_power == Watts{});
}

TEST_CASE("collectives that hold no multiprocessors slow nothing down", "[models]") {
  ParameterSet free = fitted();
  free.step.communication_sms.value = 0;
  const KernelTimes kernels(h100(), free, stack(), factors(), Precision::bf16);
  CHECK_FALSE(kernels.attention({1, 4096, 4096, 0.5, 32, 128, 128, true}).slow_down.has_value());
  CHECK(kernels.gemm({4096, 4096, 4096}, false, 2 * byte).slow_down->points.size() == 1);
}

TEST_CASE("parameters without the format or the attention kernels are refused", "[models]") {
  CHECK(error_of(h100(), fitted(), stack(), Precision::bf16).empty());
  const AcceleratorPart& a100 = *parts().find_accelerator("A100-80-SXM");
  CHECK(error_of(a100, fitted_parameters("a100-80-sxm"), stack(), Precision::fp8) == "E0314");
  SoftwareStack other = stack();
  other.attention = "paper";
  CHECK(error_of(h100(), fitted(), other, Precision::bf16) == "E0314");
}

TEST_CASE("attention costs what lies under its mask, where kernels skip the rest", "[models]") {
  AttentionShape shape = attention_shape();
  const double causal = seconds(kernels().attention(shape)) - gap();
  shape.share = 0.125;  // a window, or packed samples
  const double window = seconds(kernels().attention(shape)) - gap();
  CHECK(window > causal / 4);  // the edge of the mask and the prologue are as long as before
  CHECK(window < causal / 3);
  SoftwareStack unfused = stack();
  unfused.attention = "unfused";
  const KernelTimes whole(h100(), fitted(), unfused, factors(), Precision::bf16);
  const double all = seconds(whole.attention(attention_shape()));
  CHECK(seconds(whole.attention(shape)) == all);
  CHECK(all > 4 * causal);
}

TEST_CASE("head widths that do not align cost unfused attention dearly", "[models]") {
  SoftwareStack unfused = stack();
  unfused.attention = "unfused";
  const KernelTimes device(h100(), fitted(), unfused, factors(), Precision::bf16);
  AttentionShape shape = attention_shape();
  shape.key_width = shape.value_width = 112;
  const double aligned = seconds(device.attention(shape));
  shape.key_width = shape.value_width = 108;
  CHECK(seconds(device.attention(shape)) > 1.5 * aligned);
}

TEST_CASE("keys and values of two widths that align are aligned in both passes", "[models]") {
  SoftwareStack unfused = stack();
  unfused.attention = "unfused";
  const KernelTimes device(h100(), fitted(), unfused, factors(), Precision::bf16);
  AttentionShape latent = attention_shape(), alike = latent;
  latent.forward = alike.forward = false;
  latent.key_width = 192;  // and values of 128: a mean of 166.4, no multiple of 8
  alike.key_width = alike.value_width = 168;
  CHECK(seconds(device.attention(latent)) == Approx(seconds(device.attention(alike))).epsilon(0.02));
}

TEST_CASE("no part draws more than its rating, and only a clock to govern yields to it", "[models]") {
  CHECK(kernels().has_governor());
  CHECK(kernels().power_limit() == h100().power.value);
  const AcceleratorPart& tpu = *parts().find_accelerator("TPU-v5p");
  const KernelTimes device(tpu, fitted_parameters("generic"), stack(), factors(), Precision::bf16);
  CHECK_FALSE(device.has_governor());
  CHECK(device.power_limit() == tpu.power.value);
}

TEST_CASE("grouped multiplies of experts take what they took on one H100", "[models]") {
  // torch._grouped_mm, 2026-11-28: median of five, microseconds. The loads of experts vary by half where deviation is
  // set.
  struct Row {
    GemmShape shape;
    double us;
  };
  const auto up = [](std::int64_t experts, std::int64_t n, std::int64_t k, double deviation) {
    return GemmShape{512, n, k, experts, GemmLayout::plain, deviation, true};
  };
  const auto gradient = [](std::int64_t experts, std::int64_t n, std::int64_t k) {
    return GemmShape{k, n, 512, experts, GemmLayout::transposed_a, 0, true};
  };
  const std::vector<Row> rows = {{up(128, 768, 2048, 0), 357.1},    {up(8, 14336, 4096, 0), 703.3},
                                 {up(32, 2880, 2880, 0), 436.1},    {up(128, 768, 2048, 270), 410.6},
                                 {up(8, 14336, 4096, 270), 861.6},  {up(16, 1536, 4096, 270), 203.3},
                                 {gradient(128, 768, 2048), 427.5}, {gradient(8, 14336, 4096), 961.8},
                                 {gradient(32, 2880, 2880), 608.7}, {gradient(16, 1536, 4096), 213.9}};
  const AcceleratorPart& part = h100();
  const GemmDevice device{peak(part, NumberFormat::bf16), part.memory_bandwidth.value, part.multiprocessors->value};
  for (const Row& row : rows) {
    CAPTURE(row.shape.groups, row.us);
    const GemmTiming timing = gemm_time(row.shape, device, fitted().gemm.at("bf16"), 2 * byte, 2 * byte, 1);
    CHECK((timing.time + timing.fixed).in(microsecond) == Approx(row.us).epsilon(0.1));
  }
}
