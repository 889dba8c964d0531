// SPDX-License-Identifier: Apache-2.0
/// Probabilities that one step is faster than another, against how often it was.
///
/// Over pairs of published steps that differ in one thing (step_pairs.hpp), the option that is more likely to be the
/// faster one has a probability p from 50 to 100 % to be it. Probabilities hold if, of pairs with about the same p, a
/// share of p came out as predicted. Two figures sum that up: the Brier score, the mean of (p - outcome)^2, beside that
/// of always saying the mean of the outcomes; and the share of measured log ratios inside the 90 % interval of the
/// predicted ones.
///
/// Example: two pairs with p = 0.9, one of which came out. Mean p is 0.90 and the frequency 0.50; the Brier score is
/// ((0.9 - 1)^2 + 0.9^2) / 2 = 0.41, that of always saying 0.5 is 0.25: these probabilities are worse than none.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/validation/held_out.hpp"
#include "calibration/validation/step_pairs.hpp"
#include "models/prediction/ratio_error.hpp"

namespace clusterwright {

/// One pair as predicted and measured, from the side of the step that is more likely to be the faster one.
struct JudgedPair {
  StepPair pair;
  double predicted = 0;  ///< log(rate of the more likely one / rate of the other)
  double measured = 0;   ///< the same of the measured rates
  RatioError error;      ///< of `predicted`
  double probability = 0.5;

  double outcome() const { return probability == 0.5 ? 0.5 : measured > 0 ? 1 : 0; }
  JudgedPair turned() const;  ///< from the other side
  bool in_interval() const;
};

/// Weighted figures of some pairs; all zero without any.
struct ReliabilityFigures {
  std::string name;  ///< axis, or range of probabilities
  int pairs = 0;
  double votes = 0;             ///< sum of the weights
  double mean_probability = 0;  ///< of the more likely option
  double frequency = 0;         ///< share of pairs whose more likely option was faster
  double chance = 0;            ///< standard deviation of `frequency` if every vote were drawn with its probability
  double brier = 0, brier_of_mean = 0;
  double in_interval = 0;        ///< share of measured log ratios inside the predicted 90 % interval
  double median_half_width = 0;  ///< of that interval, as a log, mean of both sides
};

struct PairReliability {
  std::vector<ReliabilityFigures> bins;  ///< 50-60, 60-70, 70-80, 80-90, 90-95, 95-99 and 99-100 %, even if empty
  std::vector<ReliabilityFigures> axes;  ///< axes with pairs
  ReliabilityFigures all;
};

/// @pre every step of the pairs has a valid result
/// @param steps  shipped calibration
std::vector<JudgedPair> judged_pairs(const std::vector<StepPair>& pairs, const std::vector<CaseResult>& results,
                                     const StepCalibration& steps);

/// The same with steps held out: their errors and the covariance of the factors are those of fits without them. Steps
/// that are not in the split took part in no fit, and keep their prediction.
std::vector<JudgedPair> judged_pairs(const std::vector<StepPair>& pairs, const std::vector<CaseResult>& results,
                                     const StepCalibration& steps, const SplitErrors& split);

PairReliability pair_reliability(const std::vector<JudgedPair>& pairs);

}  // namespace clusterwright
