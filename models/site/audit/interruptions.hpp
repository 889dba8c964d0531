/// What failures cost a job that writes checkpoints.
#pragma once

#include "sim/quantity.hpp"

namespace clusterwright {

/// Mean time between failures of `nodes` nodes of which each fails so many times in 1000 days.
Seconds mean_time_to_interrupt(double failures_per_1000_node_days, int nodes);

/// The interval between checkpoints that loses least: Daly's series for a write that takes less than twice the mean
/// time to interrupt, that time itself beyond.
/// @source Daly 2006, "A higher order estimate of the optimum checkpoint interval for restart dumps"; the first term is
/// Young 1974
Seconds checkpoint_interval(Seconds write, Seconds mean_time);

/// Shares of the time, to first order.
struct CheckpointWaste {
  double writing = 0;    ///< write / interval
  double lost_work = 0;  ///< half an interval in each mean time
  double restarts = 0;
  double total() const { return writing + lost_work + restarts; }
};
CheckpointWaste checkpoint_waste(Seconds write, Seconds interval, Seconds restart, Seconds mean_time);

}  // namespace clusterwright
