// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/kernel_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/kernels/kernel_power.hpp"
#include "models/kernels/streaming_time.hpp"
#include "sim/diagnostic.hpp"
#include "topology/cluster/cluster.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

namespace {

constexpr BytesPerSecond assumed_host_bandwidth = 32 * gigabyte / second;  // data sheet of PCIe 4 x16

/// Entry of the parameter file. 16-bit formats run at one speed.
const char* fit_name(Precision precision) {
  constexpr std::array<const char*, 9> names = {"bf16",  "bf16",  "fp8",  "fp8-rowwise", "fp8-block",
                                                "mxfp8", "nvfp4", "int8", "fp32"};
  return names[static_cast<std::size_t>(precision)];
}

bool is_narrow(Precision precision) {
  return precision > Precision::fp16 && precision != Precision::fp32;
}

/// Format of what is not multiplied in the job's own.
Precision wide_format(Precision precision) {
  return is_narrow(precision) ? Precision::bf16 : precision;
}

/// Share of a p-norm of compute and memory time that goes with the clock: d ln t / d ln compute.
double clock_share(Seconds memory_time, Seconds time) {
  return 1 - std::min(1.0, std::pow(memory_time / time, 4));
}

/// Density of the part that the power parameters were fitted on; 0 if they were fitted on this one.
double reference_density(const ParameterSet& parameters) {
  const auto multiplies = parameters.gemm.find("bf16");
  return multiplies == parameters.gemm.end() ? 0 : multiplies->second.density_reference.value;
}

/// Peak per watt of the die without the limit of its board, which the clock governor applies.
double die_density(const AcceleratorPart& part, const ParameterSet& parameters) {
  constexpr double as_measured = -1;
  if (part.power.value <= Watts{}) return as_measured;  // a processor, whose own samples are its data sheet
  return power_density(part) * (part.power.value / die_power(part, parameters.power, reference_density(parameters)));
}

}  // namespace

NumberFormat matrix_format(Precision precision) {
  using F = NumberFormat;
  constexpr std::array<F, 9> formats = {F::bf16, F::fp16, F::fp8, F::fp8, F::fp8, F::fp8, F::fp4, F::int8, F::fp32};
  return formats[static_cast<std::size_t>(precision)];
}

const GemmParameters* gemm_parameters(const ParameterSet& parameters, Precision precision) {
  const auto found = parameters.gemm.find(fit_name(precision));
  return found == parameters.gemm.end() ? nullptr : &found->second;
}

BytesPerSecond host_link_bandwidth(const AcceleratorPart& part, const ParameterSet& parameters) {
  if (part.measured_host_bandwidth) return part.measured_host_bandwidth->value;
  const BytesPerSecond sheet = part.host_bandwidth ? part.host_bandwidth->value : assumed_host_bandwidth;
  return sheet * parameters.memory.host_share.value;
}

BytesPerSecond host_link_bandwidth(const Cluster& cluster, const ParameterSet& parameters) {
  const BytesPerSecond own = host_link_bandwidth(cluster.accelerator, parameters);
  const auto& slot = cluster.spec.node.pcie.link;
  return slot ? std::min(own, *slot * parameters.memory.host_share.value) : own;
}

KernelTimes::KernelTimes(const AcceleratorPart& part, const ParameterSet& parameters, const SoftwareStack& stack,
                         const StepFactors& factors, Precision precision)
    : part_(part), parameters_(parameters), stack_(stack), factors_(factors), precision_(precision) {
  const auto missing = [&](const std::string& what) {
    return ConfigError({"E0314",
                        fmt::format("parameters \"{}\" have no entry for {}", parameters.name, what),
                        {},
                        "",
                        "choose another --parameters file, precision or stack"});
  };
  for (const Precision needed : {precision_, wide_format(precision_)})
    if (!parameters.gemm.contains(fit_name(needed)) || peak(part, matrix_format(needed)) <= FlopsPerSecond{})
      throw missing(fmt::format("GEMM in {}", fit_name(needed)));
  if (!stack.kernels.fused_attention) return;
  const auto kernel = parameters.attention.find(stack.attention);
  if (kernel == parameters.attention.end()) throw missing(fmt::format("attention kernel \"{}\"", stack.attention));
  attention_ = &kernel->second;
}

