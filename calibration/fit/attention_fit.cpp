// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/attention_fit.hpp"

#include <fmt/format.h>

#include <cmath>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sourced_value.hpp"

namespace clusterwright {

namespace {

/// Order of the parameter vector.
enum : std::size_t {
  forward,
  backward,
  scores_forward,
  scores_backward,
  block_forward,
  block_backward,
  row_bytes,
  tail_share,
  parameter_count
};

// Triton kernels with position biases against flash-2, in each pass.
constexpr double triton_slowdown_forward = 1.3, triton_slowdown_backward = 1.65;

/// Assumed speed of a family on an architecture, and the reason for it.
struct Rates {
  double forward;
  double backward;
  double scores_forward, scores_backward;  ///< clocks of a multiprocessor
  double width;                            ///< of the shares, in logit
  std::string source;
};

// What samples of both families on H100 gave.
constexpr double usual_scores_forward = 0.12, usual_scores_backward = 0.28;

Rates assumed_rates(const std::string& family, const std::string& architecture) {
  const bool known = architecture == "Ampere" || architecture == "Hopper" || architecture == "Blackwell";
  const std::string settled = fmt::format(
      "prior: rates of {} kernels on {} that an earlier model of training steps settled on", family, architecture);
  if (!known) {
    const std::string between = fmt::format("prior: between the rates of {} on measured generations", family);
    return {0.49, 0.39, usual_scores_forward, usual_scores_backward, 0.5, between};
  }
  if (architecture == "Ampere") return {0.62, 0.59, usual_scores_forward, usual_scores_backward, 0.25, settled};
  if (architecture == "Hopper" && family == "cudnn-2024")
    return {0.555, 0.43, usual_scores_forward, usual_scores_backward, 0.25, settled};
  if (architecture == "Hopper" && family == "cudnn")
    return {0.71, 0.61, usual_scores_forward, usual_scores_backward, 0.25, "prior: what samples of H100 gave"};
  if (architecture == "Hopper") return {0.375, 0.34, usual_scores_forward, usual_scores_backward, 0.25, settled};
  if (family.starts_with("cudnn")) return {0.84, 0.64, 0.0625, 0.15, 0.25, "prior: what benchmarks of GB200 gave"};
  // 989 / 2250 of the share on Hopper, a little more for the larger chip.
  return {0.178,
          0.152,
          usual_scores_forward,
          usual_scores_backward,
          0.4,
          "prior: flash-2 knows no newer matrix instructions: about its rate on "
          "Hopper"};
}

std::vector<FitParameter> priors(const Rates& rates) {
  std::vector<FitParameter> out(parameter_count);
  out[forward] = {FitScale::share, rates.forward, rates.width};
  out[backward] = {FitScale::share, rates.backward, rates.width};
  out[scores_forward] = {FitScale::positive, rates.scores_forward, 0.4};
  out[scores_backward] = {FitScale::positive, rates.scores_backward, 0.4};
  // Near what kernels on Hopper and on Blackwell gave.
  out[block_forward] = {FitScale::positive, 5000, 0.4};
  out[block_backward] = {FitScale::positive, 4000, 0.6};
  out[row_bytes] = {FitScale::positive, 28, 0.5};
  out[tail_share] = {FitScale::positive, 0.7, 0.5};
  return out;
}

std::vector<double> errors_of(const std::vector<AttentionRow>& rows, const AttentionParameters& parameters) {
  std::vector<double> out;
  for (const AttentionRow& row : rows) out.push_back(attention_log_error(row, parameters));
  return out;
}

/// Fitted members, in the order of the parameter vector.
constexpr Sourced<double> AttentionParameters::*fitted_members[parameter_count] = {
    &AttentionParameters::forward_efficiency, &AttentionParameters::backward_efficiency,
    &AttentionParameters::score_clocks,       &AttentionParameters::score_clocks_backward,
    &AttentionParameters::block_clocks,       &AttentionParameters::block_clocks_backward,
    &AttentionParameters::row_bytes_backward, &AttentionParameters::tail_share};

/// Sets values without their origin, which is cheap enough for the inside of a fit.
void assign(const std::vector<double>& values, AttentionParameters& out) {
  for (std::size_t i = 0; i < parameter_count; ++i) (out.*fitted_members[i]).value = values[i];
}

AttentionParameters parameters_of(const FitResult& fit, const std::string& source) {
  AttentionParameters out;
  for (std::size_t i = 0; i < parameter_count; ++i)
    out.*fitted_members[i] = sourced_value(fit.values[i], fit.std_errors[i], source);
  const std::string fused = "definition: fused, with a causal mask";
  out.executed_share = sourced_value(0.5, 0, fused);
  out.score_bytes_forward = out.score_bytes_backward = sourced_value(0, 0, fused);
  return out;
}

/// @param noise  of a row, relative
AttentionParameters fitted_to(const std::vector<AttentionRow>& rows, const std::vector<FitParameter>& assumed,
                              const std::string& source, double noise) {
  FitProblem problem{assumed, std::vector<double>(rows.size(), 1.0), {}, noise};
  AttentionParameters trial =
      parameters_of({std::vector<double>(parameter_count, 0.5), std::vector<double>(parameter_count, 0.0)}, source);
  problem.errors = [&](const std::vector<double>& values, std::vector<double>& errors) {
    assign(values, trial);
    for (std::size_t i = 0; i < rows.size(); ++i) errors[i] = attention_log_error(rows[i], trial);
  };
  return parameters_of(fit_least_squares(problem), source);
}

/// Parameters of `from` whose multiplies run at another speed. @param doubt  one standard deviation, relative
AttentionParameters scaled(const AttentionParameters& from, double forward_factor, double backward_factor, double doubt,
                           const std::string& source) {
  const auto times = [&](const Sourced<double>& one, double factor) {
    const double value = one.value * factor;
    return sourced_value(value, std::hypot(one.std_error * factor, value * doubt), source);
  };
  AttentionParameters out = from;
  out.forward_efficiency = times(from.forward_efficiency, forward_factor);
  out.backward_efficiency = times(from.backward_efficiency, backward_factor);
  return out;
}

AttentionParameters unfused_attention() {
  const std::string rate = "prior: rate of unfused attention that an earlier model of training steps settled on";
  const std::string forward =
      "Korthikanti et al. 2022, table 4: selective recomputation adds 1.3 ms to a layer of 22B, of which two "
      "multiplies "
      "take 0.35";
  const std::string backward =
      "the same kernels by their count of bytes: 11 in the backward pass for 8 in the forward pass (causal softmax and "
      "dropout)";
  const std::string definition = "definition: plain matrix multiplies over the whole square";
  return {
      .forward_efficiency = sourced_value(0.55, 0.08, rate),
      .backward_efficiency = sourced_value(0.55, 0.08, rate),
      .score_clocks = sourced_value(0, 0, definition),
      .score_clocks_backward = sourced_value(0, 0, definition),
      .block_clocks = sourced_value(0, 0, definition),
      .block_clocks_backward = sourced_value(0, 0, definition),
      .row_bytes_backward = sourced_value(0, 0, definition),
      .tail_share = sourced_value(0, 0, definition),
      .block_queries = sourced_value(0, 0, definition),
      .narrow_head_factor = sourced_value(0.85, 0.08, rate),
      .unaligned_factor = sourced_value(
          0.11, 0.04,
          "prior: multiplies without matrix units run at the 32-bit rate of the A100 sheet, a sixteenth, over 0.55"),
      .executed_share = sourced_value(1, 0, definition),
      .score_bytes_forward = sourced_value(10.5, 1.5, forward),
      .score_bytes_backward = sourced_value(14.5, 3, backward)};
}

/// Wide priors: own samples win over published ones.
std::vector<FitParameter> sample_priors(const AttentionParameters* prior) {
  std::vector<FitParameter> out = {{FitScale::share, 0.4, 1.5},
                                   {FitScale::share, 0.3, 1.5},
                                   {FitScale::positive, usual_scores_forward, 0.7},
                                   {FitScale::positive, usual_scores_backward, 0.7},
                                   {FitScale::positive, 5000, 1.0},
                                   {FitScale::positive, 4000, 1.0},
                                   {FitScale::positive, 28, 1.0},
                                   {FitScale::positive, 0.7, 0.7}};
  if (!prior) return out;
  for (std::size_t i = 0; i < parameter_count; ++i) {
    const double believed = (prior->*fitted_members[i]).value;
    if (believed > 0) out[i].prior = believed;
  }
  return out;
}

}  // namespace

double attention_log_error(const AttentionRow& row, const AttentionParameters& parameters) {
  return std::log(attention_time(row.shape, parameters, row.device).time() / row.time);
}

AttentionParameters fit_attention(const std::string& family, const std::string& architecture,
                                  const std::vector<AttentionRow>& rows) {
  const Rates rates = assumed_rates(family, architecture);
  const std::string source =
      rows.empty() ? rates.source : fmt::format("fit of {} measured kernel(s); {}", rows.size(), rates.source);
  return fitted_to(rows, priors(rates), source, 0.1);
}

AttentionParameters fit_attention_samples(const std::vector<AttentionRow>& rows, const std::string& source,
                                          const AttentionParameters* prior) {
  return fitted_to(rows, sample_priors(prior), source, 0.01);
}

std::map<std::string, AttentionParameters> attention_families(const AttentionParameters& flash,
                                                              const AttentionParameters& cudnn,
                                                              const std::string& architecture) {
  const std::string triton =
      fmt::format("prior: {} and {} times the multiplies of flash-2, as training steps on Ampere and Hopper show",
                  triton_slowdown_forward, triton_slowdown_backward);
  // Blackwell is younger than the kernels that steps of 2024 ran.
  const AttentionParameters older = architecture == "Blackwell"
                                        ? scaled(cudnn, 1, 1, 0.1, "prior: as the kernels of later releases")
                                        : fit_attention("cudnn-2024", architecture, {});
  const std::string xla = architecture.empty() ? "prior: as fused kernels on measured generations"
                                               : "prior: XLA calls the vendor's fused kernels";
  return {{"flash-2", flash},
          {"cudnn", cudnn},
          {"cudnn-2024", older},
          {"flash-triton", scaled(flash, 1 / triton_slowdown_forward, 1 / triton_slowdown_backward, 0.1, triton)},
          {"xla", scaled(older, 1, 1, 0.15, xla)},
          {"unfused", unfused_attention()}};
}

FitReport attention_report(const std::string& family, const std::string& architecture,
                           const std::vector<AttentionRow>& rows, const AttentionParameters& fitted) {
  const auto fold = [](const AttentionRow& row) { return std::pair(row.shape.queries, mean_head_width(row.shape)); };
  const auto refit = [&](const std::vector<AttentionRow>& kept) { return fit_attention(family, architecture, kept); };
  const auto error = [](const AttentionRow& row, const AttentionParameters& p) { return attention_log_error(row, p); };
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
