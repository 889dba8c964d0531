// SPDX-License-Identifier: Apache-2.0
/// Unknowns of the step fit, and the straightened problem that they solve.
///
/// The rate of a step depends on its factors in a way that only a simulation shows. Around the present factors
/// log(predicted / measured) is close to a straight line in their logarithms x:
///
///   error(x) = error(present) + sum over unknowns of slope * (x - present)
///
/// The slope of a factor is minus the share of the step that it multiplies. So one simulation (or four, for exact
/// slopes) of each row gives a linear problem, `regress` solves it, and the rows are simulated again at the solution.
///
/// Example: a step of 40 % compute and 10 % exposed communication is predicted 6 % too fast, error +0.06, with
/// slopes -0.4 (compute of its stack), -0.1 (communication) and -0.4 (kernel overhead of its architecture). Raising
/// compute by 0.05 and the overhead by 0.1 in log moves the error to 0.06 - 0.4 x 0.05 - 0.4 x 0.1 = 0.
/// One row cannot separate the two: their priors do, and rows of other stacks on the same architecture.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/overhead_line.hpp"
#include "calibration/fit/step_rows.hpp"

namespace clusterwright {

enum class UnknownKind { compute, communication, host, kernel_overhead, drift, experts, expert_drift };

/// One unknown of the fit, a logarithm.
struct StepUnknown {
  UnknownKind kind;
  std::string owner;  ///< stack entry or architecture; empty for what all share: drift and the two of experts

  bool operator==(const StepUnknown&) const = default;
  auto operator<=>(const StepUnknown&) const = default;

  /// Name in `StepCalibration::fitted`: "host/nemo-2024", "kernel_tax/Hopper", "drift".
  std::string name() const;
};

/// Sets the number in a calibration that `unknown` stands for.
/// @param x  value of the unknown, a logarithm
/// @param error  standard deviation of `x`
void write_unknown(StepCalibration& steps, const StepUnknown& unknown, double x, double error,
                   const std::string& source);

/// Replaces all fitted numbers by their priors, so that the shipped file follows from the rows alone.
void start_from_priors(ScenarioShelf& shelf);

/// Rows and the unknowns that they inform; host times only of stacks that wait for their host somewhere.
class StepProblem {
 public:
  StepProblem(const std::vector<StepRow>& rows, const std::vector<StepSlopes>& slopes, const StepCalibration& steps);

  /// Errors of all rows as straight functions of the unknowns. @param keep  rows that count; empty: all
  RegressionProblem regression(const std::vector<StepSlopes>& slopes, const std::vector<bool>& keep) const;
  const std::vector<StepUnknown>& unknowns() const { return unknowns_; }
  std::vector<double> present() const { return present_; }

  /// Fills in unknowns without kept rows as the program does for unknown stacks and architectures: stacks get the mean
  /// of the others, architectures what their vendor has on the overhead line.
  void pass_on(const std::vector<bool>& keep, std::vector<double>& x) const;

  /// Line through the kernel overheads in `x` of the architectures in `seen`.
  OverheadLine overhead_line(const std::set<StepUnknown>& seen, const std::vector<double>& x) const;

  /// Writes unknowns into a calibration and that into the scenarios of rows.
  void apply(const std::vector<double>& x, StepCalibration& steps, std::vector<StepRow>& rows);

 private:
  std::optional<std::size_t> index(const StepUnknown& unknown) const;
  OverheadPoint overhead_point(const std::string& architecture, double log_overhead) const;

  const std::vector<StepRow>& rows_;
  std::vector<StepUnknown> unknowns_;
  std::set<std::string> measured_;  ///< architectures with measured kernels
  std::vector<double> prior_, width_, present_;
};

}  // namespace clusterwright
