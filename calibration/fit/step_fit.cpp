#include "calibration/fit/step_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>

#include "calibration/fit/sourced_value.hpp"
#include "calibration/fit/step_residuals.hpp"
#include "topology/parts.hpp"

namespace clusterwright {

namespace {

constexpr int most_rounds = 6;
constexpr double converged = 2e-3;  // largest change of an unknown, a logarithm

/// Belief about each kind of unknown before any step was seen: logarithm and one standard deviation.
struct Belief {
  double value, width;
};
// Steps of A100 are nearly the sum of their microbenchmarks; later parts lose 5 to 20 % more to clocks and overlap.
constexpr Belief compute_belief{0.05, 0.10}, communication_belief{0, 0.20}, host_belief{0, 0.35},
    tax_belief{0.03, 0.08}, drift_belief{0.03, 0.02};

constexpr const char* drift_name = "drift";
constexpr const char* tax_prefix = "kernel_tax/";

/// Kinds that stacks and architectures without rows take from the others: the mean, or the line of taxes.
constexpr std::array<const char*, 3> passed_on = {"compute", "communication", "kernel_tax"};

std::string name_of(const std::string& kind, const StepRow& row) {
  return kind + "/" + (kind == "kernel_tax" ? row.architecture : row.entry);
}

Sourced<double> believed(Belief belief) {
  const double value = std::exp(belief.value);
  return sourced(value, belief.width * value, "prior: what steps of other stacks and generations show");
}

StackCalibration believed_stack() {
  return {believed(compute_belief), believed(communication_belief), believed(host_belief), {}};
}

/// The number that an unknown's name stands for: "host/nemo-2024", "kernel_tax/Hopper", "drift".
Sourced<double>& number(StepCalibration& steps, const std::string& name) {
  if (name == drift_name) return steps.drift;
  const std::string kind = name.substr(0, name.find('/')), of = name.substr(name.find('/') + 1);
  if (kind == "kernel_tax") return steps.kernel_tax[of];
  StackCalibration& entry = steps.stacks.at(of);
  return kind == "compute" ? entry.compute : kind == "communication" ? entry.communication : entry.host;
}

/// Drift is a logarithm already.
double unknown_of(double value, const std::string& name) {
  return name == drift_name ? value : std::log(value);
}

void write(StepCalibration& steps, const std::string& name, double x, double error, const std::string& source) {
  const double value = name == drift_name ? x : std::exp(x);
  number(steps, name) = sourced(value, name == drift_name ? error : error * value, source);
}

/// What the fit starts from, whatever was there before: the shipped file follows from the rows alone.
void forget(ScenarioShelf& shelf) {
  StepCalibration& steps = shelf.steps;
  steps.stacks = {{other_entry, believed_stack()}};
  for (const auto& [name, stack] : shelf.stacks)
    steps.stacks[stack.calibrated.empty() ? name : stack.calibrated] = believed_stack();
  steps.kernel_tax = {{other_entry, believed(tax_belief)}};
  steps.tax_per_density = steps.density_reference = {0, "definition: one tax for all"};
  steps.drift = sourced(drift_belief.value, drift_belief.width, "prior: the same job under later releases");
}

/// Some step of the entry spends a hundredth or more waiting for the host.
bool informs(const std::vector<StepRow>& rows, const std::vector<StepSlopes>& slopes, const std::string& entry) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].entry == entry && std::abs(slopes[i].host) > 0.01) return true;
  return false;
}

}  // namespace

StepProblem::StepProblem(const std::vector<StepRow>& rows, const std::vector<StepSlopes>& slopes,
                         const StepCalibration& steps)
    : rows_(rows) {
  std::set<std::string> entries, architectures;
  for (const StepRow& row : rows) {
    entries.insert(row.entry);
    architectures.insert(row.architecture);
  }
  StepCalibration present = steps;
  for (const std::string& architecture : architectures)
    present.kernel_tax.try_emplace(architecture, believed(tax_belief));
  const auto add = [&](const std::string& name, Belief belief) {
    names_.push_back(name);
    prior_.push_back(belief.value);
    width_.push_back(belief.width);
    present_.push_back(unknown_of(number(present, name).value, name));
  };
  for (const std::string& entry : entries) {
    add("compute/" + entry, compute_belief);
    add("communication/" + entry, communication_belief);
    if (informs(rows, slopes, entry)) add("host/" + entry, host_belief);
  }
  for (const std::string& architecture : architectures) add("kernel_tax/" + architecture, tax_belief);
  add(drift_name, drift_belief);
}

