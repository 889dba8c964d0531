#include "calibration/validation/cross_validate_steps.hpp"

#include <functional>
#include <map>
#include <string>

#include "calibration/fit/parameter_fit.hpp"
#include "calibration/fit/step_fit.hpp"

namespace clusterwright {

namespace {

struct Split {
  const char* key;
  const char* name;
  std::function<std::string(const StepRow&)> group;
};

std::vector<Split> splits(const std::vector<Measurement>& measurements) {
  const auto accelerators = [](const StepRow& row) { return std::to_string(row.plan.accelerators()); };
  const auto part = [](const StepRow& row) { return row.scenario.cluster.accelerator.id; };
  // Its first word names who published; it says what is left out and is no input of any prediction.
  const auto source = [&](const StepRow& row) {
    const std::string& text = measurements[row.measurement].source;
    return text.substr(0, text.find(' '));
  };
  return {{"by_model", "training step, model left out", model_of},
          {"by_size", "training step, size left out", accelerators},
          {"by_accelerator", "training step, accelerator left out", part},
          {"by_source", "training step, source left out", source},
          {"by_stack", "training step, stack left out", [](const StepRow& row) { return row.entry; }}};
}

/// Parameters of accelerators of an architecture, as if nobody had measured one.
ParameterSet without_architecture(const std::vector<Measurement>& microbenchmarks, const Catalog& catalog,
                                  const std::string& architecture) {
  std::vector<Measurement> others;
  for (const Measurement& m : microbenchmarks) {
    const AcceleratorPart* part = catalog.find_accelerator(m.hardware.accelerator);
    if (part && step_architecture(*part) != architecture) others.push_back(m);
  }
  return fit_transfer_parameters(others, catalog.accelerators);
}

/// Slopes of all rows under kernels that nobody measured on their own architecture.
std::vector<StepSlopes> transferred_slopes(std::vector<StepRow> rows, const std::vector<Measurement>& microbenchmarks,
                                           const Catalog& catalog) {
  std::map<std::string, ParameterSet> sets;
  for (StepRow& row : rows) {
    const auto [found, added] = sets.try_emplace(row.architecture);
    if (added) found->second = without_architecture(microbenchmarks, catalog, row.architecture);
    row.scenario.parameters = found->second;
  }
  return step_shares(rows);
}

}  // namespace

std::vector<SplitErrors> cross_validate_steps(const std::vector<Measurement>& measurements,
                                              const std::vector<Measurement>& microbenchmarks,
                                              const ScenarioShelf& shelf) {
  const StepFitResult fit = committed_steps(measurements, shelf);
  std::vector<SplitErrors> out;
  if (fit.rows.empty()) return out;
  const auto add = [&](const Split& split, const std::vector<StepSlopes>& slopes) {
    SplitErrors errors{split.key, split.name, {}};
    const std::vector<double> left_out = left_out_step_errors(fit, slopes, shelf.steps, split.group);
    for (std::size_t i = 0; i < fit.rows.size(); ++i) errors.errors.emplace_back(fit.rows[i].measurement, left_out[i]);
    out.push_back(std::move(errors));
  };
  for (const Split& split : splits(measurements)) add(split, fit.slopes);
  add({"by_generation", "training step, generation left out", [](const StepRow& row) { return row.architecture; }},
      transferred_slopes(fit.rows, microbenchmarks, shelf.catalog));
  return out;
}

}  // namespace clusterwright
