// SPDX-License-Identifier: Apache-2.0
// Draws the scaling of published runs beyond 4,096 accelerators over their measured sizes: scaling_curves FILE.svg
//   cmake --build --preset release --target scaling-curves
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <variant>

#include "calibration/measured/measured_scenario.hpp"
#include "calibration/measured/measurement.hpp"
#include "calibration/validation/error_figures.hpp"
#include "models/prediction/predict_scale.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/way_on.hpp"
#include "tools/output/curve_panels.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/output_text.hpp"

using namespace clusterwright;

namespace {

constexpr int smallest_of_interest = 4096;
constexpr int beyond = 4;  // times the largest measured size, and below the smallest where there is one alone

/// Cases of one publisher, model and accelerator.
using Series = std::vector<const Measurement*>;

std::map<std::string, Series> large_series(const std::vector<Measurement>& all) {
  std::map<std::string, Series> out;
  for (const Measurement& m : all) {
    if (!m.scored || !m.step || !m.step->tokens_per_second_per_accelerator) continue;
    const MeasuredModel& model = m.step->model;
    out[fmt::format("{} {} {} {} {} {}", m.family, m.step->job.framework, m.step->job.release.text(),
                    m.hardware.accelerator, model.layers.value_or(0), model.hidden.value_or(0))]
        .push_back(&m);
  }
  std::erase_if(out, [](const auto& one) {
    return std::ranges::none_of(one.second,
                                [](const Measurement* m) { return m->hardware.accelerators > smallest_of_interest; });
  });
  for (auto& [name, series] : out)
    std::ranges::stable_sort(series, {}, [](const Measurement* m) { return m->hardware.accelerators; });
  return out;
}

PredictedPoint point_of(const StepPrediction& step) {
  const double rate = step.tokens_per_second_per_accelerator();
  return {1.0 * step.accelerators, rate, rate * (step.step_time / step.high), rate * (step.step_time / step.low)};
}

/// Sizes at the batch per replica of one case, which nobody measured.
void add_weak(const Scenario& scenario, const Plan& plan, bool below, std::vector<PredictedPoint>& out) {
  const Scenario chosen = laid_out(scenario, plan);
  std::vector<int> sizes;
  for (int factor = 2; factor <= beyond; factor *= 2) {
    const int replicas = below ? plan.data / factor : plan.data * factor;
    if (!below || plan.data % factor == 0) sizes.push_back(plan.accelerators() / plan.data * replicas);
  }
  for (const ScalePoint& point : predict_scale(chosen, sizes, false).points)
    if (point.reason.empty()) out.push_back(point_of(point.step));
}

CurvePanel panel_of(const Series& series, const ScenarioShelf& shelf) {
  CurvePanel panel;
  std::vector<Weighted> errors;
  for (const Measurement* m : series) {
    const auto described = measured_scenario(*m, shelf);
    const Scenario& scenario = std::get<Scenario>(described);
    const StepPrediction step = predict_step(scenario, OpenFields::usual);
    panel.predicted.push_back(point_of(step));
    panel.measured.push_back({1.0 * m->hardware.accelerators, *m->step->tokens_per_second_per_accelerator});
    errors.push_back({std::abs(std::log(panel.predicted.back().y / panel.measured.back().y)), 1});
    if (m == series.back()) add_weak(scenario, step.plan, false, panel.predicted);
    if (series.size() == 1) add_weak(scenario, step.plan, true, panel.predicted);
  }
  std::ranges::stable_sort(panel.predicted, {}, &PredictedPoint::x);
  const Measurement& largest = *series.back();
  panel.heading = fmt::format("{} on {}", largest.step->model.name, largest.hardware.accelerator);
  panel.words = fmt::format("{}, {}: {} {}, median error {}", largest.source.substr(0, largest.source.find(' ')),
                            largest.step->job.framework, errors.size(), errors.size() == 1 ? "size" : "sizes",
                            percent_text(weighted_quantile(errors, 0.5)));
  return panel;
}

}  // namespace

int main(int, char** arguments) {
  const std::filesystem::path folder = CLUSTERWRIGHT_CONFIGS;
  const ScenarioShelf shelf = load_shelf(folder);
  CurvePanels chart{{"scaling", "Scaling of published runs beyond 4,096 accelerators, predicted and measured",
                     "One panel for each published run; a line for the prediction, circles for measured sizes."},
                    "Tokens per second and accelerator, over accelerators",
                    [](double x) { return count_text(std::llround(x)); },
                    {}};
  const std::vector<Measurement> all = read_training_steps(folder / ".." / "calibration" / "measurements");
  for (const auto& [name, series] : large_series(all)) chart.panels.push_back(panel_of(series, shelf));
  write_file(arguments[1], standalone(curve_panels_svg(chart, 1000, 2)));
  return 0;
}
