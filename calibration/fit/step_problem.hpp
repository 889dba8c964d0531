/// Unknowns of the step fit and the straightened problem that they solve.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/step_rows.hpp"

namespace clusterwright {

/// Kernel tax of one architecture, fitted to its steps.
struct TaxPoint {
  double density = 0;  ///< power_density, mean of its rows
  double log_tax = 0;
};

/// log tax = middle + slope * (density - reference): in a step the whole part works at once, so that the power budget
/// binds more the more FLOPs each watt has to pay for.
struct TaxLine {
  double middle = 0;
  double slope = 0;      ///< per TFLOP/s and watt
  double reference = 0;  ///< mean density of the points
  double spread = 0;     ///< standard deviation of the points around it, and of the belief where they are few
  double slope_error = 0;
  /// Never below 0: no step is faster than its kernels.
  double at(double density) const;
};

/// Every architecture one vote; both numbers shrunk towards what is believed before any step was seen.
TaxLine fit_tax_line(const std::vector<TaxPoint>& points);

inline constexpr const char* tax_prefix = "kernel_tax/";  ///< of the names of taxes, before the architecture

/// Sets the number that an unknown's name stands for: "host/nemo-2024", "kernel_tax/Hopper", "drift".
/// @param x  the unknown, a logarithm; `error` is its standard deviation
void write_unknown(StepCalibration& steps, const std::string& name, double x, double error, const std::string& source);

/// What the fit starts from, whatever was there before: the shipped file follows from the rows alone.
void start_from_priors(ScenarioShelf& shelf);

/// Rows and the unknowns that they inform; host times only of stacks that wait for their host somewhere.
class StepProblem {
 public:
  StepProblem(const std::vector<StepRow>& rows, const std::vector<StepSlopes>& slopes, const StepCalibration& steps);

  /// Errors of all rows as straight functions of the unknowns. @param keep  empty: all; otherwise rows that count
  RegressionProblem regression(const std::vector<StepSlopes>& slopes, const std::vector<bool>& keep) const;
  const std::vector<std::string>& names() const { return names_; }
  std::vector<double> present() const { return present_; }

  /// Stacks without kept rows take the mean of the others, architectures the line of taxes, as the program does for
  /// unknown ones.
  void pass_on(const std::vector<bool>& keep, std::vector<double>& x) const;

  /// Through the taxes in `x` whose names are `seen`.
  TaxLine tax_line(const std::set<std::string>& seen, const std::vector<double>& x) const;

  /// Writes unknowns into a calibration and that into the scenarios of rows.
  void apply(const std::vector<double>& x, StepCalibration& steps, std::vector<StepRow>& rows);

 private:
  std::optional<std::size_t> index(const std::string& name) const;
  double density_of(const std::string& architecture) const;

  const std::vector<StepRow>& rows_;
  std::vector<std::string> names_;
  std::vector<double> prior_, width_, present_;
};

}  // namespace clusterwright
