// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/ratio_errors.hpp"

#include <cmath>

namespace clusterwright {

void RatioErrors::add(const CaseResult& from, const CaseResult& to, double weight) {
  const double error = log_error(to) - log_error(from);
  errors_.push_back({error, weight});
  absolute_.push_back({std::abs(error), weight});
  unchanged_.push_back({std::abs(std::log(to.measured.front() / from.measured.front())), weight});
}

RatioFigures RatioErrors::figures() const {
  return {static_cast<int>(errors_.size()), weighted_quantile(absolute_, 0.5), weighted_quantile(absolute_, 0.9),
          weighted_quantile(errors_, 0.5), weighted_quantile(unchanged_, 0.5)};
}

}  // namespace clusterwright
