// SPDX-License-Identifier: Apache-2.0
#include "tools/output/training_run_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

constexpr Joules megawatt_hour = 1e3 * kilowatt_hour;
constexpr std::string_view without_losses = "without failures and restarts";
constexpr std::string_view rent_hint =
    "`clusterwright size` prices the run; with prices.rent_usd_per_accelerator_hour its rent stands here";

/// Unit for people, and its size.
struct Unit {
  double size;
  std::string_view name;
};

constexpr std::array<Unit, 4> time_units = {{{86400, "days"}, {3600, "hours"}, {60, "minutes"}, {1, "s"}}};
constexpr std::array<Unit, 4> count_units = {{{1e12, "T"}, {1e9, "bn"}, {1e6, "M"}, {1, ""}}};

/// Largest unit of which the value has at least `least`.
template <std::size_t N>
Unit unit_for(double value, const std::array<Unit, N>& units, double least) {
  for (const Unit& unit : units)
    if (value >= least * unit.size) return unit;
  return units.back();
}

std::string with_unit(std::string number, std::string_view unit) {
  return unit.empty() ? number : fmt::format("{} {}", number, unit);
}

/// "69.9 days   (90 %: 53.4 to 91.5 days)"
std::string interval_text(const Interval<double>& value, Unit unit) {
  const auto number = [&](double x) { return significant_text(x / unit.size, 3); };
  return fmt::format("{} (90 %: {} to {})", with_unit(number(value.value), unit.name), number(value.low),
                     with_unit(number(value.high), unit.name));
}

std::string time_text(const Interval<Seconds>& time) {
  return interval_text({time.low.in(second), time.value.in(second), time.high.in(second)},
                       unit_for(time.value.in(second), time_units, 2));
}

std::string hours_text(const Interval<double>& hours) {
  return interval_text(hours, unit_for(hours.value, count_units, 1));
}

std::string energy_text(const Interval<Joules>& energy) {
  return interval_text({energy.low.in(megawatt_hour), energy.value.in(megawatt_hour), energy.high.in(megawatt_hour)},
                       {1, "MWh"});
}

std::string dollars_text(const Interval<Dollars>& money) {
  return fmt::format("{} (90 %: {} to {})", money_text(money.value), money_text(money.low), money_text(money.high));
}

std::string steps_text(const TrainingRun& run) {
  const auto steps = static_cast<double>(run.steps);
  return fmt::format("{} of {} tokens: {} tokens", count_text(run.steps), fixed_text(run.tokens / steps, 0),
                     fixed_text(run.tokens, 0));
}

std::string run_time_text(const TrainingRun& run) {
  std::string text = fmt::format("{}, {}", time_text(run.time), without_losses);
  if (run.checkpoints > Seconds{})
    text += fmt::format("; {} % of it for checkpoints", significant_text(100 * (run.checkpoints / run.time.value), 2));
  return text;
}

/// Note on accelerators that the run holds without use.
std::string idle_note(const StepPrediction& step) {
  if (step.idle_accelerators == 0) return {};
  return fmt::format(" of {} GPUs, {} of them idle", count_text(step.training->accelerators),
                     count_text(step.idle_accelerators));
}

/// "$2.50 per GPU-hour and 90 % goodput"
std::string rent_terms(const RunRent& rent) {
  return fmt::format("{} per GPU-hour and {} goodput", money_text(rent.each * hour), percent_text(rent.goodput, 0));
}

/// Table of names and values that begins with the steps and the time of the run.
class RunFacts {
 public:
  explicit RunFacts(const StepPrediction& step) {
    table_.title = step.fits ? "Training run" : "Training run, if the job fitted";
    table_.columns = {words_column("what", ""), words_column("value", "")};
    add("Steps", steps_text(*step.training));
    add("Time", run_time_text(*step.training));
  }
  void add(std::string_view name, std::string value) { table_.rows.push_back({name, std::move(value)}); }
  ResultTable take() { return std::move(table_); }

 private:
  ResultTable table_;
};

/// Computed sizes whose job states its end.
std::vector<const ScalePoint*> points_with_runs(const ScaleCurve& curve) {
  std::vector<const ScalePoint*> points;
  for (const ScalePoint& point : curve.points)
    if (point.reason.empty() && point.step.training) points.push_back(&point);
  return points;
}

