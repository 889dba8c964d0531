#include "calibration/fit/step_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "calibration/fit/sourced_value.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

namespace {

/// Belief in middle and slope, and how far architectures lie from any line.
constexpr double middle_belief = 0.08, middle_width = 0.10;
constexpr double slope_belief = 0.10, slope_width = 0.10;
constexpr double scatter = 0.05;

/// Belief about each kind of unknown before any step was seen: logarithm and one standard deviation.
struct Belief {
  double value, width;
};
// Steps of A100 are nearly the sum of their microbenchmarks; later parts lose 5 to 20 % more to clocks and overlap.
constexpr Belief compute_belief{0.05, 0.10}, communication_belief{0, 0.20}, host_belief{0, 0.35},
    tax_belief{0.03, 0.08}, drift_belief{0.03, 0.02};

constexpr const char* drift_name = "drift";

/// Kinds that stacks and architectures without rows take from the others: the mean, or the line of taxes.
constexpr std::array<const char*, 3> passed_on = {"compute", "communication", "kernel_tax"};

std::string name_of(const std::string& kind, const StepRow& row) {
  return kind + "/" + (kind == "kernel_tax" ? row.architecture : row.entry);
}

Sourced<double> believed(Belief belief) {
  const double value = std::exp(belief.value);
  return sourced_value(value, belief.width * value, "prior: what steps of other stacks and generations show");
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

/// Some step of the entry spends a hundredth or more waiting for the host.
bool informs(const std::vector<StepRow>& rows, const std::vector<StepSlopes>& slopes, const std::string& entry) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].entry == entry && std::abs(slopes[i].host) > 0.01) return true;
  return false;
}

}  // namespace

double TaxLine::at(double density) const {
  return std::max(0.0, middle + slope * (density - reference));
}

TaxLine fit_tax_line(const std::vector<TaxPoint>& points) {
  const double n = static_cast<double>(points.size());
  TaxLine line;
  double mean_tax = 0;
  for (const TaxPoint& point : points) {
    line.reference += point.density / n;
    mean_tax += point.log_tax / n;
  }
  double together = 0, alone = 0;
  for (const TaxPoint& point : points) {
    const double away = point.density - line.reference;
    together += away * (point.log_tax - mean_tax);
    alone += away * away;
  }
  const double vote = 1 / (scatter * scatter);
  const double middle_vote = 1 / (middle_width * middle_width), slope_vote = 1 / (slope_width * slope_width);
  line.middle = (n * vote * mean_tax + middle_vote * middle_belief) / (n * vote + middle_vote);
  line.slope = (vote * together + slope_vote * slope_belief) / (vote * alone + slope_vote);
  line.slope_error = 1 / std::sqrt(vote * alone + slope_vote);
  double squares = scatter * scatter;
  for (const TaxPoint& point : points) squares += std::pow(point.log_tax - line.at(point.density), 2);
  line.spread = std::sqrt(squares / (n + 1));
  return line;
}

void write_unknown(StepCalibration& steps, const std::string& name, double x, double error, const std::string& source) {
  const double value = name == drift_name ? x : std::exp(x);
  number(steps, name) = sourced_value(value, name == drift_name ? error : error * value, source);
}

void start_from_priors(ScenarioShelf& shelf) {
  StepCalibration& steps = shelf.steps;
  steps.stacks = {{other_entry, believed_stack()}};
  for (const auto& [name, stack] : shelf.stacks)
    steps.stacks[stack.calibrated.empty() ? name : stack.calibrated] = believed_stack();
  steps.kernel_tax = {{other_entry, believed(tax_belief)}};
  steps.tax_per_density = steps.density_reference = {0, "definition: one tax for all"};
  steps.drift = sourced_value(drift_belief.value, drift_belief.width, "prior: the same job under later releases");
}

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
  for (std::size_t k = 0; k < names_.size(); ++k) write_unknown(steps, names_[k], x[k], 0, "");
  for (StepRow& row : rows) row.scenario.steps = steps;
}

}  // namespace clusterwright
