// SPDX-License-Identifier: Apache-2.0
#include "host_check.hpp"

#include <cmath>

namespace clusterwright::probes {

void require_close(const std::string& what, const Numbers& got, const Numbers& want, double limit) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    difference += (got[i] - want[i]) * (got[i] - want[i]);
    size += want[i] * want[i];
  }
  const double error = std::sqrt(difference / size);
  if (!(error < limit)) throw SampleFailed(what + ": relative error " + std::to_string(error));
}

}  // namespace clusterwright::probes
