// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/power_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sourced_value.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "models/kernels/kernel_power.hpp"
#include "models/kernels/streaming_time.hpp"
#include "sim/clocked_power.hpp"

namespace clusterwright {

namespace {

/// Order of the parameter vector.
enum : std::size_t { tensor, memory, active, waiting, exponent, sparse, zeros, power_size };

constexpr double repeated_watts = 0.02;  // two holds of one load

PowerRow::Contents contents_of(const std::string& words) {
  if (words.find("zero") != std::string::npos) return PowerRow::Contents::zeros;
  return words.find("sparse") != std::string::npos ? PowerRow::Contents::sparse : PowerRow::Contents::random;
}

/// Wait in a launch: of a wave, or the second of two loads in turn.
Seconds wait_of(const ProbedPower& what) {
  const JsonValue* wait = what.second.value.find("wait_us");
  return wait && wait->is_numeric() ? wait->as_number() * microsecond : what.pause;
}

/// Share of a launch that its wait leaves to work.
double duty_of(const ProbedPower& what, Seconds time) {
  return time > Seconds{} ? std::max(0.05, 1 - wait_of(what) / time) : 1;
}

const GemmParameters* multiplies_of(const std::string& dtype, const ParameterSet& fitted) {
  const auto found = fitted.gemm.find(dtype.starts_with("fp8") ? "fp8" : dtype.empty() ? "bf16" : dtype);
  return found == fitted.gemm.end() ? nullptr : &found->second;
}

NumberFormat format_of(const std::string& dtype) {
  if (dtype.starts_with("fp8")) return NumberFormat::fp8;
  return dtype == "tf32" ? NumberFormat::tf32 : NumberFormat::bf16;
}

/// Clock that the driver reports, over the one that the data sheet's rates hold at; nothing where either is not known.
std::optional<double> reported_clock(const ProbeSample& sample, const AcceleratorPart& part,
                                     const ProbeDevice& device) {
  std::optional<Hertz> reference = device.max_sm;
  if (part.boost_mhz) reference = part.boost_mhz->value * megahertz;
  if (!reference || *reference <= Hertz{} || !sample.state.sm) return std::nullopt;
  return std::clamp(*sample.state.sm / *reference, 0.05, 1.2);
}

/// Fills in activities from what the kernels did in their time. The clock of multiplies is their measured rate over
/// that of short ones: under load the driver's clock rises more than the rate, and the rate is what a step sees.
void add_work(const ProbeSample& sample, const AcceleratorPart& part, const ParameterSet& fitted, PowerRow& row) {
  const Seconds time = statistics_of(sample.repetitions).median;
  const auto& what = std::get<ProbedPower>(sample.what);
  row.duty = duty_of(what, time);
  row.alternates = !what.second.value.members().empty() || what.pause > Seconds{};
  const Seconds busy = row.duty * time;
  const Seconds memory = sample.bytes / streaming_rate(usual_writes, part.memory_bandwidth.value, fitted.memory);
  const GemmParameters* multiply = multiplies_of(what.dtype, fitted);
  const FlopsPerSecond peak_rate = peak(part, format_of(what.dtype));
  Seconds compute;  // at the reference clock
  if (multiply && peak_rate > FlopsPerSecond{}) compute = sample.flops / (peak_rate * multiply->efficiency.value);
  const bool in_turn = row.alternates && row.duty >= 1;  // a copy after a multiply, not beside it
  const Seconds multiplying = in_turn ? std::max(0.1 * busy, busy - memory) : busy;
  if (compute > memory || in_turn) row.clock = compute / multiplying;
  const double memory_share = std::min(1.0, memory / busy);
  row.clock_share = compute <= Seconds{} ? 0 : 1 - std::pow(memory_share, in_turn ? 1 : 4);
  const Seconds reference = busy / clock_stretch(row.clock_share, row.clock);
  row.memory = std::min(1.0, memory / reference);
  row.tensor = std::min(1.0, compute / reference);
}

bool starts_with_idle(const std::string& load) {
  return load.starts_with("idle") || load == "cool_down";
}

/// Pure loads, each the only witness of a number.
bool is_pure(const PowerRow& row) {
  if (row.load != PowerRow::Load::working) return true;
  return !row.alternates && (row.memory < 0.5 || row.tensor < 0.02);
}

double log_error(const PowerRow& row, const AcceleratorPart& part, const DevicePowerParameters& p, double s, double z) {
  return std::log(predicted_power(row, part, p, s, z) / row.power);
}

struct FittedPower {
  DevicePowerParameters parameters;
  double sparse = 1, zeros = 1;
};

void assign(const std::vector<double>& value, FittedPower& out) {
  out.parameters.tensor_weight.value = value[tensor];
  out.parameters.memory_weight.value = value[memory];
  out.parameters.active_weight.value = value[active];
  out.parameters.waiting_share.value = value[waiting];
  out.parameters.clock_exponent.value = value[exponent];
  out.sparse = value[sparse];
  out.zeros = value[zeros];
}

std::vector<FitParameter> priors_of(const DevicePowerParameters& p) {
  std::vector<FitParameter> out(power_size);
  out[tensor] = {FitScale::positive, p.tensor_weight.value, 0.4};
  out[memory] = {FitScale::positive, p.memory_weight.value, 0.5};
  out[active] = {FitScale::positive, p.active_weight.value, 0.5};
  out[waiting] = {FitScale::positive, p.waiting_share.value, 0.7};
  out[exponent] = {FitScale::positive, p.clock_exponent.value, 0.2};
  out[sparse] = {FitScale::positive, 0.85, 0.3};
  out[zeros] = {FitScale::positive, 0.6, 0.4};
  return out;
}

/// What the fit rests on beside its rows.
struct PowerProblem {
  const AcceleratorPart& part;
  DevicePowerParameters believed;  ///< with the idle that was read off
  std::vector<PowerRow> pure;
  std::string source;
};

FittedPower fit_rows(const PowerProblem& p, std::vector<PowerRow> rows) {
  rows.insert(rows.end(), p.pure.begin(), p.pure.end());
  FitProblem problem{priors_of(p.believed), std::vector<double>(rows.size(), 1.0), {}, repeated_watts};
  FittedPower trial{p.believed};
  problem.errors = [&](const std::vector<double>& values, std::vector<double>& errors) {
    assign(values, trial);
    for (std::size_t i = 0; i < rows.size(); ++i)
      errors[i] = log_error(rows[i], p.part, trial.parameters, trial.sparse, trial.zeros);
  };
  const FitResult fit = fit_least_squares(problem);
  assign(fit.values, trial);
  const auto value = [&](std::size_t i) { return sourced_value(fit.values[i], fit.std_errors[i], p.source); };
  trial.parameters.tensor_weight = value(tensor);
  trial.parameters.memory_weight = value(memory);
  trial.parameters.active_weight = value(active);
  trial.parameters.waiting_share = value(waiting);
  trial.parameters.clock_exponent = value(exponent);
  return trial;
}

/// Means of what was held idle.
void read_idle(const std::vector<SampleRow<PowerRow>>& samples, const std::string& source, DevicePowerParameters& out) {
  std::vector<double> watts;
  for (const auto& sample : samples)
    if (sample.row.load == PowerRow::Load::idle) watts.push_back(sample.row.power.in(watt));
  if (watts.empty()) return;
  const double least = *std::min_element(watts.begin(), watts.end());
  out.idle = sourced_value(least, 0, watt, source + ": the least of " + fmt::format("{} holds", watts.size()));
}

}  // namespace

std::vector<SampleRow<PowerRow>> power_samples(const std::vector<ProbeSamples>& all, const AcceleratorPart& part,
                                               const ParameterSet& fitted) {
  std::vector<SampleRow<PowerRow>> out;
  for (const ProbeSamples& document : all)
    for (const ProbeSample& sample : document.samples) {
      const auto power = sample.mean_power ? sample.mean_power : sample.state.power;
      const auto* what = std::get_if<ProbedPower>(&sample.what);
      if (!what || !power || *power <= Watts{}) continue;
      PowerRow row;
      row.power = *power;
      row.contents = contents_of(what->contents);
      const std::optional<double> clock = reported_clock(sample, part, document.device);
      row.clock = clock.value_or(1);  // idle and waiting do not ask
      const std::string& load = what->load;
      if (starts_with_idle(load)) row.load = PowerRow::Load::idle;
      if (what->held() == HeldLoad::spin_wait) row.load = PowerRow::Load::waiting;
      const bool working = row.load == PowerRow::Load::working;
      if (working && (sample.repetitions.empty() || !clock)) continue;
      if (working) add_work(sample, part, fitted, row);
      const bool cooling =
          what->held() == HeldLoad::cool_down || what->held() == HeldLoad::ramp;  // means over a change say little
      if (!cooling) out.push_back({row, load, load, sample.held, true});
    }
  return out;
}

Watts predicted_power(const PowerRow& row, const AcceleratorPart& part, const DevicePowerParameters& p, double sparse,
                      double zeros) {
  const Watts idle = idle_power(part, p);
  const PowerRange range = power_range(part, p);
  const Watts wait = idle + range.die * p.waiting_share.value;
  if (row.load == PowerRow::Load::idle) return idle;
  if (row.load == PowerRow::Load::waiting) return wait;
  const double bits = row.contents == PowerRow::Contents::zeros    ? zeros
                      : row.contents == PowerRow::Contents::sparse ? sparse
                                                                   : 1;
  const Watts kernel = kernel_power({row.tensor, row.memory, 0}, range, p, bits);
  const double clocked = ClockedPower(row.clock, p.voltage()).of(row.clock_share);
  return row.duty * (idle + kernel * clocked) + (1 - row.duty) * wait;
}

SectionFit fit_power(const std::vector<ProbeSamples>& all, const AcceleratorPart& part, const ParameterSet& fitted,
                     const std::string& source, DevicePowerParameters* out) {
  const auto samples = power_samples(all, part, fitted);
  const std::string from = fmt::format("fit of {} held loads: {}", samples.size(), source);
  PowerProblem problem{part, fitted.power, {}, from};
  problem.believed.reference_power = part.power;
  read_idle(samples, from, problem.believed);
  std::vector<SampleRow<PowerRow>> mixed;
  std::vector<PowerRow> rows;
  for (const auto& sample : samples) {
    if (sample.row.load == PowerRow::Load::idle) continue;
    if (!is_pure(sample.row)) rows.push_back(sample.row);
    is_pure(sample.row) ? problem.pure.push_back(sample.row) : mixed.push_back(sample);
  }
  const auto fit = [&](const std::vector<PowerRow>& some) {
    return out ? fit_rows(problem, some) : FittedPower{fitted.power};
  };
  const auto error = [&](const PowerRow& row, const FittedPower& p) {
    return log_error(row, part, p.parameters, p.sparse, p.zeros);
  };
  SectionFit section = judge({"power", 3, 3, 0.10, "", ""}, mixed, from, fit, error);
  if (out && section.state == SectionState::fitted) *out = fit(rows).parameters;
  return section;
}

}  // namespace clusterwright
