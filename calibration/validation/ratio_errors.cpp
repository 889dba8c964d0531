// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/ratio_errors.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright {

void RatioErrors::add(const CaseResult& from, const CaseResult& to) {
  const double error = log_error(to) - log_error(from), weight = std::min(from.weight, to.weight);
  errors_.push_back({error, weight});
  absolute_.push_back({std::abs(error), weight});
  unchanged_.push_back({std::abs(std::log(to.measured.front() / from.measured.front())), weight});
}

RatioFigures RatioErrors::figures() const {
  return {static_cast<int>(errors_.size()), weighted_quantile(absolute_, 0.5), weighted_quantile(absolute_, 0.9),
          weighted_quantile(errors_, 0.5), weighted_quantile(unchanged_, 0.5)};
}

}  // namespace clusterwright