std::optional<std::size_t> StepProblem::index(const std::string& name) const {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return {};
  return static_cast<std::size_t>(found - names_.begin());
}

RegressionProblem StepProblem::regression(const std::vector<StepSlopes>& slopes, const std::vector<bool>& keep) const {
  RegressionProblem problem;
  problem.prior = prior_;
  problem.width = width_;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!keep.empty() && !keep[i]) continue;
    const StepRow& row = rows_[i];
    std::vector<double> line(names_.size(), 0.0);
    const auto set = [&](const std::string& name, double slope) {
      if (const auto k = index(name)) line[*k] = slope;
    };
    set("compute/" + row.entry, slopes[i].compute);
    set("communication/" + row.entry, slopes[i].communication);
    set("host/" + row.entry, slopes[i].host);
    set("kernel_tax/" + row.architecture, slopes[i].compute);
    set(drift_name, -slopes[i].compute * row.years);
    double offset = slopes[i].error;
    for (std::size_t k = 0; k < line.size(); ++k) offset -= line[k] * present_[k];
    problem.offsets.push_back(offset);
    problem.slopes.insert(problem.slopes.end(), line.begin(), line.end());
    problem.weights.push_back(row.weight);
  }
  return problem;
}

TaxLine StepProblem::tax_line(const std::set<std::string>& seen, const std::vector<double>& x) const {
  std::vector<TaxPoint> points;
  for (std::size_t k = 0; k < names_.size(); ++k)
    if (names_[k].starts_with(tax_prefix) && seen.contains(names_[k]))
      points.push_back({density_of(names_[k].substr(std::strlen(tax_prefix))), x[k]});
  return fit_tax_line(points);
}

double StepProblem::density_of(const std::string& architecture) const {
  double sum = 0, count = 0;
  for (const StepRow& row : rows_)
    if (row.architecture == architecture) sum += power_density(row.scenario.cluster.accelerator), ++count;
  return sum / count;
}

void StepProblem::pass_on(const std::vector<bool>& keep, std::vector<double>& x) const {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (keep[i])
      for (const char* kind : passed_on) seen.insert(name_of(kind, rows_[i]));
  const TaxLine line = tax_line(seen, x);
  for (const char* kind : passed_on) {
    double sum = 0, count = 0;
    std::vector<std::size_t> unseen;
    for (std::size_t k = 0; k < names_.size(); ++k) {
      if (!names_[k].starts_with(std::string(kind) + "/")) continue;
      if (seen.contains(names_[k]))
        sum += x[k], ++count;
      else
        unseen.push_back(k);
    }
    for (const std::size_t k : unseen)
      if (names_[k].starts_with(tax_prefix))
        x[k] = line.at(density_of(names_[k].substr(std::strlen(tax_prefix))));
      else if (count > 0)
        x[k] = sum / count;
  }
}

void StepProblem::apply(const std::vector<double>& x, StepCalibration& steps, std::vector<StepRow>& rows) {
  present_ = x;
  for (std::size_t k = 0; k < names_.size(); ++k) write(steps, names_[k], x[k], 0, "");
  for (StepRow& row : rows) row.scenario.steps = steps;
}