/// Column of counts in the unit of its largest value. @param value  of one run
Column count_column(std::string key, std::string title, const std::vector<const ScalePoint*>& points,
                    double (*value)(const TrainingRun&)) {
  double largest = 0;
  for (const ScalePoint* point : points) largest = std::max(largest, value(*point->step.training));
  const Unit unit = unit_for(largest, count_units, 1);
  return {std::move(key), std::move(title), std::string(unit.name), 1 / unit.size};
}

/// Table without columns that no row fills.
ResultTable without_empty_columns(ResultTable table) {
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    const auto empty = [&](const auto& row) { return row[column].kind == Cell::Kind::nothing; };
    if (!std::all_of(table.rows.begin(), table.rows.end(), empty)) continue;
    const auto offset = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + offset);
    for (auto& row : table.rows) row.erase(row.begin() + offset);
  }
  return table;
}

double tokens_of(const TrainingRun& run) {
  return run.tokens;
}

double hours_in(const TrainingRun& run) {
  return run.accelerator_hours.value;
}

Column money_column(const std::vector<const ScalePoint*>& points) {
  const bool millions = std::any_of(points.begin(), points.end(), [](const ScalePoint* point) {
    const auto& rent = point->step.training->rent;
    return rent && rent->total.value >= 1e6 * dollar;
  });
  return {"rent_usd", "Rent", millions ? "M$" : "$", millions ? 1e-6 : 1};
}

void set_interval(JsonValue& object, const std::string& key, const Interval<double>& value) {
  object.set(key, value.value);
  object.set(key + "_low", value.low);
  object.set(key + "_high", value.high);
}

template <class Q>
Interval<double> in(const Interval<Q>& value, Q unit) {
  return {value.low.in(unit), value.value.in(unit), value.high.in(unit)};
}

void set_or_null(JsonValue& object, const std::string& key, const std::optional<Interval<double>>& value) {
  if (value) return set_interval(object, key, *value);
  for (const char* end : {"", "_low", "_high"}) object.set(key + end, nullptr);
}

}  // namespace

ResultTable training_run_table(const StepPrediction& step) {
  const TrainingRun& run = *step.training;
  RunFacts facts(step);
  facts.add("GPU-hours", hours_text(run.accelerator_hours) + idle_note(step));
  facts.add("Energy", run.it_energy ? energy_text(*run.it_energy) + " of all machines"
                                    : energy_text(run.nodes_energy) + " of the nodes");
  if (run.facility_energy) facts.add("From the grid", energy_text(*run.facility_energy));
  facts.add("Cost", run.rent ? dollars_text(run.rent->total) + " at " + rent_terms(*run.rent) : std::string(rent_hint));
  return facts.take();
}

ResultTable training_runs_by_size(const ScaleCurve& curve) {
  const auto points = points_with_runs(curve);
  ResultTable table;
  if (points.empty()) return table;
  table.title = fmt::format("Training run, {}; GPU-hours{} have the relative interval of the days", without_losses,
                            points.front()->step.training->rent ? ", energy and rent" : " and energy");
  table.columns = {{"gpus", "GPUs", ""},
                   {"steps", "Steps", ""},
                   count_column("tokens", "Tokens", points, tokens_of),
                   {"days", "Days", ""},
                   {"days_low", "90 %: from", ""},
                   {"days_high", "to", ""},
                   count_column("gpu_hours", "GPU-hours", points, hours_in),
                   {"nodes_mwh", "Nodes", "MWh"},
                   {"it_mwh", "IT", "MWh"},
                   {"facility_mwh", "Grid", "MWh"},
                   money_column(points)};
  for (const ScalePoint* point : points) {
    const TrainingRun& run = *point->step.training;
    table.rows.push_back({point->step.accelerators, run.steps, run.tokens, run.time.value.in(day), run.time.low.in(day),
                          run.time.high.in(day), run.accelerator_hours.value, run.nodes_energy.value.in(megawatt_hour),
                          run.it_energy ? Cell(run.it_energy->value.in(megawatt_hour)) : Cell(),
                          run.facility_energy ? Cell(run.facility_energy->value.in(megawatt_hour)) : Cell(),
                          run.rent ? Cell(run.rent->total.value.in(dollar)) : Cell()});
  }
  return without_empty_columns(std::move(table));
}

