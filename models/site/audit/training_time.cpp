#include "models/site/audit/training_time.hpp"

namespace clusterwright {

double tokens_per_second(const TrainingPace& pace, double accelerators) {
  return accelerators * pace.mfu * (pace.peak * second / pace.per_token);
}

Seconds training_time(const TrainingPace& pace, double tokens, double accelerators) {
  return tokens / tokens_per_second(pace, accelerators) * second;
}

double tokens_trained(const TrainingPace& pace, Seconds time, double accelerators) {
  return tokens_per_second(pace, accelerators) * time.in(second);
}

double accelerators_needed(const TrainingPace& pace, double tokens, Seconds time) {
  return tokens / (tokens_per_second(pace, 1) * time.in(second));
}

}  // namespace clusterwright
