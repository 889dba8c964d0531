// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/closed_form_fit.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "calibration/validation/closed_form_kernels.hpp"
#include "sim/enum_array.hpp"

namespace clusterwright {

template <>
struct EnumNames<ClosedFormKind> {
  static constexpr std::array<std::string_view, 7> names = {"hopper",  "blackwell",     "drift", "overlap",
                                                            "compute", "communication", "host"};
};

namespace {

using Unknowns = std::vector<ClosedFormUnknown>;

constexpr int gauss_newton_rounds = 4;
constexpr double small_change = 0.02;  // of a logarithm, for slopes

struct ClosedFormPrior {
  double value, width;
};
constexpr EnumArray<ClosedFormKind, ClosedFormPrior> priors = {
    {{{0.05, 0.10}, {0.17, 0.10}, {0.03, 0.02}, {0, 0.40}, {0.05, 0.10}, {0, 0.30}, {0, 0.35}}}};

double log_rate_of(const StepRow& row, const ClosedFormFactors& factors) {
  const double tokens = static_cast<double>(row.plan.global_batch) * row.scenario.job.sequence;
  return std::log(tokens / row.plan.accelerators() /
                  (closed_form_step(row.scenario, row.plan, factors) / (1 * second)));
}

double error_of(const StepRow& row, const ClosedFormFactors& factors) {
  return log_rate_of(row, factors) - std::log(row.tokens_per_second_per_accelerator);
}

/// Whether the host takes part in any step of an entry.
bool waits_for_host(const std::vector<StepRow>& rows, const std::string& entry) {
  constexpr double informative_share = 0.01;  // of a step
  ClosedFormFactors slower_host;
  slower_host.host = std::exp(small_change);
  return std::any_of(rows.begin(), rows.end(), [&](const StepRow& row) {
    return row.entry == entry && error_of(row, {}) - error_of(row, slower_host) > informative_share * small_change;
  });
}

Unknowns unknowns_of_rows(const std::vector<StepRow>& rows) {
  std::set<std::string> entries;
  for (const StepRow& row : rows) entries.insert(row.entry);
  Unknowns out;
  for (const auto kind :
       {ClosedFormKind::hopper, ClosedFormKind::blackwell, ClosedFormKind::drift, ClosedFormKind::overlap})
    out.push_back({kind, "", priors[kind].value});
  for (const std::string& entry : entries)
    for (const auto kind : {ClosedFormKind::compute, ClosedFormKind::communication, ClosedFormKind::host})
      if (kind != ClosedFormKind::host || waits_for_host(rows, entry)) out.push_back({kind, entry, priors[kind].value});
  return out;
}

bool concerns(const ClosedFormUnknown& unknown, const StepRow& row) {
  if (!unknown.entry.empty()) return unknown.entry == row.entry;
  const ClosedFormGeneration generation = closed_form_generation(row.scenario.cluster.accelerator);
  if (unknown.kind == ClosedFormKind::hopper) return generation == ClosedFormGeneration::hopper;
  if (unknown.kind == ClosedFormKind::blackwell) return generation == ClosedFormGeneration::blackwell;
  return true;
}

/// Errors and slopes at the present values.
void straighten(const std::vector<StepRow>& rows, ClosedFormFit& fit) {
  const Unknowns& unknowns = fit.unknowns;
  const std::size_t n = unknowns.size();
  RegressionProblem& problem = fit.problem;
  problem.offsets.assign(rows.size(), 0);
  problem.slopes.assign(rows.size() * n, 0);
  fit.errors.assign(rows.size(), 0);
  tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) {
    const double error = error_of(rows[i], closed_form_factors(unknowns, rows[i]));
    double offset = error;
    Unknowns moved = unknowns;
    for (std::size_t k = 0; k < n; ++k) {
      if (!concerns(unknowns[k], rows[i])) continue;
      moved[k].value = unknowns[k].value + small_change;
      const double slope = (error_of(rows[i], closed_form_factors(moved, rows[i])) - error) / small_change;
      moved[k].value = unknowns[k].value;
      problem.slopes[i * n + k] = slope;
      offset -= slope * unknowns[k].value;
    }
    fit.errors[i] = error;
    problem.offsets[i] = offset;
  });
}

