// SPDX-License-Identifier: Apache-2.0
#include "sim/device_loads.hpp"

namespace clusterwright::engine {

void DeviceLoads::reset() {
  loads_.assign(step_.structure().ranks.size(), {});
  changed_.clear();
  ranks_short_of_memory_ = 0;
}

}  // namespace clusterwright::engine
