// SPDX-License-Identifier: Apache-2.0
#include "tools/output/verdict_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/prediction/prediction.hpp"
#include "tools/output/number_text.hpp"
#include "tools/output/prediction_tables.hpp"

namespace clusterwright {

namespace {

const ScalePoint* first_fitting(const ScaleCurve& curve) {
  for (const ScalePoint& point : curve.points)
    if (point.reason.empty() && point.step.fits) return &point;
  return nullptr;
}

std::string efficiency_sentence(const ScalePoint& first, const ScalePoint& last) {
  const std::string size = count_text(last.step.accelerators);
  if (&first == &last) return fmt::format("Only {} GPUs could be computed, so there is no curve to judge.", size);
  return fmt::format("From {} to {} GPUs the throughput grows {} times and efficiency ends at {}.",
                     count_text(first.step.accelerators), size, significant_text(last.speedup, 3),
                     percent_text(last.efficiency));
}

std::string knee_sentence(const ScaleCurve& curve, int largest) {
  if (!curve.knee) return "No doubling in this range gave 1.8 times the throughput.";
  if (2 * *curve.knee >= largest) return "Every doubling up to there still gave at least 1.8 times the throughput.";
  return fmt::format("The knee is at {} GPUs: the last size whose doubling still gave 1.8 times the throughput.",
                     count_text(*curve.knee));
}

std::string sentence(std::string text) {
  if (!text.empty() && text.back() != '.') text += '.';
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string misfits_sentence(const ScaleCurve& curve) {
  std::vector<std::string> sizes;
  std::string reason;
  for (const ScalePoint& point : curve.points) {
    if (point.reason.empty() && point.step.fits) continue;
    sizes.push_back(count_text(point.step.accelerators));
    if (reason.empty()) reason = point.reason.empty() ? point.step.verdict : point.reason;
  }
  if (sizes.empty()) return {};
  if (sizes.size() == 1) return fmt::format("{} GPUs are not possible: {}", sizes[0], sentence(reason));
  const std::size_t all = curve.points.size();
  if (sizes.size() > 4)
    return fmt::format("{} of {} sizes are not possible; the first: {}", sizes.size(), all, sentence(reason));
  return fmt::format("{} of {} sizes are not possible ({}); the first: {}", sizes.size(), all, fmt::join(sizes, "; "),
                     sentence(reason));
}

}  // namespace

std::vector<std::string> verdict_sentences(const ScaleCurve& curve) {
  std::vector<std::string> sentences;
  const ScalePoint* const first = first_fitting(curve);
  const ScalePoint* const last = largest_fitting(curve);
  if (first) {
    sentences.push_back(efficiency_sentence(*first, *last));
    if (first != last) sentences.push_back(knee_sentence(curve, last->step.accelerators));
  } else {
    sentences.emplace_back("None of these sizes is possible.");
  }
  if (const std::string misfits = misfits_sentence(curve); !misfits.empty()) sentences.push_back(misfits);
  return sentences;
}

std::vector<std::string> verdict_sentences(const StepPrediction& step) {
  std::vector<std::string> sentences;
  const double width = (step.high - step.low) / (2 * step.step_time);
  sentences.push_back(step.fits ? sentence(step.verdict) : "This plan does not fit: " + sentence(step.verdict));
  sentences.push_back(fmt::format("One step {} {} s, within {} at 90 % confidence.", step.fits ? "takes" : "would take",
                                  significant_text(step.step_time.in(second)), percent_text(width, 0)));
  return sentences;
}

std::string next_step(const ScaleCurve& curve) {
  const ScalePoint* const largest = largest_fitting(curve);
  if (!largest) return "none of these sizes is possible: change the plan, or ask for other sizes";
  return fmt::format("at {} GPUs: {}", count_text(largest->step.accelerators), largest->step.bottleneck);
}

std::string next_step(const StepPrediction& step) {
  return step.fits ? step.bottleneck : step.verdict;
}

}  // namespace clusterwright
