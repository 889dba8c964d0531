#include "calibration/fit/attention_fit.hpp"

#include <fmt/format.h>

#include <cmath>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sourced_values.hpp"

namespace clusterwright {

namespace {

/// Order of the parameter vector.
enum : std::size_t { forward, backward, half_sequence, narrow_head };

struct Rates {
  double forward;
  double backward;
};

Rates assumed_rates(const std::string& family, const std::string& architecture) {
  if (architecture == "Ampere") return {0.55, 0.45};
  return family == "flash-2" ? Rates{0.35, 0.28} : Rates{0.52, 0.42};
}

std::vector<FitParameter> priors(const std::string& family, const std::string& architecture) {
  const Rates rates = assumed_rates(family, architecture);
  std::vector<FitParameter> out(4);
  out[forward] = {FitScale::share, rates.forward, 0.25};
  out[backward] = {FitScale::share, rates.backward, 0.25};
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

std::string kernel_of(const std::string& family) {
  return family == "flash-2" ? "flash-attention-2" : family;
}

/// Measured rows speak of the forward pass only.
AttentionParameters parameters_of(const FitResult& fit, const std::string& prior, const std::string& source) {
  AttentionParameters out;
  out.forward_efficiency = sourced(fit.values[forward], fit.std_errors[forward], source);
  out.backward_efficiency = sourced(fit.values[backward], fit.std_errors[backward], prior);
  out.half_sequence = sourced(fit.values[half_sequence], fit.std_errors[half_sequence], source);
  out.narrow_head_factor = sourced(fit.values[narrow_head], fit.std_errors[narrow_head], source);
  const std::string fused = "definition: fused, with a causal mask";
  out.executed_share = sourced(0.5, 0, fused);
  out.score_bytes_forward = out.score_bytes_backward = sourced(0, 0, fused);
  return out;
}

}  // namespace

std::vector<AttentionRow> attention_rows(const std::vector<Measurement>& measurements, const std::string& accelerator,
                                         const std::string& family) {
  std::vector<AttentionRow> out;
  for (const Measurement& measurement : measurements) {
    if (!measurement.attention || measurement.hardware.accelerator != accelerator) continue;
    const MeasuredAttention& row = *measurement.attention;
    const bool known_width = row.head_width == 64 || row.head_width == 128;
    if (row.kernel != kernel_of(family) || row.pass != "forward" || row.dtype != "bf16" || !known_width) continue;
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
  FitProblem problem{priors(family, architecture), std::vector<double>(rows.size(), 1.0), {}, 0.1};
  problem.errors = [&](const std::vector<double>& values, std::vector<double>& errors) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      errors[i] = std::log(share_by(rows[i], values[forward], values[half_sequence], values[narrow_head]) /
                           rows[i].share_of_peak);
  };
  const std::string prior = fmt::format(
      "prior: rates of {} kernels on {} that an earlier model of training steps settled on", family, architecture);
  const std::string source = rows.empty() ? prior : fmt::format("fit of {} measured kernel(s); {}", rows.size(), prior);
  return parameters_of(fit_least_squares(problem), prior, source);
}

AttentionParameters unfused_attention() {
  const std::string rate = "prior: rate of unfused attention that an earlier model of training steps settled on";
  const std::string traffic = "prior: traffic of unfused attention that an earlier model of training steps settled on";
  const std::string definition = "definition: plain matrix multiplies over the whole square";
  return {.forward_efficiency = sourced(0.55, 0.08, rate),
          .backward_efficiency = sourced(0.55, 0.08, rate),
          .half_sequence = sourced(0, 0, definition),
          .narrow_head_factor = sourced(0.85, 0.08, rate),
          .executed_share = sourced(1, 0, definition),
          .score_bytes_forward = sourced(13, 3, traffic),
          .score_bytes_backward = sourced(22, 5, traffic)};
}

FitReport attention_report(const std::string& family, const std::string& architecture,
                           const std::vector<AttentionRow>& rows, const AttentionParameters& fitted) {
  const auto fold = [](const AttentionRow& row) { return std::pair(row.sequence, row.narrow_head); };
  const auto refit = [&](const std::vector<AttentionRow>& kept) { return fit_attention(family, architecture, kept); };
  const std::vector<double> left_out = left_out_errors(rows, fold, refit, log_error);
  std::vector<double> seen;
  for (const AttentionRow& row : rows) seen.push_back(log_error(row, fitted));
  return report("attention/" + family, seen, left_out,
                fitted.forward_efficiency.source + "; left out: each sequence length and head width in turn");
}

}  // namespace clusterwright
