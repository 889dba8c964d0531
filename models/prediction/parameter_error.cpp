// SPDX-License-Identifier: Apache-2.0
// Slopes of a step in its fitted parameters, without replaying it for each.
//
// A parameter changes times of kernels and messages. The step is lowered once more with the parameter a thousandth
// higher, with one micro-batch, and the times of all ops are summed by cause. To first order,
//
//   d ln(step) = sum over causes of share * d ln(sum of times) + clocked share * d ln(power) / elasticity
//
// share   part of the replayed step that the cause exposes, of the time outside bubbles, as for the factors of the step
//         calibration: hidden communication does not count, bubbles grow with the work around them
// power   only where the power limit throttles the step: clocks then fall with power^(-1 / elasticity), where the
//         elasticity is the exponent, and 1 below the clock at which the voltage stays. That clock is not known well:
//         1 / elasticity is its mean over a normal distribution of the floor
//
// The exponent and the floor of the voltage show in no kernel. Each is moved by its error either way: a floor near the
// clock of the step bends its curve, so that a slope at one point would say nothing or too much.
//
// Parameters of a section (one format, one operation) that do not move any sum together are not tried one by one.
//
// Example: GEMMs are 60 % of a step and 10 % of it bubbles. An efficiency 0.1 % higher makes GEMMs 0.1 % shorter:
// d ln(step) = -0.60 / 0.90 * 0.1 %. With a standard error of 2 % of the efficiency, the step is uncertain by 1.3 %.
//
// Source: first-order propagation of errors; docs/models/interval.md. Errors of one fit count as independent.
#include "models/prediction/parameter_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "models/lowering/lowered_step.hpp"
#include "models/lowering/step_charge.hpp"
#include "sim/step_works.hpp"

namespace clusterwright {

namespace {

/// Relative change of a parameter: far above the rounding of kernels to picoseconds, and too small for second order.
constexpr double raised_by = 1e-3;

constexpr Bytes kilobyte = 1000 * byte;

/// Collects the numbers of one section.
class Section {
 public:
  Section(std::string name, std::vector<FittedNumber>& out) : name_(std::move(name)), out_(out) {}

  Section& add(const char* key, Sourced<double>& x) {
    return put(key, x.value, x.std_error, [&x](double value) { x.value = value; });
  }
  Section& add(const char* key, Sourced<Seconds>& x) {
    return put(key, x.value.in(microsecond), x.std_error, [&x](double value) { x.value = value * microsecond; });
  }
  Section& add(const char* key, Sourced<Bytes>& x) {
    return put(key, x.value.in(kilobyte), x.std_error, [&x](double value) { x.value = value * kilobyte; });
  }
  Section& add(const char* key, Sourced<BytesPerSecond>& x) {
    return put(key, x.value.in(gigabyte_per_second), x.std_error,
               [&x](double value) { x.value = value * gigabyte_per_second; });
  }

 private:
  Section& put(const char* key, double value, double error, std::function<void(double)> set) {
    if (error > 0) out_.push_back({name_, name_ + "/" + key, value, error, std::move(set)});
    return *this;
  }

