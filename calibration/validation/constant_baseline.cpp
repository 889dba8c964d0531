// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/constant_baseline.hpp"

#include <cmath>
#include <map>
#include <utility>

#include "calibration/validation/error_figures.hpp"

namespace clusterwright {

namespace {

using Machine = std::pair<std::string, std::string>;  // accelerator, precision

Machine machine_of(const CaseResult& result) {
  return {result.accelerator, result.precision};
}

double log_flops(const CaseResult& result) {
  return std::log(result.measured.front() * result.step->model_flops_per_token);
}

std::map<Machine, double> fitted_rates(const std::vector<CaseResult>& rows) {
  std::map<std::pair<Machine, std::string>, double> members;
  for (const CaseResult& row : rows) members[{machine_of(row), row.family}] += row.weight;
  std::map<Machine, std::vector<Weighted>> values;
  for (const CaseResult& row : rows)
    values[machine_of(row)].push_back({log_flops(row), row.weight / members[{machine_of(row), row.family}]});
  std::map<Machine, double> rates;
  for (const auto& [machine, all] : values) rates[machine] = weighted_quantile(all, 0.5);
  return rates;
}

}  // namespace

ConstantBaseline constant_baseline(const std::vector<CaseResult>& results) {
  std::vector<CaseResult> rows;
  for (const CaseResult& result : results)
    if (result.scored && result.step && is_valid(result)) rows.push_back(result);
  const std::map<Machine, double> rates = fitted_rates(rows);
  std::vector<CaseResult> constants = rows;
  for (CaseResult& row : constants)
    row.predicted = row.low = row.high = {std::exp(rates.at(machine_of(row))) / row.step->model_flops_per_token};

  ConstantBaseline out;
  out.constants = static_cast<int>(rates.size());
  const std::vector<ErrorFigures> model = family_figures(rows), constant = family_figures(constants);
  for (std::size_t i = 0; i < model.size(); ++i) out.families.push_back({model[i], constant[i]});
  out.all = error_figures("all", constants);
  out.model = mean_of_groups("mean of families", model);
  out.constant = mean_of_groups("mean of families", constant);
  if (out.constant.median_abs_log > 0) out.ratio = out.model.median_abs_log / out.constant.median_abs_log;
  return out;
}

}  // namespace clusterwright
