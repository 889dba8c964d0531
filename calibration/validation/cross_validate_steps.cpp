#include "calibration/validation/cross_validate_steps.hpp"

#include <functional>
#include <string>

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
  // A family is one source on one class of hardware; it names what is left out and is no input of any prediction.
  const auto source = [&](const StepRow& row) { return measurements[row.measurement].family; };
  return {{"by_model", "training step, model left out", model_of},
          {"by_size", "training step, size left out", accelerators},
          {"by_accelerator", "training step, accelerator left out", part},
          {"by_source", "training step, source left out", source},
          {"by_stack", "training step, stack left out", [](const StepRow& row) { return row.entry; }},
          {"by_generation", "training step, generation left out", [](const StepRow& row) { return row.architecture; }}};
}

}  // namespace

std::vector<SplitErrors> cross_validate_steps(const std::vector<Measurement>& measurements,
                                              const ScenarioShelf& shelf) {
  const StepFitResult fit = committed_steps(measurements, shelf);
  std::vector<SplitErrors> out;
  if (fit.rows.empty()) return out;
  for (const Split& split : splits(measurements)) {
    SplitErrors errors{split.key, split.name, {}};
    const std::vector<double> left_out = left_out_step_errors(fit, shelf, split.group);
    for (std::size_t i = 0; i < fit.rows.size(); ++i) errors.errors.emplace_back(fit.rows[i].measurement, left_out[i]);
    out.push_back(std::move(errors));
  }
  return out;
}

}  // namespace clusterwright
