/// Tokens, days and accelerators of a training run: each from the other two.
#pragma once

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

}  // namespace clusterwright
