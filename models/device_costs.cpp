#include "models/device_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

constexpr int assumed_multiprocessors = 128;  // only for parts whose data sheet does not say

NumberFormat format_of(Precision precision) {
  switch (precision) {
    case Precision::fp16:
      return NumberFormat::fp16;
    case Precision::fp8:
      return NumberFormat::fp8;
    case Precision::bf16:
      break;
  }
  return NumberFormat::bf16;
}

/// 16-bit formats run at one speed and share one fit.
std::string fit_name(NumberFormat format) {
  return format == NumberFormat::fp8 ? "fp8" : "bf16";
}

/// Share of a p-norm of compute and memory time that goes with the clock: d ln t / d ln compute.
double clock_share(Seconds memory_time, Seconds time) {
  return 1 - std::min(1.0, std::pow(memory_time / time, 4));
}

}  // namespace

DeviceCosts::DeviceCosts(const AcceleratorPart& part, const ParameterSet& parameters, const SoftwareStack& stack,
                         Precision precision)
    : part_(part), parameters_(parameters), stack_(stack), format_(format_of(precision)) {
  const auto missing = [&](const std::string& what) {
    return ConfigError({"E0314",
                        fmt::format("parameters \"{}\" hold no {}", parameters.name, what),
                        {},
                        "",
                        "choose another --parameters file, precision or stack"});
  };
  if (!parameters.gemm.contains(fit_name(format_)) || !parameters.gemm.contains("bf16") ||
      peak(part, format_) <= FlopsPerSecond{})
    throw missing(fmt::format("matrix multiply in {}", fit_name(format_)));
  const auto kernel = parameters.attention.find(stack.attention);
  if (kernel == parameters.attention.end()) throw missing(fmt::format("attention kernels \"{}\"", stack.attention));
  attention_ = &kernel->second;
}

const GemmParameters& DeviceCosts::gemm_fit(NumberFormat format) const {
  return parameters_.gemm.at(fit_name(format));
}

GemmDevice DeviceCosts::device(NumberFormat format, int reserved) const {
  const int all = part_.multiprocessors ? part_.multiprocessors->value : assumed_multiprocessors;
  const int free = std::max(1, all - reserved);
  return {peak(part_, format) * (static_cast<double>(free) / all), part_.memory_bandwidth.value, free};
}

Watts DeviceCosts::idle_power() const {
  return part_.idle_power ? part_.idle_power->value : 0.1 * part_.power.value;
}

Watts DeviceCosts::above_idle(const Activity& activity) const {
  const DevicePowerParameters& p = parameters_.power;
  return (rated_power() - idle_power()) *
         (p.tensor_weight.value * activity.tensor + p.memory_weight.value * activity.memory +
          p.link_weight.value * activity.link);
}

KernelPrice DeviceCosts::finish(Seconds time, double clock, Activity activity) const {
  KernelPrice price;
  price.work.duration = to_picoseconds(time + parameters_.step.kernel_gap.value * stack_.kernels_per_op.value);
  price.work.clock_share = clock;
  price.work.activity = activity;
  price.work.power = above_idle(activity);
  price.work.launch = to_picoseconds(stack_.kernel_launch.value * stack_.kernels_per_op.value);
  return price;
}

SmTable DeviceCosts::slow_down_of_gemm(const GemmShape& shape, const GemmParameters& fit, NumberFormat format,
                                       Bytes output, Seconds alone) const {
  const int held = static_cast<int>(std::lround(parameters_.step.communication_sms.value));
  SmTable table{{{0, 1}}};
  for (int reserved = held; reserved > 0 && reserved <= 2 * held; reserved += held) {
    const Seconds time = gemm_cost(shape, device(format, reserved), fit, element(format), output, 0).time;
    table.points.push_back({static_cast<std::uint32_t>(reserved), std::max(1.0, time / alone)});
  }
  return table;
}

KernelPrice DeviceCosts::gemm(const GemmShape& shape, bool narrow, Bytes output) const {
  const NumberFormat format = narrow || format_ == NumberFormat::fp16 ? format_ : NumberFormat::bf16;
  const GemmParameters& fit = gemm_fit(format);
  // The clock that power allows is decided once for the whole step, so a kernel's own loss of clock is left out.
  const GemmCost cost = gemm_cost(shape, device(format, 0), fit, element(format), output, 0);
  const double tensor = std::min(1.0, cost.tensor_share / fit.efficiency.value);
  const double memory = std::min(1.0, cost.memory_time / cost.time);
  KernelPrice price = finish(taxed(cost.time), clock_share(cost.memory_time, cost.time), {tensor, memory, 0});
  price.slow_down = slow_down_of_gemm(shape, fit, format, output, cost.time);
  return price;
}

KernelPrice DeviceCosts::attention(const AttentionShape& s) const {
  const AttentionParameters& fit = *attention_;
  const double scores = s.sequences * s.heads * s.sequence * s.sequence * fit.executed_share.value;
  const Flops flops = scores * s.head_width * (s.forward ? 4.0 : 10.0) * flop;  // 2 or 5 multiplies of 2 FLOPs
  const double length = s.sequence / (s.sequence + fit.half_sequence.value);
  const double width = s.head_width < 128 ? fit.narrow_head_factor.value : 1;
  const double efficiency = (s.forward ? fit.forward_efficiency : fit.backward_efficiency).value * length * width;
  const FlopsPerSecond rate = peak(part_, NumberFormat::bf16);
  const Seconds compute = flops / (rate * efficiency);
  const double score_bytes = (s.forward ? fit.score_bytes_forward : fit.score_bytes_backward).value;
  const Seconds memory =
      scores * score_bytes * byte / (part_.memory_bandwidth.value * parameters_.memory.bandwidth_share.value);
  const Seconds time = compute + memory;
  const double tensor = std::min(1.0, flops / (time * rate * gemm_fit(NumberFormat::bf16).efficiency.value));
  KernelPrice price = finish(taxed(time), compute / time, {tensor, memory / time, 0});
  const GemmDevice all = device(NumberFormat::bf16, 0);
  const auto held = static_cast<std::uint32_t>(std::lround(parameters_.step.communication_sms.value));
  const double left = std::max(1.0, static_cast<double>(all.multiprocessors) - 2.0 * held);
  price.slow_down = SmTable{{{0, 1}, {2 * held, all.multiprocessors / left}}};
  return price;
}

KernelPrice DeviceCosts::elementwise(Bytes traffic) const {
  const MemoryParameters& fit = parameters_.memory;
  const Seconds time = (traffic + fit.half_size.value) / (part_.memory_bandwidth.value * fit.bandwidth_share.value);
  return finish(time, 0, {0, traffic / (traffic + fit.half_size.value), 0});
}

KernelPrice DeviceCosts::collective() const {
  KernelPrice price = finish(Seconds{}, 0, {0, 0, 1});
  price.work.duration = {};
  price.work.waiting_power = (rated_power() - idle_power()) * parameters_.power.waiting_share.value;
  price.work.reserved_sms = static_cast<std::uint32_t>(std::lround(parameters_.step.communication_sms.value));
  return price;
}

KernelPrice DeviceCosts::message() const {
  KernelPrice price = collective();
  price.work.reserved_sms = static_cast<std::uint32_t>(std::lround(parameters_.step.message_sms.value));
  // A posted receive costs next to nothing until data flows.
  price.work.waiting_power = {};
  return price;
}

}  // namespace clusterwright
