// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/attention_fit.hpp"

#include <fmt/format.h>

#include <cmath>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sourced_value.hpp"

namespace clusterwright {

namespace {

/// Order of the parameter vector.
enum : std::size_t { forward, backward, half_sequence, narrow_head };

constexpr double triton_slowdown = 1.34;  // Triton kernels with position biases against flash-2

/// Assumed shares of the 16-bit peak, their widths (in logit), and their reasons.
struct Rates {
  double forward;
  double backward;
  double width;
  std::string source;
};

Rates assumed_rates(const std::string& family, const std::string& architecture) {
  const bool known = architecture == "Ampere" || architecture == "Hopper" || architecture == "Blackwell";
  const std::string settled = fmt::format(
      "prior: rates of {} kernels on {} that an earlier model of training steps settled on", family, architecture);
  if (!known) return {0.45, 0.36, 0.5, fmt::format("prior: between the rates of {} on measured generations", family)};
  if (architecture == "Ampere") return {0.55, 0.45, 0.25, settled};
  if (family == "cudnn") return {0.52, 0.42, 0.25, settled};
  if (architecture == "Hopper") return {0.35, 0.28, 0.25, settled};
  // 989 / 2250 of the share on Hopper, a little more for the larger chip.
  return {0.17, 0.14, 0.4, "prior: flash-2 knows no newer matrix instructions: about its rate on Hopper"};
}

std::vector<FitParameter> priors(const Rates& rates) {
  std::vector<FitParameter> out(4);
  out[forward] = {FitScale::share, rates.forward, rates.width};
  out[backward] = {FitScale::share, rates.backward, rates.width};
  out[half_sequence] = {FitScale::positive, 256, 0.5};
  out[narrow_head] = {FitScale::share, 0.85, 0.6};
  return out;
}

double share_by(const AttentionRow& row, double efficiency, double half, double narrow) {
  return efficiency * row.sequence / (row.sequence + half) * (row.narrow_head ? narrow : 1);
}

double log_error(const AttentionRow& row, const AttentionParameters& parameters) {
  return std::log(forward_share(row, parameters) / row.share_of_peak);
}

std::vector<double> errors_of(const std::vector<AttentionRow>& rows, const AttentionParameters& parameters) {
  std::vector<double> out;
  for (const AttentionRow& row : rows) out.push_back(log_error(row, parameters));
  return out;
}

/// Rows are of the forward pass only.
AttentionParameters parameters_of(const FitResult& fit, const std::string& prior, const std::string& source) {
  AttentionParameters out;
  out.forward_efficiency = sourced_value(fit.values[forward], fit.std_errors[forward], source);
  out.backward_efficiency = sourced_value(fit.values[backward], fit.std_errors[backward], prior);
  out.half_sequence = sourced_value(fit.values[half_sequence], fit.std_errors[half_sequence], source);
  out.narrow_head_factor = sourced_value(fit.values[narrow_head], fit.std_errors[narrow_head], source);
  const std::string fused = "definition: fused, with a causal mask";
  out.executed_share = sourced_value(0.5, 0, fused);
  out.score_bytes_forward = out.score_bytes_backward = sourced_value(0, 0, fused);
  return out;
}

/// Parameters of `from` at another speed. @param doubt  one standard deviation, relative
AttentionParameters scaled(const AttentionParameters& from, double factor, double doubt, const std::string& source) {
  AttentionParameters out = from;
  for (Sourced<double>* one : {&out.forward_efficiency, &out.backward_efficiency}) {
    const double value = one->value * factor;
    *one = sourced_value(value, std::hypot(one->std_error * factor, value * doubt), source);
  }
  return out;
}

AttentionParameters unfused_attention() {
  const std::string rate = "prior: rate of unfused attention that an earlier model of training steps settled on";
  const std::string traffic = "prior: traffic of unfused attention that an earlier model of training steps settled on";
  const std::string definition = "definition: plain matrix multiplies over the whole square";
  return {
      .forward_efficiency = sourced_value(0.55, 0.08, rate),
      .backward_efficiency = sourced_value(0.55, 0.08, rate),
      .half_sequence = sourced_value(0, 0, definition),
      .narrow_head_factor = sourced_value(0.85, 0.08, rate),
      .unaligned_factor = sourced_value(
          0.11, 0.04,
          "prior: multiplies without matrix units run at the 32-bit rate of the A100 sheet, a sixteenth, over 0.55"),
      .executed_share = sourced_value(1, 0, definition),
      .score_bytes_forward = sourced_value(13, 3, traffic),
      .score_bytes_backward = sourced_value(22, 5, traffic)};
}

/// Wide priors: own samples win over published ones.
std::vector<FitParameter> sample_priors(const AttentionParameters* prior) {
  std::vector<FitParameter> out = {{FitScale::share, 0.4, 1.5},
                                   {FitScale::share, 0.3, 1.5},
                                   {FitScale::positive, 500, 1.5},
                                   {FitScale::positive, 0.8, 0.5}};
  if (!prior) return out;
  out[forward].prior = prior->forward_efficiency.value;
  out[backward].prior = prior->backward_efficiency.value;
  if (prior->half_sequence.value > 0) out[half_sequence].prior = prior->half_sequence.value;
  out[narrow_head].prior = prior->narrow_head_factor.value;
  return out;
}

}  // namespace

std::string attention_family(const std::string& kernel) {
  if (kernel == "flash-attention-2") return "flash-2";
  if (kernel == "flash-attention-3" || kernel.starts_with("cudnn")) return "cudnn";
  return kernel == "unfused" ? "unfused" : "";
}

std::vector<AttentionRow> attention_rows(const std::vector<Measurement>& measurements, const std::string& accelerator,
                                         const std::string& family) {
  std::vector<AttentionRow> out;
  for (const Measurement& measurement : measurements) {
    if (!measurement.attention || measurement.hardware.accelerator != accelerator) continue;
    const MeasuredAttention& row = *measurement.attention;
    const bool known_width = row.head_width == 64 || row.head_width == 128;
    if (attention_family(row.kernel) != family || row.pass != "forward" || row.dtype != "bf16" || !known_width)
      continue;
    out.push_back({static_cast<double>(row.sequence), row.head_width == 64,
                   row.rate / measurement.hardware.peak_dense.at("bf16")});
  }
  return out;
}

double forward_share(const AttentionRow& row, const AttentionParameters& parameters) {
  return share_by(row, parameters.forward_efficiency.value, parameters.half_sequence.value,
                  parameters.narrow_head_factor.value);
}

AttentionParameters fit_attention(const std::string& family, const std::string& architecture,
                                  const std::vector<AttentionRow>& rows) {
  const Rates rates = assumed_rates(family, architecture);
  FitProblem problem{priors(rates), std::vector<double>(rows.size(), 1.0), {}, 0.1};
  problem.errors = [&](const std::vector<double>& values, std::vector<double>& errors) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      errors[i] = std::log(share_by(rows[i], values[forward], values[half_sequence], values[narrow_head]) /
                           rows[i].share_of_peak);
  };
  const std::string source =
      rows.empty() ? rates.source : fmt::format("fit of {} measured kernel(s); {}", rows.size(), rates.source);
  return parameters_of(fit_least_squares(problem), rates.source, source);
}

