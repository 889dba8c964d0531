// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/step_problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "calibration/fit/sourced_value.hpp"
#include "sim/enum_array.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

template <>
struct EnumNames<UnknownKind> {  ///< as the keys of a calibration file
  static constexpr std::array<std::string_view, 7> names = {"compute", "communication", "host",        "kernel_tax",
                                                            "drift",   "experts",       "expert_drift"};
};

namespace {

/// Prior of one kind of unknown, a logarithm, and one standard deviation.
struct Prior {
  double value, width;
};
/// By UnknownKind. Steps of A100 are nearly the sum of their microbenchmarks; later parts lose 5 to 20 % more to clocks
/// and overlap.
constexpr std::array<Prior, enum_count<UnknownKind>> priors_of_kinds = {
    {{0.05, 0.10}, {0, 0.20}, {0, 0.35}, {0.03, 0.08}, {0.03, 0.02}, {0.10, 0.15}, {0.10, 0.08}}};

/// Width of the overhead of architectures whose multiplies were never measured in the shapes of steps: it stands for
/// the error of their kernels too. Narrower, stacks would have to account for it.
constexpr double unmeasured_overhead_width = 0.2;

constexpr Prior prior_of(UnknownKind kind) {
  return priors_of_kinds[static_cast<std::size_t>(kind)];
}

/// Kinds that stacks and architectures without rows take from the others.
constexpr std::array<UnknownKind, 3> passed_on = {UnknownKind::compute, UnknownKind::communication,
                                                  UnknownKind::kernel_overhead};

/// Slope of a host factor below which no step of a stack determines its value.
constexpr double informative_slope = 0.01;

/// Whether a step runs on kernels that were fitted to multiplies of its own accelerator or a sibling.
bool has_measured_kernels(const StepRow& row) {
  const std::vector<FitReport>& fits = row.scenario.parameters.fits;
  return std::ranges::any_of(fits, [](const FitReport& fit) { return fit.name == "gemm/bf16, M >= 1024"; });
}

/// Unknowns that all stacks and architectures share.
constexpr bool is_common(UnknownKind kind) {
  return kind == UnknownKind::drift || kind == UnknownKind::experts || kind == UnknownKind::expert_drift;
}

/// Unknowns that are logarithms per year, not logarithms of factors.
constexpr bool is_yearly(UnknownKind kind) {
  return kind == UnknownKind::drift || kind == UnknownKind::expert_drift;
}

StepUnknown unknown_of(UnknownKind kind, const StepRow& row) {
  if (is_common(kind)) return {kind, ""};
  return {kind, kind == UnknownKind::kernel_overhead ? row.architecture : row.entry};
}

Sourced<double> prior_value(UnknownKind kind) {
  const double value = std::exp(prior_of(kind).value);
  return sourced_value(value, prior_of(kind).width * value, "prior: what steps of other stacks and generations show");
}

StackCalibration prior_stack() {
  return {
      prior_value(UnknownKind::compute), prior_value(UnknownKind::communication), prior_value(UnknownKind::host), {}};
}

/// Number of a calibration that an unknown stands for.
Sourced<double>& number(StepCalibration& steps, const StepUnknown& unknown) {
  if (unknown.kind == UnknownKind::drift) return steps.drift;
  if (unknown.kind == UnknownKind::experts) return steps.expert_kernels;
  if (unknown.kind == UnknownKind::expert_drift) return steps.expert_drift;
  if (unknown.kind == UnknownKind::kernel_overhead) return steps.kernel_overhead[unknown.owner];
  StackCalibration& entry = steps.stacks.at(unknown.owner);
  if (unknown.kind == UnknownKind::compute) return entry.compute;
  return unknown.kind == UnknownKind::communication ? entry.communication : entry.host;
}

/// Yearly ones are kept as logarithms, the others as factors.
double present_value(StepCalibration& steps, const StepUnknown& unknown) {
  const double value = number(steps, unknown).value;
  return is_yearly(unknown.kind) ? value : std::log(value);
}

bool informs(const std::vector<StepRow>& rows, const std::vector<StepSlopes>& slopes, const std::string& entry) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].entry == entry && std::abs(slopes[i].host) > informative_slope) return true;
  return false;
}

}  // namespace

std::string StepUnknown::name() const {
  const std::string text(enum_name(kind));
  return owner.empty() ? text : text + "/" + owner;
}

void write_unknown(StepCalibration& steps, const StepUnknown& unknown, double x, double error,
                   const std::string& source) {
  const bool yearly = is_yearly(unknown.kind);
  const double value = yearly ? x : std::exp(x);
  number(steps, unknown) = sourced_value(value, yearly ? error : error * value, source);
}

void start_from_priors(ScenarioShelf& shelf) {
  StepCalibration& steps = shelf.steps;
  steps.stacks = {{other_entry, prior_stack()}};
  for (const auto& [name, stack] : shelf.stacks)
    if (!stack.calibrated.empty()) steps.stacks[stack.calibrated] = prior_stack();
  steps.oldest_release = steps.newest_release = {};  // those of the rows, which no earlier range may cut
  steps.kernel_overhead = {{other_entry, prior_value(UnknownKind::kernel_overhead)}};
  steps.vendor_overhead.clear();
  steps.overhead_per_density = steps.density_reference = {0, "definition: one overhead factor for all parts"};
  steps.replica_spread = {0, "definition: replicas run alike"};
  steps.expert_kernels = prior_value(UnknownKind::experts);
  const Prior drift = prior_of(UnknownKind::drift), expert_drift = prior_of(UnknownKind::expert_drift);
  steps.drift = sourced_value(drift.value, drift.width, "prior: the same job under later releases");
  steps.expert_drift = sourced_value(expert_drift.value, expert_drift.width, "prior: releases of one mixture");
}

