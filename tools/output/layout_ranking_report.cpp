// SPDX-License-Identifier: Apache-2.0
#include "tools/output/layout_ranking_report.hpp"

namespace clusterwright {

namespace {

JsonValue figures_json(const RankingFigures& f) {
  const auto judged = [&](double value) { return f.groups > 0 ? JsonValue(value) : JsonValue(); };
  return JsonValue::object({{"name", f.name},
                            {"groups", f.groups},
                            {"layouts", f.layouts},
                            {"right_best", judged(f.right_best)},
                            {"within_3_percent", judged(f.within_3_percent)},
                            {"median_regret", judged(f.median_regret)},
                            {"p90_regret", judged(f.p90_regret)},
                            {"mean_regret", judged(f.mean_regret)},
                            {"mean_blind_regret", judged(f.mean_blind_regret)},
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
                            {"kendall_tau", group.kendall_tau ? JsonValue(*group.kendall_tau) : JsonValue()}});
}

std::vector<Cell> figure_cells(const RankingFigures& f) {
  return {f.name,          f.groups,     f.layouts,     f.right_best,        f.within_3_percent,
          f.median_regret, f.p90_regret, f.mean_regret, f.mean_blind_regret, f.median_tau};
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
                     percent_column("right_best", "Right best"),
                     percent_column("within_3_percent", "Within 3 %"),
                     percent_column("median_regret", "Median regret"),
                     percent_column("p90_regret", "90th"),
                     percent_column("mean_regret", "Mean"),
                     percent_column("mean_blind_regret", "Mean by lot"),
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

}  // namespace clusterwright
