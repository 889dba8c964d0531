// SPDX-License-Identifier: Apache-2.0
/// Claims about the time of training, and the formulas behind them: failures, checkpoints.
#pragma once

#include "models/site/audit/audit_case.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Mean time between failures of `nodes` nodes, from failures per 1000 days of one node.
Seconds mean_time_to_interrupt(double failures_per_1000_node_days, int nodes);

/// Interval between checkpoints that loses least: Daly's series for a write shorter than twice the mean time to
/// interrupt, else that mean time.
/// @source Daly 2006, "A higher order estimate of the optimum checkpoint interval for restart dumps"; the first term is
/// Young 1974
Seconds checkpoint_interval(Seconds write, Seconds mean_time);

/// Shares of time lost to checkpoints and failures, to first order.
struct CheckpointWaste {
  double writing = 0;    ///< write / interval
  double lost_work = 0;  ///< interval / (2 mean time)
  double restarts = 0;   ///< restart / mean time
  double total() const { return writing + lost_work + restarts; }
};
CheckpointWaste checkpoint_waste(Seconds write, Seconds interval, Seconds restart, Seconds mean_time);

ClaimFinding check_training_days(const AuditCase& audit, const JobCase& job);
ClaimFinding check_communication_share(const AuditCase& audit, const JobCase& job);
ClaimFinding check_utilisation(const AuditCase& audit, const JobCase& job);
ClaimFinding check_failures(const AuditCase& audit);

}  // namespace clusterwright