StepProblem::StepProblem(const std::vector<StepRow>& rows, const std::vector<StepSlopes>& slopes,
                         const StepCalibration& steps)
    : rows_(rows) {
  std::set<std::string> entries, architectures;
  for (const StepRow& row : rows) {
    entries.insert(row.entry);
    architectures.insert(row.architecture);
    if (has_measured_kernels(row)) measured_.insert(row.architecture);
  }
  StepCalibration present = steps;
  for (const std::string& architecture : architectures)
    present.kernel_overhead.try_emplace(architecture, prior_value(UnknownKind::kernel_overhead));
  const auto add = [&](UnknownKind kind, const std::string& owner) {
    unknowns_.push_back({kind, owner});
    prior_.push_back(prior_of(kind).value);
    width_.push_back(prior_of(kind).width);
    present_.push_back(present_value(present, unknowns_.back()));
  };
  for (const std::string& entry : entries) {
    add(UnknownKind::compute, entry);
    add(UnknownKind::communication, entry);
    if (informs(rows, slopes, entry)) add(UnknownKind::host, entry);
  }
  for (const std::string& architecture : architectures) {
    add(UnknownKind::kernel_overhead, architecture);
    if (!measured_.contains(architecture)) width_.back() = unmeasured_overhead_width;
  }
  add(UnknownKind::drift, "");
  const auto has_experts = [](const StepRow& row) { return row.scenario.transformer.experts.has_value(); };
  if (std::ranges::none_of(rows, has_experts)) return;
  add(UnknownKind::experts, "");
  add(UnknownKind::expert_drift, "");
}

std::optional<std::size_t> StepProblem::index(const StepUnknown& unknown) const {
  const auto found = std::find(unknowns_.begin(), unknowns_.end(), unknown);
  if (found == unknowns_.end()) return {};
  return static_cast<std::size_t>(found - unknowns_.begin());
}

RegressionProblem StepProblem::regression(const std::vector<StepSlopes>& slopes, const std::vector<bool>& keep) const {
  RegressionProblem problem;
  problem.prior = prior_;
  problem.width = width_;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!keep.empty() && !keep[i]) continue;
    const StepRow& row = rows_[i];
    std::vector<double> line(unknowns_.size(), 0.0);
    const auto set = [&](UnknownKind kind, double slope) {
      if (const auto k = index(unknown_of(kind, row))) line[*k] = slope;
    };
    set(UnknownKind::compute, slopes[i].compute);
    set(UnknownKind::communication, slopes[i].communication);
    set(UnknownKind::host, slopes[i].host);
    set(UnknownKind::kernel_overhead, slopes[i].compute);
    set(UnknownKind::drift, -slopes[i].compute * row.years);
    set(UnknownKind::experts, slopes[i].experts);
    set(UnknownKind::expert_drift, -slopes[i].experts * row.years);
    double offset = slopes[i].error;
    for (std::size_t k = 0; k < line.size(); ++k) offset -= line[k] * present_[k];
    problem.offsets.push_back(offset);
    problem.slopes.insert(problem.slopes.end(), line.begin(), line.end());
    problem.weights.push_back(row.weight);
  }
  return problem;
}

OverheadLine StepProblem::overhead_line(const std::set<StepUnknown>& seen, const std::vector<double>& x) const {
  std::vector<OverheadPoint> points;
  for (std::size_t k = 0; k < unknowns_.size(); ++k)
    if (unknowns_[k].kind == UnknownKind::kernel_overhead && seen.contains(unknowns_[k]))
      points.push_back(overhead_point(unknowns_[k].owner, x[k]));
  return fit_overhead_line(points);
}

OverheadPoint StepProblem::overhead_point(const std::string& architecture, double log_overhead) const {
  OverheadPoint point{0, log_overhead, "", measured_.contains(architecture)};
  double count = 0;
  for (const StepRow& row : rows_) {
    if (row.architecture != architecture) continue;
    const AcceleratorPart& part = row.scenario.cluster.accelerator;
    point.density += power_density(part), ++count;
    point.vendor = part.vendor;
  }
  point.density /= count;
  return point;
}

void StepProblem::pass_on(const std::vector<bool>& keep, std::vector<double>& x) const {
  std::set<StepUnknown> seen;
  for (std::size_t i = 0; i < rows_.size(); ++i)
    if (keep[i])
      for (const UnknownKind kind : passed_on) seen.insert(unknown_of(kind, rows_[i]));
  const OverheadLine line = overhead_line(seen, x);
  for (const UnknownKind kind : passed_on) {
    double sum = 0, count = 0;
    std::vector<std::size_t> unseen;
    for (std::size_t k = 0; k < unknowns_.size(); ++k) {
      if (unknowns_[k].kind != kind) continue;
      if (seen.contains(unknowns_[k]))
        sum += x[k], ++count;
      else
        unseen.push_back(k);
    }
    for (const std::size_t k : unseen)
      if (kind == UnknownKind::kernel_overhead) {
        const OverheadPoint point = overhead_point(unknowns_[k].owner, 0);
        x[k] = line.at(point.density, point.vendor);
      } else if (count > 0) {
        x[k] = sum / count;
      }
  }
}

void StepProblem::apply(const std::vector<double>& x, StepCalibration& steps, std::vector<StepRow>& rows) {
  present_ = x;
  for (std::size_t k = 0; k < unknowns_.size(); ++k) write_unknown(steps, unknowns_[k], x[k], 0, "");
  for (StepRow& row : rows) row.scenario.steps = steps;
}

}  // namespace clusterwright