ResultTable priced_run_table(const SizedCluster& sized) {
  if (!sized.step || !sized.step->training) return {};
  RunFacts facts(*sized.step);
  if (!sized.run) {
    facts.add("Cost", "none: the job does not fit");
    return facts.take();
  }
  const RunCost& run = *sized.run;
  const std::string goodput = percent_text(sized.cost.goodput, 0);
  facts.add("Time paid", fmt::format("{} at {} goodput", time_text(run.paid), goodput));
  facts.add("GPU-hours paid", hours_text(run.accelerator_hours));
  facts.add("Energy", energy_text(run.it_energy) + " of all machines");
  facts.add("From the grid", energy_text(run.facility_energy));
  if (run.carbon_tonnes)
    facts.add("Carbon", fmt::format("{} t CO2e at {:g} g per kWh of the grid",
                                    significant_text(run.carbon_tonnes->value, 3), sized.cost.carbon->grams_per_kwh));
  facts.add("Cost", fmt::format("{}{} at {} per GPU-hour, {}", sized.cost.lower_bound() ? "at least " : "",
                                dollars_text(run.total), money_text(sized.cost.per_hour.total()),
                                use_and_goodput_text(sized.cost)));
  facts.add("Over prices", fmt::format("{} to {}, {}", money_text(run.cheapest), money_text(run.dearest),
                                       "all prices low to all high, the step as predicted"));
  facts.add("Of it", fmt::format("{} capital, {} operations, {} energy", money_text(run.capital),
                                 money_text(run.operations), money_text(run.energy)));
  return facts.take();
}

std::string training_run_sentence(const StepPrediction& step) {
  const TrainingRun& run = *step.training;
  const Unit unit = unit_for(run.accelerator_hours.value, count_units, 1);
  return fmt::format(
      "The training run {} {}, {} GPU-hours, {}.", step.fits ? "takes" : "would take", time_text(run.time),
      with_unit(significant_text(run.accelerator_hours.value / unit.size, 3), unit.name), without_losses);
}

std::string run_price_sentence(const ScaleCurve& curve) {
  const auto points = points_with_runs(curve);
  if (points.empty()) return {};
  const auto& rent = points.front()->step.training->rent;
  if (!rent) return fmt::format("Cost: {}.", rent_hint);
  return fmt::format("Rent is paid at {}.", rent_terms(*rent));
}

std::string use_text(const CostReport& cost) {
  return fmt::format("at {} use", percent_text(cost.utilisation, 0));
}

std::string use_and_goodput_text(const CostReport& cost) {
  return fmt::format("{} and {} goodput", use_text(cost), percent_text(cost.goodput, 0));
}

JsonValue training_run_json(const StepPrediction& step) {
  if (!step.training) return {};
  const TrainingRun& run = *step.training;
  JsonValue object = JsonValue::object({{"steps", run.steps}, {"tokens", run.tokens}});
  set_interval(object, "days", in(run.time, day));
  object.set("checkpoint_days", run.checkpoints.in(day));
  set_interval(object, "gpu_hours", run.accelerator_hours);
  set_interval(object, "nodes_mwh", in(run.nodes_energy, megawatt_hour));
  std::optional<Interval<double>> machines, facility, rent;
  if (run.it_energy) machines = in(*run.it_energy, megawatt_hour);
  if (run.facility_energy) facility = in(*run.facility_energy, megawatt_hour);
  if (run.rent) rent = in(run.rent->total, dollar);
  set_or_null(object, "it_mwh", machines);
  set_or_null(object, "facility_mwh", facility);
  set_or_null(object, "rent_usd", rent);
  object.set("goodput", run.rent ? JsonValue(run.rent->goodput) : JsonValue());
  return object;
}

JsonValue priced_run_json(const SizedCluster& sized) {
  if (!sized.run) return {};
  const RunCost& run = *sized.run;
  JsonValue object = JsonValue::object({{"utilisation", sized.cost.utilisation}, {"goodput", sized.cost.goodput}});
  set_interval(object, "paid_days", in(run.paid, day));
  set_interval(object, "paid_gpu_hours", run.accelerator_hours);
  set_interval(object, "it_mwh", in(run.it_energy, megawatt_hour));
  set_interval(object, "facility_mwh", in(run.facility_energy, megawatt_hour));
  if (run.carbon_tonnes) set_interval(object, "carbon_t", *run.carbon_tonnes);
  set_interval(object, "usd", in(run.total, dollar));
  object.set("usd_prices_low", run.cheapest.in(dollar));
  object.set("usd_prices_high", run.dearest.in(dollar));
  object.set("lower_bound", sized.cost.lower_bound());
  object.set("capital_usd", run.capital.in(dollar));
  object.set("operations_usd", run.operations.in(dollar));
  object.set("energy_usd", run.energy.in(dollar));
  return object;
}

}  // namespace clusterwright
