// SPDX-License-Identifier: Apache-2.0
#include "tools/output/validation_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "models/lowering/step_charge.hpp"
#include "tools/output/closed_form_table.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/prediction_tables.hpp"
#include "tools/output/reliability_table.hpp"

namespace clusterwright {

namespace {

JsonValue figures_json(const RankingFigures& f) {
  const auto judged = [&](double value) { return f.groups > 0 ? JsonValue(value) : JsonValue(); };
  return JsonValue::object({{"name", f.name},
                            {"groups", f.groups},
                            {"layouts", f.layouts},
                            {"votes", f.votes},
                            {"right_best", judged(f.right_best)},
                            {"within_3_percent", judged(f.within_3_percent)},
                            {"median_regret", judged(f.median_regret)},
                            {"p90_regret", judged(f.p90_regret)},
                            {"mean_regret", judged(f.mean_regret)},
                            {"mean_blind_regret", judged(f.mean_blind_regret)},
                            {"mean_rule_regret", judged(f.mean_rule_regret)},
                            {"median_kendall_tau", judged(f.median_tau)}});
}

JsonValue layout_json(const RankedLayout& layout) {
  return JsonValue::object({{"id", layout.id},
                            {"layout", layout.words},
                            {"predicted", layout.predicted},
                            {"measured", layout.measured},
                            {"scored", layout.scored}});
}

JsonValue group_json(const LayoutGroup& group) {
  return JsonValue::object({{"name", group.name},
                            {"family", group.family},
                            {"scored", group.is_scored()},
                            {"layouts", static_cast<std::int64_t>(group.layouts.size())},
                            {"predicted_best", layout_json(group.predicted_best)},
                            {"true_best", layout_json(group.true_best)},
                            {"regret", group.regret},
                            {"blind_regret", group.blind_regret},
                            {"rule_regret", group.rule_regret},
                            {"weight", group.weight},
                            {"kendall_tau", group.kendall_tau ? JsonValue(*group.kendall_tau) : JsonValue()}});
}

std::vector<Cell> figure_cells(const RankingFigures& f) {
  return {f.name,
          f.groups,
          f.layouts,
          f.votes,
          f.right_best,
          f.within_3_percent,
          f.median_regret,
          f.p90_regret,
          f.mean_regret,
          f.mean_blind_regret,
          f.mean_rule_regret,
          f.median_tau};
}

}  // namespace

JsonValue layout_ranking_json(const LayoutRanking& ranking) {
  JsonValue families = JsonValue::list(), groups = JsonValue::list();
  for (const RankingFigures& family : ranking.families) families.push_back(figures_json(family));
  for (const LayoutGroup& group : ranking.groups) groups.push_back(group_json(group));
  return JsonValue::object({{"summary", figures_json(ranking.scored)},
                            {"with_unscored", figures_json(ranking.with_unscored)},
                            {"families", families},
                            {"groups", groups}});
}

ResultTable layout_ranking_table(const LayoutRanking& ranking) {
  ResultTable table{"Ranking of layouts of one job: regret is log(best rate / rate of the layout predicted best)",
                    {words_column("jobs", "Jobs"),
                     {"groups", "Groups", ""},
                     {"layouts", "Layouts", ""},
                     {"votes", "Votes", "", 1, 1},
                     percent_column("right_best", "Right best"),
                     percent_column("within_3_percent", "Within 3 %"),
                     percent_column("median_regret", "Median regret"),
                     percent_column("p90_regret", "90th"),
                     percent_column("mean_regret", "Mean"),
                     percent_column("mean_blind_regret", "Mean at random"),
                     percent_column("mean_rule_regret", "Mean by tensor rule"),
                     {"median_kendall_tau", "Kendall tau", "", 1, 2}},
                    {}};
  for (const RankingFigures& family : ranking.families) table.rows.push_back(figure_cells(family));
  for (const RankingFigures* all : {&ranking.scored, &ranking.with_unscored})
    if (all->groups > 0) table.rows.push_back(figure_cells(*all));
  return table;
}

ResultTable layout_regret_table(const LayoutRanking& ranking, std::size_t top) {
  ResultTable table{"Largest regrets",
                    {words_column("job", "Job"),
                     {"layouts", "Layouts", ""},
                     words_column("predicted_best", "Predicted best"),
                     words_column("true_best", "Best"),
                     percent_column("regret", "Regret")},
                    {}};
  for (const LayoutGroup& group : ranking.groups) {
    if (table.rows.size() == top || group.regret <= 0) break;
    if (group.is_scored())
      table.rows.push_back({group.name, static_cast<std::int64_t>(group.layouts.size()), group.predicted_best.words,
                            group.true_best.words, group.regret});
  }
  return table;
}

namespace {

constexpr std::size_t shown_errors = 10;
constexpr std::size_t shown_regrets = 6;
constexpr std::size_t shown_reasons = 10;
constexpr std::size_t shown_charges = 3;

std::vector<Column> figure_columns(Column first) {
  return {std::move(first),
          {"n", "Scored", ""},
          percent_column("coverage", "Predicted"),
          percent_column("median_abs_log", "Median"),
          percent_column("p90_abs_log", "90th"),
          percent_column("bias", "Bias"),
          percent_column("within_10_percent", "Within 10 %"),
          percent_column("in_interval", "In interval"),
          percent_column("median_half_width", "Half-width")};
}

/// Cells of a line; without any prediction the errors are blank.
std::vector<Cell> figure_cells(const ErrorFigures& f) {
  if (f.coverage <= 0) return {f.name, f.n, f.coverage, {}, {}, {}, {}, {}, {}};
  return {f.name,
          f.n,
          f.coverage,
          f.median_abs_log,
          f.p90_abs_log,
          f.bias,
          f.within_10_percent,
          f.in_interval,
          f.median_half_width};
}

/// Scored and Predicted stay blank: families, not cases, are averaged.
std::vector<Cell> mean_cells(const ErrorFigures& f) {
  std::vector<Cell> cells = figure_cells(f);
  cells[0] = fmt::format("mean of {} {}", f.n, f.n == 1 ? "family" : "families");
  cells[1] = cells[2] = "";
  return cells;
}

/// A case by the point in the middle of its errors, so that one odd size does not make a case the worst.
struct CaseError {
  const CaseResult* result = nullptr;
  std::size_t point = 0;
  double error = 0;
};

CaseError middle_point(const CaseResult& result) {
  std::vector<CaseError> points;
  for (std::size_t i = 0; i < result.predicted.size(); ++i)
    points.push_back({&result, i, std::log(result.predicted[i] / result.measured[i])});
  std::stable_sort(points.begin(), points.end(),
                   [](const CaseError& a, const CaseError& b) { return std::abs(a.error) < std::abs(b.error); });
  return points[points.size() / 2];
}

std::vector<CaseError> worst_cases(const ValidationReport& report) {
  std::vector<CaseError> out;
  for (const CaseResult& result : report.results)
    if (result.scored && is_valid(result)) out.push_back(middle_point(result));
  std::stable_sort(out.begin(), out.end(),
                   [](const CaseError& a, const CaseError& b) { return std::abs(a.error) > std::abs(b.error); });
  return out;
}

std::string largest_charges(const StepDetail& step) {
  std::vector<std::size_t> order(step_charge_count);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return step.shares[a] > step.shares[b]; });
  std::string out;
  for (std::size_t i = 0; i < shown_charges; ++i)
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", people_name(static_cast<StepCharge>(order[i])),
                       percent_text(step.shares[order[i]], 0));
  return out;
}

}  // namespace

