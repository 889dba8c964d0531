// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/step_rows.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <tuple>

#include "models/lowering/step_charge.hpp"
#include "models/prediction/choose_plan.hpp"
#include "models/prediction/steady_state.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

constexpr double difference = 0.03;  // difference of a logarithm: larger than the steps of rounding, within one regime

void share_votes(std::vector<StepRow>& rows) {
  const auto key = [](const StepRow& row) {
    const bool one_node = row.scenario.cluster.nodes() <= 1;
    return std::make_tuple(row.entry, row.architecture, row.scenario.job.precision, one_node);
  };
  std::map<decltype(key(rows.front())), int> count;
  for (const StepRow& row : rows) ++count[key(row)];
  for (StepRow& row : rows) row.weight = 1 / std::sqrt(count[key(row)]);
}

double log_rate(const StepRow& row, const StepSummary& step) {
  const double tokens = static_cast<double>(row.plan.global_batch) * row.scenario.job.sequence;
  return std::log(tokens / row.plan.accelerators() / to_seconds(step.end).in(second));
}

double share_of(const StepSummary& step, StepCharge charge) {
  return step.breakdown[static_cast<std::size_t>(charge)] / to_seconds(step.end);
}

/// Scenario with the factors of its own entry multiplied by exp of these.
Scenario moved(const StepRow& row, double compute, double communication, double host) {
  Scenario scenario = row.scenario;
  StackCalibration& entry = scenario.steps.stacks.at(row.entry);
  entry.compute.value *= std::exp(compute);
  entry.communication.value *= std::exp(communication);
  entry.host.value *= std::exp(host);
  return scenario;
}

bool all_known(const Measurement& m) {
  const MeasuredJob& job = m.step->job;
  const bool pipelined = job.pipeline.value_or(1) > 1;
  return job.recompute && job.micro_batch && job.tensor && job.pipeline && (!pipelined || job.virtual_pipeline);
}

/// Share of a step below which a factor is not simulated.
constexpr double unnoticed = 1e-3;  // share of the step

StepSlopes slopes_of(const StepRow& row) {
  const StepSummary step = summarise_step(row.scenario, row.plan);
  const double base = log_rate(row, step);
  const auto slope = [&](double a, double b, double c) {
    return (log_rate(row, summarise_step(moved(row, a, b, c), row.plan)) - base) / difference;
  };
  const bool host = share_of(step, StepCharge::launch) > unnoticed;
  const bool alone = row.plan.accelerators() == 1;
  return {base - std::log(row.tokens_per_second_per_accelerator), slope(difference, 0, 0),
          alone ? 0 : slope(0, difference, 0), host ? slope(0, 0, difference) : 0};
}

}  // namespace

std::vector<StepRow> step_rows(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf) {
  std::vector<StepRow> all(measurements.size());
  tbb::parallel_for(std::size_t{0}, measurements.size(), [&](std::size_t i) {
    const Measurement& m = measurements[i];
    if (!m.step || !m.scored || !m.step->tokens_per_second_per_accelerator) return;
    auto described = measured_scenario(m, shelf);
    const auto* scenario = std::get_if<Scenario>(&described);
    if (!scenario) return;
    try {
      ChosenPlan chosen = choose_plan(*scenario);
      const StepFactors factors =
          step_factors(shelf.steps, chosen.scenario.stack, chosen.scenario.job, scenario->cluster.accelerator);
      const std::string date =
          chosen.scenario.job.release.empty() ? chosen.scenario.stack.date : chosen.scenario.job.release;
      all[i] = {std::move(chosen.scenario),
                chosen.plan,
                i,
                *m.step->tokens_per_second_per_accelerator,
                factors.entry,
                step_architecture(scenario->cluster.accelerator),
                years_between(shelf.steps.reference_date, date),
                all_known(m),
                1};
    } catch (const ConfigError&) {
      // Steps that cannot be described are no rows of the fit; `validate` reports why.
    }
  });
  std::vector<StepRow> rows;
  for (StepRow& row : all)
    if (!row.entry.empty()) rows.push_back(std::move(row));
  share_votes(rows);
  return rows;
}

std::vector<StepSlopes> step_slopes(const std::vector<StepRow>& rows) {
  std::vector<StepSlopes> slopes(rows.size());
  tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) { slopes[i] = slopes_of(rows[i]); });
  return slopes;
}

std::vector<StepSlopes> step_shares(const std::vector<StepRow>& rows) {
  std::vector<StepSlopes> slopes(rows.size());
  tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) {
    const StepSummary step = summarise_step(rows[i].scenario, rows[i].plan);
    // Bubbles grow and shrink with the work around them.
    const double work = std::max(0.01, 1 - share_of(step, StepCharge::bubble));
    const auto share = [&](std::initializer_list<StepCharge> charges) {
      double sum = 0;
      for (const StepCharge charge : charges) sum += share_of(step, charge);
      return -sum / work;
    };
    slopes[i] = {
        log_rate(rows[i], step) - std::log(rows[i].tokens_per_second_per_accelerator),
        share({StepCharge::compute_gemm, StepCharge::compute_attention, StepCharge::recompute, StepCharge::throttle}),
        share({StepCharge::tp_exposed, StepCharge::cp_exposed, StepCharge::ep_exposed, StepCharge::pp_exposed,
               StepCharge::dp_exposed}),
        share({StepCharge::launch})};
    // Ranks that wait for their host in every layer delay others too, which no share shows.
    if (rows[i].scenario.transformer.experts && share_of(step, StepCharge::launch) > unnoticed)
      slopes[i].host = (log_rate(rows[i], summarise_step(moved(rows[i], 0, 0, difference), rows[i].plan)) -
                        log_rate(rows[i], step)) /
                       difference;
  });
  return slopes;
}

void refresh_errors(const std::vector<StepRow>& rows, std::vector<StepSlopes>& slopes) {
  tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) {
    slopes[i].error = log_rate(rows[i], summarise_step(rows[i].scenario, rows[i].plan)) -
                      std::log(rows[i].tokens_per_second_per_accelerator);
  });
}

}  // namespace clusterwright
