#include "sim/device_loads.hpp"

namespace clusterwright::engine {

void DeviceLoads::reset() {
  loads_.assign(step_.structure().ranks.size(), {});
  changed_.clear();
  ranks_short_of_memory_ = 0;
}

void DeviceLoads::clear_changed() {
  for (const RankClassId rank : changed_) loads_[rank].changed = loads_[rank].transfers_feel = false;
  changed_.clear();
}

}  // namespace clusterwright::engine