RegressionProblem kept_rows(const RegressionProblem& all, const std::vector<bool>& keep) {
  RegressionProblem out;
  out.prior = all.prior;
  out.width = all.width;
  const std::size_t n = all.prior.size();
  for (std::size_t i = 0; i < all.offsets.size(); ++i) {
    if (!keep[i]) continue;
    out.offsets.push_back(all.offsets[i]);
    out.weights.push_back(all.weights[i]);
    const auto line = all.slopes.begin() + static_cast<std::ptrdiff_t>(i * n);
    out.slopes.insert(out.slopes.end(), line, line + static_cast<std::ptrdiff_t>(n));
  }
  return out;
}

/// Compute and communication of entries without a kept row: the mean of the others. Host time keeps its prior, as in
/// the simulator's own fit: it depends on how a stack issues kernels.
void fill_unseen(const Unknowns& unknowns, const std::set<std::string>& seen, std::vector<double>& values) {
  for (const auto kind : {ClosedFormKind::compute, ClosedFormKind::communication}) {
    double sum = 0, count = 0;
    for (std::size_t k = 0; k < unknowns.size(); ++k)
      if (unknowns[k].kind == kind && seen.contains(unknowns[k].entry)) sum += values[k], ++count;
    for (std::size_t k = 0; k < unknowns.size() && count > 0; ++k)
      if (unknowns[k].kind == kind && !seen.contains(unknowns[k].entry)) values[k] = sum / count;
  }
}

/// Values under a fit to the kept rows.
std::vector<double> refitted(const ClosedFormFit& fit, const std::vector<StepRow>& rows,
                             const std::vector<bool>& keep) {
  std::vector<double> values = regress(kept_rows(fit.problem, keep)).values;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (keep[i]) seen.insert(rows[i].entry);
  fill_unseen(fit.unknowns, seen, values);
  return values;
}

}  // namespace

std::string ClosedFormUnknown::name() const {
  const std::string text(enum_name(kind));
  return entry.empty() ? text : text + "/" + entry;
}

std::vector<StepRow> closed_form_rows(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf) {
  std::vector<StepRow> rows = step_rows(measurements, shelf);
  for (StepRow& row : rows)
    if (!measurements[row.measurement].step->job.recompute) row.plan.recompute = row.scenario.stack.assumed_recompute;
  return rows;
}

ClosedFormFactors closed_form_factors(const std::vector<ClosedFormUnknown>& unknowns, const StepRow& row) {
  double compute = 0, communication = 0, host = 0, overlap = 0;
  for (const ClosedFormUnknown& one : unknowns) {
    if (!concerns(one, row)) continue;
    switch (one.kind) {
      case ClosedFormKind::drift:
        compute -= one.value * row.years;
        break;
      case ClosedFormKind::overlap:
        overlap += one.value;
        break;
      case ClosedFormKind::communication:
        communication += one.value;
        break;
      case ClosedFormKind::host:
        host += one.value;
        break;
      default:
        compute += one.value;
    }
  }
  return {std::exp(compute), std::exp(communication), std::exp(host), std::exp(overlap)};
}

ClosedFormFit fit_closed_form(const std::vector<StepRow>& rows) {
  ClosedFormFit fit;
  if (rows.empty()) return fit;
  fit.unknowns = unknowns_of_rows(rows);
  for (const ClosedFormUnknown& one : fit.unknowns) {
    fit.problem.prior.push_back(priors[one.kind].value);
    fit.problem.width.push_back(priors[one.kind].width);
  }
  for (const StepRow& row : rows) fit.problem.weights.push_back(row.weight);
  straighten(rows, fit);
  for (int round = 0; round < gauss_newton_rounds; ++round) {
    const std::vector<double> values = regress(fit.problem).values;
    for (std::size_t k = 0; k < values.size(); ++k) fit.unknowns[k].value = values[k];
    straighten(rows, fit);
  }
  return fit;
}

std::vector<double> held_out_closed_form(const ClosedFormFit& fit, const std::vector<StepRow>& rows,
                                         const std::function<std::string(const StepRow&)>& group_of) {
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < rows.size(); ++i) groups[group_of(rows[i])].push_back(i);
  const std::size_t n = fit.unknowns.size();
  std::vector<double> errors(rows.size());
  for (const auto& [name, members] : groups) {
    std::vector<bool> keep(rows.size(), true);
    for (const std::size_t i : members) keep[i] = false;
    const std::vector<double> others = refitted(fit, rows, keep);
    for (const std::size_t i : members) {
      errors[i] = fit.problem.offsets[i];
      for (std::size_t k = 0; k < n; ++k) errors[i] += fit.problem.slopes[i * n + k] * others[k];
    }
  }
  return errors;
}

}  // namespace clusterwright
