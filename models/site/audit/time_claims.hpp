/// Tokens, days and accelerators of a training run: each from the other two.
#pragma once

#include "models/site/audit/audit_case.hpp"
#include "models/site/audit/claim_finding.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// A run at a steady pace.
struct TrainingPace {
  Flops per_token;      ///< of the model
  FlopsPerSecond peak;  ///< of one accelerator, dense
  double mfu = 0;       ///< share of it that model FLOPs make up
};

/// Accelerators times peak times MFU over FLOPs of a token.
double tokens_per_second(const TrainingPace& pace, double accelerators);

Seconds training_time(const TrainingPace& pace, double tokens, double accelerators);
double tokens_trained(const TrainingPace& pace, Seconds time, double accelerators);
double accelerators_needed(const TrainingPace& pace, double tokens, Seconds time);

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

ClaimFinding check_training_days(const AuditCase& c);
ClaimFinding check_communication_share(const AuditCase& c);
ClaimFinding check_utilisation(const AuditCase& c);
ClaimFinding check_failures(const AuditCase& c);

}  // namespace clusterwright
