// SPDX-License-Identifier: Apache-2.0
#include "tools/output/reliability_table.hpp"

#include <fmt/format.h>

#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

JsonValue figures_json(const ReliabilityFigures& f) {
  const auto judged = [&](double value) { return f.pairs > 0 ? JsonValue(value) : JsonValue(); };
  return JsonValue::object({{"name", f.name},
                            {"pairs", f.pairs},
                            {"votes", f.votes},
                            {"mean_probability", judged(f.mean_probability)},
                            {"frequency", judged(f.frequency)},
                            {"chance", judged(f.chance)},
                            {"brier", judged(f.brier)},
                            {"brier_of_mean", judged(f.brier_of_mean)},
                            {"in_interval", judged(f.in_interval)},
                            {"median_half_width", judged(f.median_half_width)}});
}

std::vector<Cell> figure_cells(const ReliabilityFigures& f, const std::string& name) {
  return {name,     f.pairs, f.votes,         f.mean_probability, f.frequency,
          f.chance, f.brier, f.brier_of_mean, f.in_interval,      f.median_half_width};
}

ResultTable reliability_table(const PairReliability& reliability, const std::string& predicted) {
  ResultTable table{"Probability that one of two steps is faster, against how often it was, " + predicted,
                    {words_column("pairs_of", "Pairs"),
                     {"pairs", "Number", ""},
                     {"votes", "Votes", "", 1, 1},
                     percent_column("mean_probability", "Probability"),
                     percent_column("frequency", "Frequency"),
                     percent_column("chance", "Chance +-"),
                     {"brier", "Brier score", "", 1, 3},
                     {"brier_of_mean", "Of the mean", "", 1, 3},
                     percent_column("in_interval", "Ratio in interval"),
                     percent_column("median_half_width", "Half-width")},
                    {}};
  for (const ReliabilityFigures& one : reliability.bins)
    if (one.pairs > 0) table.rows.push_back(figure_cells(one, one.name));
  for (const ReliabilityFigures& one : reliability.axes)
    table.rows.push_back(figure_cells(one, "differ in " + one.name));
  if (reliability.all.pairs > 0) table.rows.push_back(figure_cells(reliability.all, reliability.all.name));
  return table;
}

}  // namespace

JsonValue reliability_json(const PairReliability& reliability) {
  JsonValue bins = JsonValue::list(), axes = JsonValue::list();
  for (const ReliabilityFigures& one : reliability.bins) bins.push_back(figures_json(one));
  for (const ReliabilityFigures& one : reliability.axes) axes.push_back(figures_json(one));
  return JsonValue::object({{"bins", bins}, {"axes", axes}, {"all", figures_json(reliability.all)}});
}

std::vector<ResultTable> reliability_tables(const ValidationReport& report) {
  if (!report.cross_reliability) return {reliability_table(report.summary.pair_reliability, "as shipped")};
  std::vector<ResultTable> out;
  for (const HeldOutReliability& one : *report.cross_reliability)
    out.push_back(reliability_table(one.reliability, one.name));
  return out;
}

}  // namespace clusterwright
