/// Whether the layout predicted best is the best: layouts of one published job, ranked by both.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/case_result.hpp"

namespace clusterwright {

/// One way to lay out a job. Of repeats the best rate counts, as the measurement set keeps the best day.
struct RankedLayout {
  std::string id;
  std::string words;
  double predicted = 0, measured = 0;  ///< tokens per second and accelerator
  bool scored = true;
};

/// Layouts of one job: model, sequence, batch, accelerators, network, number format, task, software and date agree.
struct LayoutGroup {
  std::string name;  ///< for people
  std::string family;
  std::vector<RankedLayout> layouts;  ///< at least two
  RankedLayout predicted_best;        ///< of equal predictions the slowest: nothing told it apart
  RankedLayout true_best;
  double regret = 0;                  ///< log(rate of the true best / rate of the one predicted best)
  double blind_regret = 0;            ///< mean regret of drawing a layout by lot
  std::optional<double> kendall_tau;  ///< tau-b; empty where all predictions or all rates are equal

  bool is_scored() const;  ///< every layout is
};

/// Over groups; all zero without any.
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
  RankingFigures with_unscored;          ///< groups that unscored but valid steps make or enlarge
  std::vector<RankingFigures> families;  ///< of the scored
  std::vector<LayoutGroup> groups;       ///< the largest regret first, scored and not
};

/// Kendall's tau-b of predicted against measured; empty if either has no two different values.
std::optional<double> kendall_tau(const std::vector<RankedLayout>& layouts);

/// Ranks valid training steps of known batch. Layouts are different if a field that both publish is.
/// @param results  of `measurements`, in their order
LayoutRanking layout_ranking(const std::vector<Measurement>& measurements, const std::vector<CaseResult>& results);

}  // namespace clusterwright
