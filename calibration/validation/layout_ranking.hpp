// SPDX-License-Identifier: Apache-2.0
/// Ranking of the layouts of one published job, by prediction and by measurement.
///
/// A planner needs the best of several layouts of one job. Regret is what its choice loses against the best one:
///
///   regret = log(best measured rate / measured rate of the layout predicted best)
///
/// Two choices without a prediction stand beside it: a layout drawn at random, and the rule "largest tensor degree that
/// a node allows".
///
/// **Cells.** Rows of one cell (`quality.cell`) repeat one measured quantity in other depths, pipelines or batches. A
/// cell counts once, on both levels:
///
/// - Among n layouts of one group that share a cell, each weighs 1/n, in the random draw, in the rule and in Kendall's
///   tau. Tau leaves out pairs inside a cell: their order is arithmetic on one measurement. Layouts of one cell alone
///   are no group.
/// - A cell has one vote, which the groups that hold it share. A group weighs the mean vote of its cells, and every
///   figure over groups is weighted.
///
/// A row without a cell is a cell of its own. So a group without cells weighs 1, and figures without cells are plain
/// means and quantiles.
///
/// Example: cells a and b stand in three groups {a, b}, {a, b} and {a, b, c}. The votes of a and b are 1/3 for each
/// group, that of c is 1. The groups weigh 1/3, 1/3 and (1/3 + 1/3 + 1)/3 = 5/9.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/case_result.hpp"

namespace clusterwright {

/// One layout of a job. Among repeats the best rate counts, as the measurement set keeps the best day.
struct RankedLayout {
  std::string id;
  std::string words;
  double predicted = 0, measured = 0;  ///< tokens per second and accelerator
  bool scored = true;
  std::string cell;         ///< empty: a cell of its own
  std::int64_t tensor = 1;  ///< tensor degree; 1 where none is published
  bool inside_node = true;  ///< whether the tensor group fits into a node
  double weight = 1;        ///< one over the layouts of the group that share the cell
};

/// Layouts of one job: model, sequence, batch, accelerators, network, number format, task, software and date agree.
struct LayoutGroup {
  std::string name;  ///< description of the job
  std::string family;
  std::vector<RankedLayout> layouts;  ///< at least two
  RankedLayout predicted_best;        ///< slowest among equal predictions, which nothing tells apart
  RankedLayout true_best;
  double regret = 0;                  ///< log(rate of the true best / rate of the predicted best)
  double blind_regret = 0;            ///< mean regret of a random layout
  double rule_regret = 0;             ///< mean regret of the layouts with the largest tensor degree inside a node
  std::optional<double> kendall_tau;  ///< tau-b; empty where all predictions or all rates are equal
  double weight = 1;                  ///< mean over the cells of one over the groups that hold the cell

  bool is_scored() const;  ///< whether every layout is scored
};

/// Figures over groups, weighted; all zero without any.
struct RankingFigures {
  std::string name;
  int groups = 0;
  int layouts = 0;
  double votes = 0;             ///< sum of the weights of the groups
  double right_best = 0;        ///< share of groups without regret
  double within_3_percent = 0;  ///< share of groups with at most log(1.03)
  double median_regret = 0;
  double p90_regret = 0;
  double mean_regret = 0;
  double mean_blind_regret = 0;
  double mean_rule_regret = 0;
  double median_tau = 0;
};

struct LayoutRanking {
  RankingFigures scored;
  RankingFigures with_unscored;          ///< groups that exist or grow with unscored but valid steps
  std::vector<RankingFigures> families;  ///< scored groups by family
  std::vector<LayoutGroup> groups;       ///< the largest regret first, scored and not
};

/// Kendall's tau-b of predicted against measured rates, over pairs of different cells, each with the product of its
/// weights; empty if all values of one are equal.
std::optional<double> kendall_tau(const std::vector<RankedLayout>& layouts);

/// Ranking of valid training steps of known batch. Layouts differ if a field that both publish differs.
/// @param results  results of `measurements`, in their order
LayoutRanking layout_ranking(const std::vector<Measurement>& measurements, const std::vector<CaseResult>& results);

}  // namespace clusterwright
