// SPDX-License-Identifier: Apache-2.0
/// Ranking of the layouts of one published job, by prediction and by measurement.
#pragma once

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
  std::optional<double> kendall_tau;  ///< tau-b; empty where all predictions or all rates are equal

  bool is_scored() const;  ///< whether every layout is scored
};

/// Figures over groups; all zero without any.
struct RankingFigures {
  std::string name;
  int groups = 0;
  int layouts = 0;
  double right_best = 0;        ///< share of groups without regret
  double within_3_percent = 0;  ///< share of groups with at most log(1.03)
  double median_regret = 0;
  double p90_regret = 0;
  double mean_regret = 0;
  double mean_blind_regret = 0;
  double median_tau = 0;
};

struct LayoutRanking {
  RankingFigures scored;
  RankingFigures with_unscored;          ///< groups that exist or grow with unscored but valid steps
  std::vector<RankingFigures> families;  ///< scored groups by family
  std::vector<LayoutGroup> groups;       ///< the largest regret first, scored and not
};

/// Kendall's tau-b of predicted against measured rates; empty if all values of one are equal.
std::optional<double> kendall_tau(const std::vector<RankedLayout>& layouts);

/// Ranking of valid training steps of known batch. Layouts differ if a field that both publish differs.
/// @param results  results of `measurements`, in their order
LayoutRanking layout_ranking(const std::vector<Measurement>& measurements, const std::vector<CaseResult>& results);

}  // namespace clusterwright
