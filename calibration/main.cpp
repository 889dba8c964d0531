/// fit_parameters: writes configs/parameters, the parameter files that ship with the program.
///
///   fit_parameters calibration/measurements configs
#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <fstream>

#include "calibration/fit/collective_set_fit.hpp"
#include "calibration/fit/parameter_fit.hpp"
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
    fmt::print("  {:42} {:4} points, median / p90 {:4.1f} / {:4.1f} %, left out {:4.1f} / {:4.1f} %\n", fit.name,
               fit.rows, 100 * fit.median_abs_log, 100 * fit.p90_abs_log, 100 * fit.left_out_median_abs_log,
               100 * fit.left_out_p90_abs_log);
}

StepFit fit_steps(const std::vector<Measurement>& steps, const std::string& accelerator, const ScenarioShelf& shelf,
                  const ParameterSet& set) {
  return fit_step(step_rows(steps, accelerator, shelf, set),
                  fmt::format("16-bit training steps of {} under Megatron stacks", accelerator));
}

/// Of accelerators whose links were measured but whose kernels are not fitted yet, and of those nobody measured.
void fit_links(const std::vector<Measurement>& rows, const Catalog& catalog, const std::filesystem::path& folder) {
  for (const char* id : {"B200", "GB200-GPU"})
    write_set(fit_collective_set(rows, *catalog.find_accelerator(id), catalog.accelerators, {}), folder);
  write_set(fit_transfer_set(rows, catalog.accelerators), folder);
}

void fit_all(const std::filesystem::path& measurements, const std::filesystem::path& configs) {
  const std::vector<Measurement> rows = read_microbenchmarks(measurements);
  const std::vector<Measurement> steps = read_training_steps(measurements);
  const ScenarioShelf shelf = load_shelf(configs);
  fit_links(rows, shelf.catalog, configs / "collectives");
  StepFit fit;
  for (const char* id : {"A100-80-SXM", "H100-SXM", "H200"}) {
    const AcceleratorPart* part = shelf.catalog.find_accelerator(id);
    if (!part) throw std::runtime_error(std::string("no such accelerator in the catalog: ") + id);
    ParameterSet set = fit_parameters(rows, *part, shelf.catalog.accelerators);
    // Steps of H200 are few: it borrows what H100, the same die, showed just before.
    if (set.accelerator != "H200") fit = fit_steps(steps, id, shelf, set);
    apply(fit, set);
    write_set(set, configs / "parameters");
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: fit_parameters MEASUREMENTS CONFIGS   (two folders)\n");
    return 2;
  }
  try {
    fit_all(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
