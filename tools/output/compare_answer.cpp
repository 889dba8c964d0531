// SPDX-License-Identifier: Apache-2.0
#include "tools/output/compare_answer.hpp"

#include <algorithm>
#include <cmath>

#include "models/lowering/step_charge.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/prediction_tables.hpp"

namespace clusterwright {

namespace {

constexpr double worth_a_row = 0.002;  // of the step

OptionRatio ratio_to(const CompareAnswer& answer, std::size_t line, std::size_t over) {
  return ratio_of(answer.lines[line].option, answer.lines[over].option);
}

/// Whether steps of all options are of as many tokens on as many accelerators.
bool same_work(const CompareAnswer& answer) {
  const std::vector<std::size_t> lines = running(answer);
  return std::ranges::all_of(lines, [&](std::size_t i) {
    return step_of(answer, i).accelerators == step_of(answer, lines.front()).accelerators &&
           step_of(answer, i).plan.global_batch == step_of(answer, lines.front()).plan.global_batch;
  });
}

/// Seconds of a charge in a step; where steps differ in work, accelerator-seconds per million tokens.
double charge_of(const CompareAnswer& answer, std::size_t line, std::size_t charge, bool same) {
  const StepPrediction& step = step_of(answer, line);
  const double seconds = step.breakdown[charge].in(second);
  return same ? seconds : seconds / step.step_time.in(second)*accelerator_seconds_per_million_tokens(step);
}

/// Shift and probability cells of a line against the reference; empty for the reference itself.
std::vector<Cell> shift_cells(const Interval<double>& ratio, double probability, bool itself) {
  if (itself) return {Cell(), Cell(), Cell(), Cell()};
  return {ratio.value - 1, ratio.low - 1, ratio.high - 1, probability};
}

void append(std::vector<Cell>& row, std::vector<Cell> more) {
  row.insert(row.end(), more.begin(), more.end());
}

constexpr std::size_t money_cells = 13;

std::vector<Cell> money_row(const CompareAnswer& answer, std::size_t line, std::size_t reference) {
  if (!answer.lines[line].option.sized) return std::vector<Cell>(money_cells);
  const SizedCluster& sized = *answer.lines[line].option.sized;
  const OptionRatio ratio = ratio_to(answer, line, reference);
  const bool bound = sized.cost.lower_bound();
  std::vector<Cell> row = {letter_of(line), answer.lines[line].option.name,
                           sized.cost.usd_per_million_tokens ? Cell(*sized.cost.usd_per_million_tokens) : Cell()};
  append(row, shift_cells(ratio.price.value_or(Interval<double>{1, 1, 1}), ratio.probability_cheaper.value_or(0.5),
                          line == reference || !ratio.price));
  append(row, {sized.cost.rented ? Cell() : Cell(sized.cost.capex_total.in(dollar)), bound ? "at least" : "",
               sized.plan.rated.facility.in(megawatt), step_of(answer, line).power.energy_per_token.in(joule),
               sized.run ? Cell(sized.run->paid.value.in(day)) : Cell(),
               sized.run ? Cell(sized.run->total.value.in(dollar)) : Cell()});
  return row;
}

/// Without columns that no row fills.
ResultTable without_empty(ResultTable table) {
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    const bool empty = std::ranges::all_of(table.rows, [&](const std::vector<Cell>& row) {
      return row[column].kind == Cell::Kind::nothing ||
             (row[column].kind == Cell::Kind::text && row[column].text.empty());
    });
    if (!empty) continue;
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(column));
    for (auto& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
  return table;
}

}  // namespace

std::string letter_of(std::size_t line) {
  return std::string(1, static_cast<char>('A' + static_cast<char>(line)));
}

const StepPrediction& step_of(const CompareAnswer& answer, std::size_t line) {
  return *answer.lines[line].option.step;
}

std::vector<std::size_t> running(const CompareAnswer& answer) {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < answer.lines.size(); ++i)
    if (answer.lines[i].option.runs()) out.push_back(i);
  return out;
}

std::vector<std::size_t> buildable(const CompareAnswer& answer) {
  std::vector<std::size_t> out = running(answer);
  std::erase_if(out, [&](std::size_t i) { return !answer.lines[i].option.can_be_built(); });
  return out;
}

std::optional<std::size_t> reference_of(const CompareAnswer& answer) {
  const std::vector<std::size_t> lines = running(answer);
  return lines.empty() ? std::nullopt : std::optional(lines.front());
}

bool differs(const CompareAnswer& answer) {
  const auto figures = [](const CompareLine& line) {
    const ComparedOption& o = line.option;
    return std::tuple(o.runs(), o.runs() ? o.step->step_time.in(second) : 0,
                      o.runs() ? o.step->power.nodes_mean.in(watt) : 0,
                      o.sized ? o.sized->cost.capex_total.in(dollar) : 0);
  };
  return std::ranges::any_of(answer.lines,
                             [&](const CompareLine& line) { return figures(line) != figures(answer.lines.front()); });
}