ResultTable family_table(const ValidationReport& report) {
  ResultTable table{"Predicted against measured, by family: errors are |log(predicted / measured)|",
                    figure_columns(words_column("family", "Family")),
                    {}};
  for (const ErrorFigures& family : report.summary.families)
    if (family.n > 0) table.rows.push_back(figure_cells(family));
  table.rows.push_back(figure_cells(report.summary.overall));
  table.rows.push_back(mean_cells(report.summary.mean_of_families));
  return table;
}

ResultTable training_table(const ValidationReport& report) {
  ResultTable table{"Training steps", figure_columns(words_column("steps", "Steps")), {}};
  const ValidationSummary& s = report.summary;
  for (const auto* group : {&s.by_knowledge, &s.by_transformer, &s.by_precision, &s.by_accelerator})
    for (const ErrorFigures& one : *group)
      if (one.n > 0) table.rows.push_back(figure_cells(one));
  if (s.peak_memory.n > 0) table.rows.push_back(figure_cells(s.peak_memory));
  return table;
}

ResultTable scaling_table(const ValidationReport& report) {
  ResultTable table{"Ratio of rates of two steps of one job that differ in one thing, and what follows it",
                    {words_column("scaling", "Change"),
                     {"pairs", "Pairs", ""},
                     percent_column("median_abs_log", "Median"),
                     percent_column("p90_abs_log", "90th"),
                     percent_column("bias", "Bias"),
                     percent_column("unchanged_median_abs_log", "If unchanged")},
                    {}};
  const ScalingShape& shape = report.summary.scaling;
  std::vector<ChangedField> lines = {{"more GPUs, constant batch (strong)", shape.strong},
                                     {"more GPUs, constant batch per GPU (weak)", shape.weak}};
  lines.insert(lines.end(), report.summary.changed.begin(), report.summary.changed.end());
  for (const auto& [name, f] : lines)
    if (f.pairs > 0) table.rows.push_back({name, f.pairs, f.median_abs_log, f.p90_abs_log, f.bias, f.unchanged_median});
  return table;
}