  std::string name_;
  std::vector<FittedNumber>& out_;
};

void add_kernels(ParameterSet& set, std::vector<FittedNumber>& out) {
  for (auto& [format, p] : set.gemm)
    Section("gemm/" + format, out)
        .add("efficiency", p.efficiency)
        .add("tile_penalty", p.tile_penalty)
        .add("k_overhead", p.k_overhead)
        .add("wave_share", p.wave_share)
        .add("split_us", p.split)
        .add("fixed_us", p.fixed)
        .add("bandwidth_share", p.bandwidth_share)
        .add("long_kernel_loss", p.long_kernel_loss)
        .add("cast_bytes", p.cast_bytes)
        .add("cast_fixed_us", p.cast_fixed)
        .add("unaligned_factor", p.unaligned_factor)
        .add("unaligned_output_factor", p.unaligned_output_factor)
        .add("density_loss", p.density_loss)
        .add("density_reference", p.density_reference);
  for (auto& [family, p] : set.attention)
    Section("attention/" + family, out)
        .add("forward_efficiency", p.forward_efficiency)
        .add("backward_efficiency", p.backward_efficiency)
        .add("score_clocks", p.score_clocks)
        .add("score_clocks_backward", p.score_clocks_backward)
        .add("block_clocks", p.block_clocks)
        .add("block_clocks_backward", p.block_clocks_backward)
        .add("row_bytes_backward", p.row_bytes_backward)
        .add("tail_share", p.tail_share)
        .add("block_queries", p.block_queries)
        .add("narrow_head_factor", p.narrow_head_factor)
        .add("unaligned_factor", p.unaligned_factor)
        .add("executed_share", p.executed_share)
        .add("score_bytes_forward", p.score_bytes_forward)
        .add("score_bytes_backward", p.score_bytes_backward);
  Section("memory", out)
      .add("bandwidth_share", set.memory.bandwidth_share)
      .add("read_share", set.memory.read_share)
      .add("host_share", set.memory.host_share)
      .add("half_size_kb", set.memory.half_size);
}

void add_links(ParameterSet& set, std::vector<FittedNumber>& out) {
  for (auto& [operation, p] : set.collectives)
    Section("collectives/" + operation, out)
        .add("base_latency_us", p.base_latency)
        .add("rank_latency_us", p.rank_latency)
        .add("bandwidth_share", p.bandwidth_share)
        .add("small_group_loss", p.small_group_loss)
        .add("half_time_us", p.half_time)
        .add("ramp_exponent", p.ramp_exponent)
        .add("low_latency_share", p.low_latency_share)
        .add("simple_latency", p.simple_latency);
  Section("network", out)
      .add("bandwidth_share", set.network.bandwidth_share)
      .add("latency_scale", set.network.latency_scale)
      .add("message_latency_us", set.network.message_latency)
      .add("tcp_bandwidth_share", set.network.tcp_bandwidth_share)
      .add("tcp_latency_us", set.network.tcp_latency)
      .add("tcp_send_per_core_gb_per_s", set.network.tcp_send_per_core)
      .add("tcp_receive_per_core_gb_per_s", set.network.tcp_receive_per_core)
      .add("tcp_cores", set.network.tcp_cores)
      .add("tcp_memory_passes", set.network.tcp_memory_passes);
  for (auto& [transport, p] : set.network.transports)
    Section("network/transports/" + transport, out).add("bandwidth", p.bandwidth).add("latency", p.latency);
}

void add_device(ParameterSet& set, std::vector<FittedNumber>& out) {
  Section("power", out)
      .add("tensor_weight", set.power.tensor_weight)
      .add("active_weight", set.power.active_weight)
      .add("memory_weight", set.power.memory_weight)
      .add("link_weight", set.power.link_weight)
      .add("clock_exponent", set.power.clock_exponent)
      .add("voltage_floor", set.power.voltage_floor);
  Section("step", out).add("kernel_gap_us", set.step.kernel_gap);
}

/// Times of all ops by cause, and their energy above idle, summed over ranks.
struct WorkSums {
  std::array<double, step_charge_count> time{};  // seconds
  double clocked_time = 0, clocked_energy = 0;   // of kernels: seconds, joules
};

WorkSums work_sums(const StepStructure& s, const StepTiming& timing) {
  WorkSums sums;
  for_each_work(s, [&](const StepWork& op) {
    const WorkTiming& work = timing.works[op.work];
    const double ranks = static_cast<double>(op.count) * s.ranks[op.rank].multiplicity;
    const double kernel = ranks * to_seconds(work.duration).in(second);
    double& time = sums.time[op.charge.value];
    time += kernel;
    sums.clocked_time += kernel;
    sums.clocked_energy += kernel * work.power.in(watt);
    if (op.chain.exists()) time += ranks * to_seconds(time_alone(s, timing, op.chain)).in(second);
  });
  return sums;
}

WorkSums work_sums(const LoweredStep& step) {
  return work_sums(step.structure(), step.timing());
}

/// Every stage with one chunk of all its layers, so that one micro-batch is a step.
void join_chunks(Plan& plan) {
  std::vector<int> of_chunk(static_cast<std::size_t>(plan.pipeline), 0);
  for (std::size_t chunk = 0; chunk < plan.stage_layers.size(); ++chunk)
    of_chunk[chunk % of_chunk.size()] += plan.stage_layers[chunk];
  if (!plan.stage_layers.empty()) plan.stage_layers = std::move(of_chunk);
  plan.virtual_pipeline = 1;
  plan.larger_group.reset();
}

/// The plan with one micro-batch, one after the other through the stages: every kernel and message occurs in it.
Plan shortest(Plan plan) {
  if (plan.virtual_pipeline > 1) join_chunks(plan);
  plan.schedule = PipelineSchedule::one_forward_one_backward;
  plan.global_batch = plan.micro_batch * plan.data;
  plan.micro_batches = 1;
  return plan;
}

double exposed_share(const StepPrediction& step, StepCharge charge) {
  return step.breakdown[static_cast<std::size_t>(charge)] / step.step_time;
}

/// Share of the step that follows the clock, and how far the power limit lowered that clock.
struct ThrottledWork {
  double share = 0;  ///< of the step
  double clock = 1;  ///< relative to the reference clock, mean over the ranks
};

ThrottledWork throttled_work(const StepPrediction& step) {
  const double lost = exposed_share(step, StepCharge::throttle);
  if (lost <= 0) return {};
  double share = lost;
  for (const StepCharge charge : {StepCharge::compute_gemm, StepCharge::compute_attention, StepCharge::recompute})
    share += exposed_share(step, charge);
  return {share, 1 - lost / share};
}

/// Probability that `x` lies below a number whose error is normal.
double probability_below(double x, const Sourced<double>& number) {
  if (number.std_error <= 0) return x < number.value ? 1 : 0;
  return 0.5 * std::erfc((x - number.value) / number.std_error / std::numbers::sqrt2);
}

/// Change of the logarithm of the step time from one set of sums to another.
class StepChange {
 public:
  StepChange(const StepPrediction& step, const WorkSums& base, const DevicePowerParameters& power)
      : step_(step),
        base_(base),
        voltage_(power.voltage()),
        throttled_(throttled_work(step)),
        below_floor_(probability_below(throttled_.clock, power.voltage_floor)),
        work_(std::max(0.01, 1 - exposed_share(step, StepCharge::bubble))) {}