namespace {

std::string heading_of(const CompareAnswer& answer) {
  std::vector<const Plan*> plans;
  for (const std::size_t i : running(answer)) plans.push_back(&step_of(answer, i).plan);
  return plan_heading(plans);
}

}  // namespace

ResultTable compared_times(const CompareAnswer& answer) {
  const std::optional<std::size_t> reference = reference_of(answer);
  if (!reference) return {};
  const std::string against = "Against " + letter_of(*reference);
  ResultTable table{"Time",
                    {words_column("letter", ""),
                     words_column("option", "Option"),
                     {"gpus", "GPUs", ""},
                     words_column("plan", heading_of(answer)),
                     {"step_time_s", "Step", "s"},
                     {"tokens_per_s", "Tokens", "/s", 1, 0},
                     percent_column("speed_change", against),
                     percent_column("speed_change_low", "Low"),
                     percent_column("speed_change_high", "High"),
                     {"probability_faster", "P faster", "%", 100, 0},
                     percent_column("mfu", "MFU"),
                     words_column("limited_by", "Limited by")},
                    {}};
  for (const std::size_t i : running(answer)) {
    const StepPrediction& step = step_of(answer, i);
    const OptionRatio ratio = ratio_to(answer, i, *reference);
    std::vector<Cell> row = {letter_of(i),         answer.lines[i].option.name, step.accelerators,
                             plan_text(step.plan), step.step_time.in(second),   step.tokens_per_second};
    append(row, shift_cells(ratio.speed, ratio.probability_faster, i == *reference));
    append(row, {step.mfu, limited_by(step)});
    table.rows.push_back(std::move(row));
  }
  return table;
}

namespace {

/// A row for each option that runs, empty where it has no site.
ResultTable all_money(const CompareAnswer& answer, std::size_t reference) {
  ResultTable table{"Money and watts",
                    {words_column("letter", ""),
                     words_column("option", "Option"),
                     {"usd_per_million_tokens", "Cost", "$/Mtoken"},
                     percent_column("price_change", "Against " + letter_of(reference)),
                     percent_column("price_change_low", "Low"),
                     percent_column("price_change_high", "High"),
                     {"probability_cheaper", "P cheaper", "%", 100, 0},
                     {"capex_usd", "To buy", "$ M", 1e-6},
                     words_column("bound", ""),
                     {"facility_mw_rated", "Grid, rated", "MW"},
                     {"energy_j_per_token", "Energy of nodes", "J/token"},
                     {"paid_days", "Run", "days"},
                     {"run_usd", "Run", "$ M", 1e-6}},
                    {}};
  for (const std::size_t i : running(answer)) table.rows.push_back(money_row(answer, i, reference));
  return table;
}

}  // namespace

ResultTable compared_money(const CompareAnswer& answer) {
  const std::optional<std::size_t> reference = reference_of(answer);
  if (!reference) return {};
  ResultTable table = all_money(answer, *reference);
  std::erase_if(table.rows, [](const std::vector<Cell>& row) { return row.front().kind == Cell::Kind::nothing; });
  return without_empty(std::move(table));
}

ResultTable compared_flat(const CompareAnswer& answer) {
  const std::optional<std::size_t> reference = reference_of(answer);
  if (!reference) return {};
  ResultTable table = compared_times(answer);
  const ResultTable money = all_money(answer, *reference);
  constexpr std::size_t named = 2;  // letter and option stand in both
  table.columns.insert(table.columns.end(), money.columns.begin() + named, money.columns.end());
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    table.rows[i].insert(table.rows[i].end(), money.rows[i].begin() + named, money.rows[i].end());
  return table;
}

ResultTable moved_terms(const CompareAnswer& answer) {
  const std::vector<std::size_t> lines = running(answer);
  if (lines.size() < 2) return {};
  const bool same = same_work(answer);
  ResultTable table{same ? "Terms of the step that moved, s" : "Terms that moved, GPU-seconds per million tokens",
                    {words_column("charge", "Term")},
                    {}};
  for (const std::size_t i : lines) table.columns.push_back({letter_of(i), letter_of(i), "", 1, 3});
  const double total = same ? step_of(answer, lines.front()).step_time.in(second)
                            : accelerator_seconds_per_million_tokens(step_of(answer, lines.front()));
  for (std::size_t charge = 0; charge < step_charge_count; ++charge) {
    std::vector<Cell> row = {std::string(people_name(static_cast<StepCharge>(charge)))};
    double least = INFINITY, most = 0;
    for (const std::size_t i : lines) {
      const double amount = charge_of(answer, i, charge, same);
      least = std::min(least, amount);
      most = std::max(most, amount);
      row.emplace_back(amount);
    }
    if (most - least >= worth_a_row * total) table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<FieldDifference> field_differences(const CompareAnswer& answer) {
  std::vector<JsonValue> scenarios;
  for (const CompareLine& line : answer.lines) scenarios.push_back(line.context.scenario);
  return differences_of(scenarios);
}

OptionRatio over_reference(const CompareAnswer& answer, std::size_t line) {
  return ratio_to(answer, line, *reference_of(answer));
}

}  // namespace clusterwright