namespace {

std::vector<double> errors_of(const std::vector<StepSlopes>& slopes) {
  std::vector<double> errors;
  for (const StepSlopes& slope : slopes) errors.push_back(slope.error);
  return errors;
}

double largest_change(const std::vector<double>& a, const std::vector<double>& b) {
  double change = 0;
  for (std::size_t i = 0; i < a.size(); ++i) change = std::max(change, std::abs(a[i] - b[i]));
  return change;
}

/// The middle of what was fitted, with its spread, for whom nothing was fitted.
void publish_others(const StepFitResult& fit, StepCalibration& steps) {
  for (const char* kind : {"compute", "communication"}) {
    std::vector<double> values;
    for (std::size_t k = 0; k < fit.names.size(); ++k)
      if (fit.names[k].starts_with(std::string(kind) + "/")) values.push_back(fit.regression.x[k]);
    double mean = 0, variance = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    for (const double value : values) variance += (value - mean) * (value - mean) / static_cast<double>(values.size());
    write(steps, fmt::format("{}/{}", kind, other_entry), mean, std::sqrt(variance),
          fmt::format("mean and spread of {} fitted ones", values.size()));
  }
}

/// The tax of architectures without steps goes with what their peak asks of their power.
void publish_tax_line(const StepProblem& problem, const StepFitResult& fit, StepCalibration& steps) {
  const std::set<std::string> all(fit.names.begin(), fit.names.end());
  const TaxLine line = problem.tax_line(all, fit.regression.x);
  const std::string source = "line through the taxes of the fitted architectures over their power density";
  write(steps, fmt::format("{}{}", tax_prefix, other_entry), line.middle, line.spread, source);
  steps.tax_per_density = sourced(line.slope, line.slope_error, source);
  steps.density_reference = sourced(line.reference, 0, "mean of the fitted architectures, from their data sheets");
}

/// Values with their errors and origin.
void publish(const StepProblem& problem, const StepFitResult& fit, StepCalibration& steps) {
  const std::size_t n = fit.names.size();
  const std::string source = fmt::format("fit of {} published training steps", fit.rows.size());
  for (std::size_t k = 0; k < n; ++k)
    write(steps, fit.names[k], fit.regression.x[k], std::sqrt(fit.regression.covariance[k * n + k]), source);
  publish_others(fit, steps);
  publish_tax_line(problem, fit, steps);
  steps.fitted = fit.names;
  steps.covariance.clear();
  for (const double value : fit.regression.covariance) steps.covariance.push_back(rounded(value));
  std::set<std::string> accelerators, vendors;
  for (const StepRow& row : fit.rows) {
    accelerators.insert(row.scenario.cluster.accelerator.id);
    vendors.insert(row.scenario.cluster.accelerator.vendor);
  }
  steps.accelerators.assign(accelerators.begin(), accelerators.end());
  steps.vendors.assign(vendors.begin(), vendors.end());
}

}  // namespace

namespace {

/// Slopes stay as they are; errors follow.
void solve(StepProblem& problem, StepCalibration& steps, StepFitResult& fit) {
  for (int round = 0; round < most_rounds; ++round) {
    fit.regression = regress(problem.regression(fit.slopes, {}));
    const double change = largest_change(fit.regression.x, problem.present());
    problem.apply(fit.regression.x, steps, fit.rows);
    refresh_errors(fit.rows, fit.slopes);
    if (change < converged) break;
  }
}

}  // namespace

StepFitResult fit_steps(const std::vector<Measurement>& measurements, ScenarioShelf& shelf) {
  forget(shelf);
  StepFitResult fit;
  fit.rows = step_rows(measurements, shelf);
  if (fit.rows.empty()) throw std::invalid_argument("no training step can be described");
  fit.slopes = step_slopes(fit.rows);
  StepProblem problem(fit.rows, fit.slopes, shelf.steps);
  fit.names = problem.names();
  solve(problem, shelf.steps, fit);
  fit.slopes = step_slopes(fit.rows);  // at the solution
  solve(problem, shelf.steps, fit);
  fit.errors = errors_of(fit.slopes);
  publish(problem, fit, shelf.steps);
  publish_residuals(fit, shelf.steps);
  return fit;
}

StepFitResult committed_steps(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf) {
  StepFitResult fit;
  fit.rows = step_rows(measurements, shelf);
  if (fit.rows.empty()) return fit;
  fit.slopes = step_shares(fit.rows);
  const StepProblem problem(fit.rows, fit.slopes, shelf.steps);
  fit.names = problem.names();
  fit.regression.x = problem.present();
  fit.errors = errors_of(fit.slopes);
  return fit;
}

std::vector<double> left_out_step_errors(const StepFitResult& fit, const std::vector<StepSlopes>& predicted,
                                         const StepCalibration& steps,
                                         const std::function<std::string(const StepRow&)>& group_of) {
  const StepProblem problem(fit.rows, fit.slopes, steps);
  const RegressionProblem all = problem.regression(predicted, {});
  const std::size_t unknowns = fit.names.size();
  std::map<std::string, std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < fit.rows.size(); ++i) groups[group_of(fit.rows[i])].push_back(i);
  std::vector<double> errors(fit.rows.size());
  for (const auto& [name, members] : groups) {
    std::vector<bool> keep(fit.rows.size(), true);
    for (const std::size_t i : members) keep[i] = false;
    RegressionResult others = regress(problem.regression(fit.slopes, keep));
    problem.pass_on(keep, others.x);
    for (const std::size_t i : members) {
      errors[i] = all.offsets[i];
      for (std::size_t k = 0; k < unknowns; ++k) errors[i] += all.slopes[i * unknowns + k] * others.x[k];
    }
  }
  return errors;
}

std::string model_of(const StepRow& row) {
  const Transformer& t = row.scenario.transformer;
  return fmt::format("{} {} {} {}", t.layers, t.hidden, t.heads, t.ffn);
}

}  // namespace clusterwright
