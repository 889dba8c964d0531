// SPDX-License-Identifier: Apache-2.0
#include "models/job/kernel_curve.hpp"

#include <algorithm>
#include <cmath>

namespace clusterwright {

Seconds KernelCurve::time(Bytes bytes) const {
  const auto above =
      std::find_if(points.begin(), points.end(), [&](const auto& point) { return point.first >= bytes; });
  if (above == points.begin()) return points.front().second * (bytes / points.front().first);
  if (above == points.end()) return points.back().second * (bytes / points.back().first);
  const auto& [low_bytes, low_time] = *(above - 1);
  const double share = std::log(bytes / low_bytes) / std::log(above->first / low_bytes);
  return low_time * std::pow(above->second / low_time, share);
}

}  // namespace clusterwright
