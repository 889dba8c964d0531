/// How many accelerators a layout puts to use where it does not divide them.
#pragma once

#include <string>
#include <vector>

#include "models/job/scenario.hpp"

namespace clusterwright {

/// Degrees of one replica, and how many replicas there is room for.
struct LayoutUse {
  int tensor = 1, pipeline = 1, context = 1;
  int accelerators = 0;  ///< there are
  int replicas = 0;      ///< that fill whole nodes together

  int replica() const { return tensor * pipeline * context; }
  int used() const { return replicas * replica(); }
  int idle() const { return accelerators - used(); }
};

/// @throws ConfigError E0362 if not even one replica fits, E0363 if the claim on the layout names other degrees than
/// the job
LayoutUse layout_use(const Scenario& scenario, const std::string& stated_layout);

/// Numbers of pipeline stages that leave nothing idle, with tensor and context groups as they are; the nearest to the
/// layout's first, of equally near ones the larger, which needs less memory.
std::vector<int> whole_pipelines(const LayoutUse& use, std::int64_t layers);

/// The scenario on the accelerators that its layout uses, with a batch that their replicas divide.
struct UsedScenario {
  Scenario scenario;
  std::vector<std::string> changes;  ///< "37 replicas on 1184 of 1200 accelerators"; empty: none
};
UsedScenario used_part(const Scenario& scenario, const LayoutUse& use);

}  // namespace clusterwright