bool KernelTimes::narrow_format() const {
  return is_narrow(precision_);
}

const GemmParameters& KernelTimes::gemm_fit(Precision precision) const {
  return parameters_.gemm.at(fit_name(precision));
}

GemmDevice KernelTimes::device(NumberFormat format, int reserved) const {
  // Parts without a count are systolic arrays, whose links have engines of their own.
  const double density = die_density(part_, parameters_);
  if (!part_.multiprocessors) return {peak(part_, format), part_.memory_bandwidth.value, 0, density};
  const int all = part_.multiprocessors->value;
  const int free = std::max(1, all - reserved);
  return {peak(part_, format) * (static_cast<double>(free) / all), part_.memory_bandwidth.value, free, density};
}

Watts KernelTimes::idle_power() const {
  return clusterwright::idle_power(part_, parameters_.power);
}

bool KernelTimes::has_governor() const {
  return part_.boost_mhz || part_.multiprocessors;
}

Watts KernelTimes::power_limit() const {
  if (part_.power_limit) return *part_.power_limit;
  return rated_power() > Watts{} ? rated_power() : 1 * megawatt;  // a processor: nobody says what it draws
}

PowerRange KernelTimes::power_range() const {
  return clusterwright::power_range(part_, parameters_.power, reference_density(parameters_));
}

Watts KernelTimes::above_idle(const Activity& activity) const {
  return kernel_power(activity, power_range(), parameters_.power);
}

KernelTiming KernelTimes::finish(Seconds time, double clock, Activity activity) const {
  KernelTiming price;
  price.work.duration = to_picoseconds(time + parameters_.step.kernel_gap.value * stack_.kernels_per_op.value);
  price.work.clock_share = clock;
  price.work.activity = activity;
  price.work.power = above_idle(activity);
  price.work.launch = host_time(stack_.kernels_per_op.value);
  return price;
}

KernelTiming KernelTimes::launched(KernelTiming price, double kernels) const {
  price.work.launch = host_time(kernels);
  return price;
}

KernelTiming KernelTimes::routed(KernelTiming price) const {
  price.work.duration = to_picoseconds(to_seconds(price.work.duration) * factors_.experts);
  return price;
}

KernelTiming KernelTimes::issued(KernelTiming price, std::int64_t times, std::optional<Seconds> each) const {
  if (stack_.graph_capture == GraphCapture::all) return price;
  const Seconds once = each ? *each * factors_.expert_host : stack_.kernel_launch.value * stack_.kernels_per_op.value;
  price.work.launch = to_picoseconds(once * (factors_.host * static_cast<double>(times)));
  return price;
}

SmTable KernelTimes::slow_down_of_gemm(const GemmShape& shape, Precision precision, Bytes output, Seconds alone) const {
  const int held = static_cast<int>(std::lround(parameters_.step.communication_sms.value));
  const NumberFormat format = matrix_format(precision);
  SmTable table{{{0, 1}}};
  for (int reserved = held; reserved > 0 && reserved <= 2 * held; reserved += held) {
    const Seconds time =
        gemm_time(shape, device(format, reserved), gemm_fit(precision), size_of(format), output, 0).time;
    table.points.push_back({static_cast<std::uint32_t>(reserved), std::max(1.0, time / alone)});
  }
  return table;
}

KernelTiming KernelTimes::gemm(const GemmShape& shape, bool narrow, Bytes output) const {
  const Precision precision = narrow ? precision_ : wide_format(precision_);
  const NumberFormat format = matrix_format(precision);
  const GemmParameters& fit = gemm_fit(precision);
  // The clock that power allows is decided once for the whole step, so a kernel's own loss of clock is left out.
  const GemmTiming gemm = gemm_time(shape, device(format, 0), fit, size_of(format), output, 0);
  const double tensor = std::min(1.0, gemm.tensor_share / reached_share(device(format, 0), fit));
  const double memory = std::min(1.0, gemm.memory_time / gemm.time);
  const Seconds calls = stack_.kernels.synchronous ? static_cast<double>(shape.groups) * gemm.fixed : Seconds{};
  KernelTiming timing =
      finish(with_overhead(gemm.time) + calls, clock_share(gemm.memory_time, gemm.time), {tensor, memory, 0});
  timing.slow_down = slow_down_of_gemm(shape, precision, output, gemm.time);
  return timing;
}

