// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/scaling_shape.hpp"

#include <algorithm>
#include <map>
#include <string>

#include "calibration/validation/published_job.hpp"

namespace clusterwright {

namespace {

/// Fields that two sizes of one job share.
std::string scaled_job(const Measurement& m) {
  const MeasuredStep& step = *m.step;
  return JobKey().model(step.model).software(step.job).layout(step.job).machine(m.hardware).text();
}

struct SizedRow {
  const Measurement* measurement;
  const CaseResult* result;
};

void add_pair(const SizedRow& small, const SizedRow& large, RatioErrors& strong, RatioErrors& weak) {
  const MeasuredHardware &from = small.measurement->hardware, &to = large.measurement->hardware;
  if (from.accelerators >= to.accelerators || to.accelerators <= to.accelerators_per_node) return;
  const std::int64_t batch = *small.measurement->step->job.global_batch;
  const std::int64_t larger_batch = *large.measurement->step->job.global_batch;
  const double weight = std::min(small.result->weight, large.result->weight);
  if (batch == larger_batch) strong.add(*small.result, *large.result, weight);
  if (batch * to.accelerators == larger_batch * from.accelerators) weak.add(*small.result, *large.result, weight);
}

}  // namespace

ScalingShape scaling_shape(const std::vector<Measurement>& measurements, const std::vector<CaseResult>& results) {
  std::map<std::string, std::vector<SizedRow>> jobs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Measurement& m = measurements[i];
    if (results[i].scored && results[i].step && is_valid(results[i]) && m.step && m.step->job.global_batch)
      jobs[scaled_job(m)].push_back({&m, &results[i]});
  }
  RatioErrors strong, weak;
  for (const auto& [key, rows] : jobs)
    for (const SizedRow& small : rows)
      for (const SizedRow& large : rows) add_pair(small, large, strong, weak);
  return {strong.figures(), weak.figures()};
}

}  // namespace clusterwright