double log_error(const AttentionSampleRow& row, const AttentionParameters& parameters) {
  // Fused kernels keep no scores in memory, so its bandwidth does not matter.
  return std::log(attention_time(row.shape, parameters, row.peak, 1 * terabyte_per_second).time() / row.time);
}

AttentionParameters fit_attention_samples(const std::vector<AttentionSampleRow>& rows, const std::string& source,
                                          const AttentionParameters* prior) {
  FitProblem problem{sample_priors(prior), std::vector<double>(rows.size(), 1.0), {}};
  const auto at = [&](const FitResult& fit) { return parameters_of(fit, source, source); };
  AttentionParameters trial = at({{0.4, 0.3, 500, 0.8}, {0, 0, 0, 0}});
  problem.errors = [&](const std::vector<double>& values, std::vector<double>& errors) {
    trial.forward_efficiency.value = values[forward];
    trial.backward_efficiency.value = values[backward];
    trial.half_sequence.value = values[half_sequence];
    trial.narrow_head_factor.value = values[narrow_head];
    for (std::size_t i = 0; i < rows.size(); ++i) errors[i] = log_error(rows[i], trial);
  };
  return at(fit_least_squares(problem));
}

std::map<std::string, AttentionParameters> attention_families(const AttentionParameters& flash,
                                                              const AttentionParameters& cudnn,
                                                              const std::string& architecture) {
  const std::string triton =
      fmt::format("prior: {} times the time of flash-2, as training steps on Ampere and Hopper show", triton_slowdown);
  const std::string xla = architecture.empty() ? "prior: as fused kernels on measured generations"
                                               : "prior: XLA calls the vendor's fused kernels";
  return {{"flash-2", flash},
          {"cudnn", cudnn},
          {"flash-triton", scaled(flash, 1 / triton_slowdown, 0.1, triton)},
          {"xla", scaled(cudnn, 1, 0.15, xla)},
          {"unfused", unfused_attention()}};
}

FitReport attention_report(const std::string& family, const std::string& architecture,
                           const std::vector<AttentionRow>& rows, const AttentionParameters& fitted) {
  const auto fold = [](const AttentionRow& row) { return std::pair(row.sequence, row.narrow_head); };
  const auto refit = [&](const std::vector<AttentionRow>& kept) { return fit_attention(family, architecture, kept); };
  const auto error = [](const AttentionRow& row, const AttentionParameters& p) { return log_error(row, p); };
  const std::vector<double> held_out = held_out_errors(rows, fold, refit, error);
  return report("attention/" + family, errors_of(rows, fitted), held_out,
                fitted.forward_efficiency.source + "; held out: each sequence length and head width in turn");
}

FitReport attention_generic_report(const std::string& family, const std::vector<AttentionRow>& rows,
                                   const AttentionParameters& prior) {
  const std::vector<double> errors = errors_of(rows, prior);
  return report("attention/" + family + ", generation held out", errors, errors,
                prior.forward_efficiency.source + "; no kernel was fitted");
}

}  // namespace clusterwright