KernelTiming KernelTimes::attention(const AttentionShape& s) const {
  const BytesPerSecond traffic = streaming_rate(usual_writes, part_.memory_bandwidth.value, parameters_.memory);
  const AttentionTiming timing = attention_time(s, *attention_, attention_device(part_, traffic));
  const GemmDevice all = device(NumberFormat::bf16, 0);
  const Seconds time = timing.time();
  // Exponentials and sums keep busy what the matrix units leave idle, so that all arithmetic draws what multiplies do.
  const double arithmetic = timing.compute / time;
  KernelTiming price = finish(with_overhead(time), arithmetic, {arithmetic, timing.memory / time, 0});
  const auto held = static_cast<std::uint32_t>(std::lround(parameters_.step.communication_sms.value));
  const double left = std::max(1.0, static_cast<double>(all.multiprocessors) - 2.0 * held);
  if (all.multiprocessors > 0 && held > 0) price.slow_down = SmTable{{{0, 1}, {2 * held, all.multiprocessors / left}}};
  return price;
}

KernelTiming KernelTimes::sampled(Bytes traffic, StreamedWork work, std::int64_t calls) const {
  const auto found = parameters_.kernels->find(work);
  if (found != parameters_.kernels->end()) {
    const double count = static_cast<double>(calls);
    return finish(count * found->second.time(traffic / count), 0, {0, 1, 0});
  }
  throw ConfigError({"E0341",
                     fmt::format("the samples contain no {} kernel, {}",
                                 streaming_kernel_names[static_cast<std::size_t>(work.kernel)],
                                 kernel_pass_names[static_cast<std::size_t>(work.pass)]),
                     {},
                     "",
                     "take them again: clusterwright calibrate run --only host"});
}

KernelTiming KernelTimes::elementwise(Bytes traffic, StreamedWork work, std::int64_t calls) const {
  if (parameters_.kernels) return sampled(traffic, work, calls);
  const MemoryParameters& fit = parameters_.memory;
  const Seconds time = streaming_time(traffic, usual_writes, part_.memory_bandwidth.value, fit);
  return finish(time, 0, {0, traffic / (traffic + fit.half_size.value), 0});
}

KernelTiming KernelTimes::update(Bytes traffic, double parameters) const {
  const StreamedWork work{StreamingKernel::optimizer, KernelPass::update};
  if (parameters_.kernels) return sampled(traffic, work, 1);
  const MemoryParameters& fit = parameters_.memory;
  const Seconds streamed = streaming_time(traffic, usual_writes, part_.memory_bandwidth.value, fit);
  // Its blocks load, compute and store in turn, too few of them at once to hide one behind the other.
  const Seconds computed = parameters * stack_.kernels.update_clocks.value / multiprocessor_clocks(part_) * second;
  const Seconds time = streamed + computed;
  const double busy = traffic / (traffic + fit.half_size.value);
  return finish(time, computed / time, {0, busy * (streamed / time), 0});
}

Picoseconds KernelTimes::host_time(double kernels) const {
  if (stack_.graph_capture != GraphCapture::none) return {};
  return to_picoseconds(stack_.kernel_launch.value * (kernels * factors_.host));
}

KernelTiming KernelTimes::collective() const {
  KernelTiming price;
  price.work.activity = {0, 0, 1};
  price.work.power = above_idle(price.work.activity);
  price.work.launch = host_time(1);
  price.work.waiting_power = power_range().die * parameters_.power.waiting_share.value;
  price.work.reserved_sms = static_cast<std::uint32_t>(std::lround(parameters_.step.communication_sms.value));
  return price;
}

KernelTiming KernelTimes::host_copy() const {
  KernelTiming price = collective();
  price.work.reserved_sms = 0;
  price.work.waiting_power = {};
  return price;
}

KernelTiming KernelTimes::message() const {
  KernelTiming price = collective();
  price.work.launch = host_time(stack_.kernels_per_message.value);
  price.work.reserved_sms = static_cast<std::uint32_t>(std::lround(parameters_.step.message_sms.value));
  // A posted receive draws almost no power until data flows.
  price.work.waiting_power = {};
  return price;
}

}  // namespace clusterwright
