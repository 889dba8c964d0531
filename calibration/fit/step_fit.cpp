#include "calibration/fit/step_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "calibration/fit/sourced_values.hpp"

namespace clusterwright {

namespace {

constexpr double median_over_sigma = 0.6745;  // of |x| of a normal x

/// Rows of equal dimensions are one model, whatever it is called.
auto model_key(const StepRow& row) {
  const Transformer& t = row.scenario.transformer;
  return std::make_tuple(t.layers, t.hidden, t.heads, t.ffn, t.vocabulary);
}

void share_votes(std::vector<StepRow>& rows) {
  std::map<decltype(model_key(rows.front())), int> count;
  for (const StepRow& row : rows) ++count[model_key(row)];
  for (StepRow& row : rows) row.weight = 1.0 / count[model_key(row)];
}

double weighted_quantile(std::vector<std::pair<double, double>> values, double quantile) {
  std::sort(values.begin(), values.end());
  double total = 0;
  for (const auto& [value, weight] : values) total += weight;
  double sum = 0;
  for (const auto& [value, weight] : values)
    if ((sum += weight) >= quantile * total) return value;
  return values.back().first;
}

/// Log error of each row at two taxes; between them it is nearly straight, so no further step is simulated.
struct RowErrors {
  double at_low, at_high, weight;
  double at(double tax) const { return at_low + (tax - low) / (high - low) * (at_high - at_low); }
  static constexpr double low = 1.0, high = 1.3;
};

double log_error(StepRow& row, double tax) {
  row.scenario.parameters.step.kernel_tax.value = tax;
  return std::log(predict_step(row.scenario).tokens_per_second_per_accelerator() /
                  row.tokens_per_second_per_accelerator);
}

double best_tax(const std::vector<RowErrors>& rows) {
  double low = 0.8, high = 1.8;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    std::vector<std::pair<double, double>> errors;
    for (const RowErrors& row : rows) errors.push_back({row.at(middle), row.weight});
    (weighted_quantile(std::move(errors), 0.5) > 0 ? low : high) = middle;
  }
  return low;
}

/// Errors of each model under the tax that all the others ask for.
std::vector<double> left_out_errors(const std::vector<StepRow>& rows, const std::vector<RowErrors>& errors) {
  std::vector<double> out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<RowErrors> others;
    for (std::size_t j = 0; j < rows.size(); ++j)
      if (model_key(rows[j]) != model_key(rows[i])) others.push_back(errors[j]);
    if (!others.empty()) out.push_back(errors[i].at(best_tax(others)));
  }
  return out;
}

}  // namespace

std::vector<StepRow> step_rows(const std::vector<Measurement>& measurements, const std::string& accelerator,
                               const ScenarioShelf& shelf, const ParameterSet& parameters) {
  std::vector<StepRow> rows;
  for (const Measurement& m : measurements) {
    const bool wanted = m.step && m.scored && m.hardware.accelerator == accelerator &&
                        m.step->tokens_per_second_per_accelerator &&
                        stack_of(m.step->job.framework, m.step->job.release).starts_with("megatron") &&
                        !m.step->job.precision.value_or("bf16").starts_with("fp8");
    if (!wanted) continue;
    auto described = measured_scenario(m, shelf, parameters);
    if (auto* scenario = std::get_if<Scenario>(&described))
      rows.push_back({std::move(*scenario), *m.step->tokens_per_second_per_accelerator, 1});
  }
  return rows;
}

StepFit fit_step(std::vector<StepRow> rows, const std::string& rows_from) {
  share_votes(rows);
  std::vector<RowErrors> errors;
  for (StepRow& row : rows)
    errors.push_back({log_error(row, RowErrors::low), log_error(row, RowErrors::high), row.weight});
  const double tax = best_tax(errors);
  std::vector<double> in_sample;
  std::vector<std::pair<double, double>> absolute;
  for (const RowErrors& row : errors) {
    in_sample.push_back(row.at(tax));
    absolute.push_back({std::abs(row.at(tax)), row.weight});
  }
  const double sigma = weighted_quantile(absolute, 0.5) / median_over_sigma;
  const double models = [&] {
    double sum = 0;
    for (const RowErrors& row : errors) sum += row.weight;
    return sum;
  }();
  StepFit fit;
  fit.kernel_tax = sourced(tax, sigma / std::sqrt(models), rows_from);
  fit.structural_error = sourced(sigma, 0, "scatter of the training steps that kernel_tax was fitted to");
  fit.report = report("training step", in_sample, left_out_errors(rows, errors), rows_from);
  return fit;
}

void apply(const StepFit& fit, ParameterSet& set) {
  set.step.kernel_tax = fit.kernel_tax;
  set.step.structural_error = fit.structural_error;
  set.fits.push_back(fit.report);
}

}  // namespace clusterwright
