// SPDX-License-Identifier: Apache-2.0
#include "models/job/unstated_degrees.hpp"

#include <fmt/format.h>

namespace clusterwright {

std::string unstated_degrees(const Scenario& scenario) {
  const JsonValue* job = scenario.source.at_pointer("/job");
  if (!job || scenario.cluster.spec.accelerators < 2) return {};
  const JsonValue* parallel = job->find("parallel");
  if (parallel && (parallel->find("tensor") || parallel->find("pipeline"))) return {};
  const JsonValue& nearest = parallel && parallel->source ? *parallel : *job;
  const std::string place =
      nearest.source ? fmt::format(" ({}:{})", nearest.source->name(), nearest.source->locate(nearest.offset).line)
                     : "";
  return fmt::format("job.parallel states no tensor and no pipeline{}: both are 1; \"auto\" searches for them", place);
}

}  // namespace clusterwright