  double operator()(const WorkSums& moved) const {
    double change = 0;
    for (std::size_t c = 0; c < step_charge_count; ++c)
      if (base_.time[c] > 0)
        change += exposed_share(step_, static_cast<StepCharge>(c)) * (moved.time[c] / base_.time[c] - 1);
    return (change + throttled(moved)) / work_;
  }

  /// From the curve of this step to another one, at the same power.
  double operator()(const VoltageCurve& moved) const {
    const double clock = moved.clock(voltage_.power(throttled_.clock));
    return throttled_.share * std::log(throttled_.clock / clock) / work_;
  }

 private:
  double throttled(const WorkSums& moved) const {
    if (throttled_.share <= 0 || base_.clocked_energy <= 0) return 0;
    const double power =
        std::log(moved.clocked_energy / base_.clocked_energy) - std::log(moved.clocked_time / base_.clocked_time);
    return throttled_.share * power * (below_floor_ + (1 - below_floor_) / voltage_.exponent);
  }

  const StepPrediction& step_;
  const WorkSums& base_;
  VoltageCurve voltage_;
  ThrottledWork throttled_;
  double below_floor_;  // probability that the voltage no longer falls at the clock of the step
  double work_;
};

/// Whether no kernel or message of the step can come from the section.
bool surely_unused(const std::string& section, const Scenario& s, const Plan& plan) {
  if (section.starts_with("attention/")) return section != "attention/" + s.stack.attention;
  return plan.accelerators() == 1 && (section.starts_with("collectives/") || section == "network");
}

double moved_value(const FittedNumber& number) {
  return number.value != 0 ? number.value * (1 + raised_by) : raised_by * number.std_error;
}

}  // namespace

std::vector<FittedNumber> fitted_numbers(Scenario& scenario) {
  std::vector<FittedNumber> out;
  add_kernels(scenario.parameters, out);
  add_links(scenario.parameters, out);
  add_device(scenario.parameters, out);
  for (auto& [format, bytes] : scenario.steps.cast_bytes) Section("casts/" + format, out).add("bytes", bytes);
  return out;
}

std::map<std::string, double> parameter_errors(const Scenario& scenario, const StepPrediction& step) {
  Scenario moved = scenario;
  const Plan plan = shortest(step.plan);
  const LoweredStep lowered(scenario, plan, Folding::folded);
  const auto sums = [&] {
    const auto timing = lowered.timing(moved);
    return timing ? work_sums(lowered.structure(), *timing) : work_sums(LoweredStep(moved, plan, Folding::folded));
  };
  const WorkSums base = work_sums(lowered);
  const DevicePowerParameters& power = scenario.parameters.power;
  const StepChange change(step, base, power);
  const std::vector<FittedNumber> numbers = fitted_numbers(moved);
  std::map<std::string, double> errors;
  const auto try_section = [&](auto first, auto last) {
    std::for_each(first, last, [](const FittedNumber& n) { n.set(moved_value(n)); });
    const bool used = change(sums()) != 0;
    std::for_each(first, last, [](const FittedNumber& n) { n.set(n.value); });
    for (auto one = first; used && one != last; ++one) {
      one->set(moved_value(*one));
      const double slope = change(sums()) / (moved_value(*one) - one->value);
      one->set(one->value);
      if (slope != 0) errors[one->name] = slope * one->std_error;
    }
  };
  for (auto first = numbers.begin(); first != numbers.end();) {
    const auto last = std::find_if(first, numbers.end(), [&](const auto& n) { return n.section != first->section; });
    if (!surely_unused(first->section, scenario, plan)) try_section(first, last);
    first = last;
  }
  const auto add_curve = [&](const char* name, const Sourced<double>& number, double VoltageCurve::*field) {
    const auto moved_by = [&](double error) {
      VoltageCurve curve = power.voltage();
      curve.*field = number.value + error;
      curve.exponent = std::max(curve.exponent, 1.0);
      curve.floor = std::clamp(curve.floor, 0.0, 1.0);
      return change(curve);
    };
    const double error = (moved_by(number.std_error) - moved_by(-number.std_error)) / 2;
    if (error != 0) errors[name] = error;
  };
  add_curve("power/clock_exponent", power.clock_exponent, &VoltageCurve::exponent);
  add_curve("power/voltage_floor", power.voltage_floor, &VoltageCurve::floor);
  return errors;
}

}  // namespace clusterwright