ResultTable baseline_table(const ValidationReport& report) {
  const ConstantBaseline& baseline = report.summary.baseline;
  ResultTable table{fmt::format("Compared with {} {}: one fitted TFLOP/s per accelerator and precision",
                                baseline.constants, baseline.constants == 1 ? "constant" : "constants"),
                    {words_column("family", "Family"),
                     {"n", "Steps", ""},
                     percent_column("median_abs_log", "Median"),
                     percent_column("p90_abs_log", "90th"),
                     percent_column("constant_median_abs_log", "Constant: median"),
                     percent_column("constant_p90_abs_log", "Constant: 90th")},
                    {}};
  if (baseline.families.empty()) return table;
  const auto add = [&](const ErrorFigures& model, const ErrorFigures& constant) {
    table.rows.push_back(
        {model.name, model.n, model.median_abs_log, model.p90_abs_log, constant.median_abs_log, constant.p90_abs_log});
  };
  for (const BaselineFamily& family : baseline.families) add(family.model, family.constant);
  add(baseline.model, baseline.constant);
  return table;
}

ResultTable cross_table(const ValidationReport& report) {
  ResultTable table{"Held-out cross-validation",
                    {words_column("left_out", "Held out"),
                     {"n", "Rows", ""},
                     percent_column("median_abs_log", "Median"),
                     percent_column("p90_abs_log", "90th"),
                     percent_column("bias", "Bias"),
                     percent_column("in_interval", "In interval"),
                     percent_column("half_width", "Half-width")},
                    {}};
  for (const HeldOutFigures& one : *report.cross) {
    const ErrorFigures& f = one.figures;
    if (f.n == 0) continue;
    const bool judged = f.median_half_width > 0;
    table.rows.push_back({f.name, f.n, f.median_abs_log, f.p90_abs_log, f.bias, judged ? Cell(f.in_interval) : Cell(),
                          judged ? Cell(f.median_half_width) : Cell()});
  }
  return table;
}

ResultTable worst_table(const ValidationReport& report, std::size_t top) {
  ResultTable table{"Largest errors",
                    {words_column("id", "Case"),
                     {"measured", "Measured", ""},
                     {"predicted", "Predicted", ""},
                     words_column("unit", "Unit"),
                     percent_column("error", "log error"),
                     words_column("largest_charges", "Largest shares of time")},
                    {}};
  for (const CaseError& one : worst_cases(report)) {
    if (table.rows.size() == top) break;
    const CaseResult& r = *one.result;
    const std::string id = r.is_list ? fmt::format("{} [{}]", r.id, one.point) : r.id;
    table.rows.push_back({id, r.measured[one.point], r.predicted[one.point], r.unit, one.error,
                          r.step ? Cell(largest_charges(*r.step)) : Cell()});
  }
  return table;
}

ResultTable missing_table(const ValidationReport& report, std::size_t top) {
  ResultTable table{"Scored cases without a prediction",
                    {words_column("status", "Status"), {"cases", "Cases", ""}, words_column("reason", "Reason")},
                    {}};
  std::map<std::pair<std::string, std::string>, int> count;
  for (const CaseResult& r : report.results)
    if (r.scored && r.status != CaseStatus::ok) ++count[{status_name(r.status), r.reason}];
  for (const auto& [why, cases] : count) table.rows.push_back({why.first, cases, why.second});
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const auto& a, const auto& b) { return a[1].count > b[1].count; });
  if (table.rows.size() > top) table.rows.resize(top);
  return table;
}

ResultTable case_table(const ValidationReport& report) {
  ResultTable table{"", {}, {}};
  for (const char* key :
       {"id", "family", "kind", "status", "point", "measured", "predicted", "low", "high", "unit", "reason"})
    table.columns.push_back({key, key, ""});
  for (const CaseResult& r : report.results) {
    const auto at = [](const std::vector<double>& values, std::size_t i) {
      return i < values.size() ? Cell(values[i]) : Cell();
    };
    const std::size_t points = std::max({r.predicted.size(), r.measured.size(), std::size_t{1}});
    for (std::size_t i = 0; i < points; ++i)
      table.rows.push_back({r.id, r.family, r.kind, status_name(r.status), static_cast<std::int64_t>(i),
                            at(r.measured, i), at(r.predicted, i), at(r.low, i), at(r.high, i), r.unit, r.reason});
  }
  return table;
}

std::vector<ResultTable> validation_tables(const ValidationReport& report) {
  const LayoutRanking& ranking = report.summary.layout_ranking;
  std::vector<ResultTable> all = {family_table(report),
                                  training_table(report),
                                  scaling_table(report),
                                  layout_ranking_table(ranking),
                                  layout_regret_table(ranking, shown_regrets),
                                  baseline_table(report),
                                  closed_form_table(report)};
  for (ResultTable& table : reliability_tables(report)) all.push_back(std::move(table));
  all.push_back(worst_table(report, shown_errors));
  all.push_back(missing_table(report, shown_reasons));
  if (report.cross) all.push_back(cross_table(report));
  std::erase_if(all, [](const ResultTable& table) { return table.rows.empty(); });
  return all;
}

long predicted_cases(const ValidationReport& report) {
  const ErrorFigures& all = report.summary.overall;
  return std::lround(all.coverage * all.n);
}

std::string parameters_sentence(const ValidationReport& report) {
  return fmt::format(
      "{}{} fitted parameters predict {} scored cases.",
      report.interrupted ? "Interrupted: cases are missing, and the figures are those of the others. " : "",
      report.summary.parameters_used, count_text(predicted_cases(report)));
}

}  // namespace clusterwright
