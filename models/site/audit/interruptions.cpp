#include "models/site/audit/interruptions.hpp"

#include <cmath>

namespace clusterwright {

Seconds mean_time_to_interrupt(double failures_per_1000_node_days, int nodes) {
  return 1000 * day / (failures_per_1000_node_days * nodes);
}

Seconds checkpoint_interval(Seconds write, Seconds mean_time) {
  if (write >= 2 * mean_time) return mean_time;
  const double ratio = write / (2 * mean_time);
  const double young = std::sqrt(2 * (write / mean_time));
  return mean_time * (young * (1 + std::sqrt(ratio) / 3 + ratio / 9)) - write;
}

CheckpointWaste checkpoint_waste(Seconds write, Seconds interval, Seconds restart, Seconds mean_time) {
  return {write / interval, interval / (2 * mean_time), restart / mean_time};
}

}  // namespace clusterwright
