// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/step_rows.hpp"

#include <tbb/parallel_for.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "models/lowering/step_charge.hpp"
#include "models/search/choose_plan.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

constexpr double difference = 0.03;  // difference of a logarithm: larger than the steps of rounding, within one regime

void share_votes(std::vector<StepRow>& rows) {
  const auto key = [](const StepRow& row) {
    const bool one_node = row.scenario.cluster.nodes() <= 1;
    return std::make_tuple(row.entry, row.architecture, row.scenario.job.precision, one_node);
  };
  std::map<std::string, int> of_cell;
  for (const StepRow& row : rows) ++of_cell[row.cell];
  for (StepRow& row : rows) row.share = row.cell.empty() ? 1 : 1.0 / of_cell[row.cell];
  std::map<decltype(key(rows.front())), double> count;
  for (const StepRow& row : rows) count[key(row)] += row.share;
  for (StepRow& row : rows) row.weight = row.share / std::sqrt(count[key(row)]);
}

double log_rate(const StepRow& row, const StepTime& step) {
  const double tokens = static_cast<double>(row.plan.global_batch) * row.scenario.job.sequence;
  return std::log(tokens / row.plan.accelerators() / to_seconds(step.end).in(second));
}

double share_of(const StepTime& step, StepCharge charge) {
  return step.breakdown[static_cast<std::size_t>(charge)] / to_seconds(step.end);
}

/// Logarithms by which factors of a row are moved.
struct Move {
  double compute = 0, communication = 0, host = 0, experts = 0;
};

/// Scenario with the factors of its own entry, and that of experts, multiplied by exp of these.
Scenario moved(const StepRow& row, const Move& move) {
  Scenario scenario = row.scenario;
  StackCalibration& entry = scenario.steps.stacks.at(row.entry);
  entry.compute.value *= std::exp(move.compute);
  entry.communication.value *= std::exp(move.communication);
  entry.host.value *= std::exp(move.host);
  scenario.steps.expert_kernels.value *= std::exp(move.experts);
  return scenario;
}

bool all_known(const Measurement& m) {
  const MeasuredJob& job = m.step->job;
  const bool pipelined = job.pipeline.value_or(1) > 1;
  return job.recompute && job.micro_batch && job.tensor && job.pipeline && (!pipelined || job.virtual_pipeline);
}

constexpr double unnoticed = 1e-3;  // share of a step below which a factor is not simulated

StepSlopes slopes_of(const StepRow& row) {
  StepWhatIfs what_ifs(row.scenario, row.plan);
  const StepTime& step = what_ifs.base();
  const double base = log_rate(row, step);
  const auto slope = [&](const Move& move) {
    return (log_rate(row, what_ifs.time_under(moved(row, move))) - base) / difference;
  };
  StepSlopes out;
  out.error = base - std::log(row.tokens_per_second_per_accelerator);
  out.compute = slope({.compute = difference});
  if (row.plan.accelerators() > 1) out.communication = slope({.communication = difference});
  if (share_of(step, StepCharge::launch) > unnoticed) out.host = slope({.host = difference});
  if (row.scenario.transformer.experts) out.experts = slope({.experts = difference});
  return out;
}

/// Scored steps that the models can describe, of stacks with an entry of their own or without one.
std::vector<StepRow> described_rows(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf,
                                    bool with_entry) {
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
      all[i] = {std::move(chosen.scenario),
                chosen.plan,
                i,
                *m.step->tokens_per_second_per_accelerator,
                factors.entry,
                step_architecture(scenario->cluster.accelerator),
                factors.years,
                all_known(m),
                m.cell,
                1,
                1};
    } catch (const ConfigError&) {
      // Steps that cannot be described are no rows of the fit; `validate` reports why.
    }
  });
  std::vector<StepRow> rows;
  for (StepRow& row : all)
    if (!row.entry.empty() && (row.entry != other_entry) == with_entry) rows.push_back(std::move(row));
  share_votes(rows);
  return rows;
}

}  // namespace

std::vector<StepRow> step_rows(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf) {
  return described_rows(measurements, shelf, true);
}

std::vector<StepRow> never_fitted_rows(const std::vector<Measurement>& measurements, const ScenarioShelf& shelf) {
  return described_rows(measurements, shelf, false);
}

StepPrediction predicted_step(const StepRow& row) {
  const StepTime step = time_step(row.scenario, row.plan);
  StepPrediction out;
  out.plan = row.plan;
  out.accelerators = row.plan.accelerators();
  out.step_time = to_seconds(step.end);
  std::ranges::copy(step.breakdown, out.breakdown.begin());
  return out;
}

std::vector<StepSlopes> step_slopes(const std::vector<StepRow>& rows) {
  std::vector<StepSlopes> slopes(rows.size());
  tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) { slopes[i] = slopes_of(rows[i]); });
  return slopes;
}

std::vector<StepSlopes> step_shares(const std::vector<StepRow>& rows) {
  std::vector<StepSlopes> slopes(rows.size());
  tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) {
    const StepTime step = time_step(rows[i].scenario, rows[i].plan);
    // Bubbles grow and shrink with the work around them.
    const double work = std::max(0.01, 1 - share_of(step, StepCharge::bubble));
    const auto share = [&](ChargeKind kind) {
      double sum = 0;
      for (std::size_t charge = 0; charge < step_charge_count; ++charge)
        if (kind_of(static_cast<StepCharge>(charge)) == kind) sum += share_of(step, static_cast<StepCharge>(charge));
      return -sum / work;
    };
    StepSlopes& out = slopes[i];
    out = {log_rate(rows[i], step) - std::log(rows[i].tokens_per_second_per_accelerator), share(ChargeKind::compute),
           share(ChargeKind::communication), share(ChargeKind::launch)};
    if (!rows[i].scenario.transformer.experts) return;
    const auto slope = [&](const Move& move) {
      return (log_rate(rows[i], time_step(moved(rows[i], move), rows[i].plan)) - log_rate(rows[i], step)) / difference;
    };
    out.experts = slope({.experts = difference});
    // Ranks that wait for their host in every layer delay others too, which no share shows.
    if (share_of(step, StepCharge::launch) > unnoticed) out.host = slope({.host = difference});
  });
  return slopes;
}

void refresh_errors(const std::vector<StepRow>& rows, std::vector<StepSlopes>& slopes) {
  tbb::parallel_for(std::size_t{0}, rows.size(), [&](std::size_t i) {
    slopes[i].error = log_rate(rows[i], time_step(rows[i].scenario, rows[i].plan)) -
                      std::log(rows[i].tokens_per_second_per_accelerator);
  });
}

}  // namespace clusterwright
