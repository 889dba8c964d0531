#include "calibration/validation/left_out.hpp"

#include <cmath>

namespace clusterwright {

namespace {

/// The cases of a split, as far as `wanted` goes, with what the fits without them predict.
std::vector<CaseResult> left_out_results(const SplitErrors& split, const std::vector<CaseResult>& results,
                                         auto wanted) {
  std::vector<CaseResult> out;
  for (const auto& [index, error] : split.errors) {
    if (!wanted(results.at(index))) continue;
    CaseResult one = results[index];
    one.status = CaseStatus::ok;
    one.predicted = one.low = one.high = {one.measured.front() * std::exp(error)};
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::vector<LeftOutFigures> split_figures(const SplitErrors& split, const std::vector<CaseResult>& results) {
  const auto all = left_out_results(split, results, [](const CaseResult&) { return true; });
  const auto known = left_out_results(split, results, [](const CaseResult& one) { return one.known == true; });
  const auto chosen = left_out_results(split, results, [](const CaseResult& one) { return one.known == false; });
  return {{split.key, error_figures(split.name, all)},
          {split.key, mean_of_groups(split.name + ", mean of families", family_figures(all))},
          {split.key, error_figures(split.name + ", job published", known)},
          {split.key, error_figures(split.name + ", something chosen", chosen)}};
}

}  // namespace clusterwright
