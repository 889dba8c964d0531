// SPDX-License-Identifier: Apache-2.0
/// fit_parameters: writes configs/parameters and configs/steps, the fitted files that ship with the program.
///
///   fit_parameters calibration/measurements configs          kernels and steps
///   fit_parameters calibration/measurements configs ratios   errors of ratios of two steps alone
///
/// Samples of probes are read from the folder "samples" beside the first one.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "calibration/fit/parameter_fit.hpp"
#include "calibration/fit/peak_fit.hpp"
#include "calibration/fit/ratio_widths.hpp"
#include "calibration/fit/shipped_samples.hpp"
#include "calibration/fit/step_fit.hpp"
#include "sim/field_table.hpp"
#include "sim/json_writer.hpp"

namespace {

using namespace clusterwright;

template <class Set>
void write_set(const Set& set, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / (set.name + ".json");
  std::ofstream out(file, std::ios::binary);
  out << write_json(encode_record(set)) << '\n';
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
  fmt::print("{}\n", file.string());
  for (const FitReport& fit : set.fits)
    fmt::print("  {:42} {:4} points, median / p90 {:4.1f} / {:4.1f} %, held out {:4.1f} / {:4.1f} %\n", fit.name,
               fit.rows, 100 * fit.median_abs_log, 100 * fit.p90_abs_log, 100 * fit.held_out_median_abs_log,
               100 * fit.held_out_p90_abs_log);
}

/// Fits microbenchmarks: one set per measured accelerator, and one for all that nobody measured.
void fit_kernels(const std::filesystem::path& measurements, const std::filesystem::path& configs) {
  const std::vector<Measurement> rows = read_microbenchmarks(measurements);
  const ScenarioShelf shelf = load_shelf(configs);
  for (const char* id : {"A100-80-SXM", "H100-SXM", "H200", "B200", "GB200-GPU", "L40S", "MI300X"}) {
    const AcceleratorPart* part = shelf.catalog.find_accelerator(id);
    if (!part) throw std::runtime_error(std::string("no such accelerator in the catalog: ") + id);
    write_set(fit_shipped_set(rows, measurements / "../samples", *part, shelf.catalog), configs / "parameters");
  }
  write_set(fit_generic_parameters(rows, shelf.catalog.accelerators), configs / "parameters");
}

/// Fits whole steps, given the kernels in `configs`.
void fit_whole_steps(const std::filesystem::path& measurements, const std::filesystem::path& configs) {
  ScenarioShelf shelf = load_shelf(configs);
  const std::vector<Measurement> rows = read_training_steps(measurements);
  const StepFitResult fit = fit_steps(rows, shelf);
  shelf.steps.memory_residuals = memory_residuals(peak_rows(rows, shelf));
  write_set(shelf.steps, configs / "steps");
  for (std::size_t i = 0; i < fit.unknowns.size(); ++i)
    fmt::print("  {:36} {:7.3f} +- {:.3f}\n", fit.unknowns[i].name(), std::exp(fit.regression.values[i]),
               std::sqrt(fit.regression.covariance[i * fit.unknowns.size() + i]));
  fmt::print("  {:36} {:7.3f} +- {:.3f}\n", "replica spread", shelf.steps.replica_spread.value,
             shelf.steps.replica_spread.std_error);
}

/// Measures the errors of ratios again, with the factors as they are.
void fit_ratios(const std::filesystem::path& measurements, const std::filesystem::path& configs) {
  ScenarioShelf shelf = load_shelf(configs);
  publish_ratios(committed_steps(read_training_steps(measurements), shelf), shelf.steps);
  write_set(shelf.steps, configs / "steps");
}

}  // namespace

int main(int argc, char** argv) {
  constexpr std::array<std::string_view, 4> stages = {"kernels", "steps", "ratios", "all"};
  const std::string stage = argc == 4 ? argv[3] : "all";
  if (argc < 3 || argc > 4 || std::ranges::find(stages, stage) == stages.end()) {
    fmt::print(stderr, "usage: fit_parameters MEASUREMENTS CONFIGS [kernels|steps|ratios|all]   (two folders)\n");
    return 2;
  }
  try {
    if (stage == "kernels" || stage == "all") fit_kernels(argv[1], argv[2]);
    if (stage == "steps" || stage == "all") fit_whole_steps(argv[1], argv[2]);
    if (stage == "ratios") fit_ratios(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
