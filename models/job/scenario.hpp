// SPDX-License-Identifier: Apache-2.0
/// Checked input of a prediction: cluster, transformer, job, stack and parameters.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/job/job.hpp"
#include "models/job/parameters.hpp"
#include "models/job/price_list.hpp"
#include "models/job/scenario_source.hpp"
#include "models/job/stack.hpp"
#include "models/job/step_calibration.hpp"
#include "models/job/transformer.hpp"
#include "sim/json_value.hpp"
#include "topology/cluster/cluster.hpp"

namespace clusterwright {

struct Catalog;  // topology/parts/catalog.hpp

/// Part of the catalog that an own accelerator is like.
struct LikeParent {
  double distance = 0;      ///< see data_sheet_distance
  std::string differences;  ///< "power_w 411 (700)"
};

/// What is fitted or known of the accelerator of a kind of nodes.
struct KindParameters {
  ParameterSet parameters;
  std::optional<LikeParent> like;  ///< present if the accelerator names a parent
};

struct Scenario {
  Scenario();
  Scenario(const Scenario&);
  Scenario(Scenario&&) noexcept;
  Scenario& operator=(const Scenario&);
  Scenario& operator=(Scenario&&) noexcept;
  ~Scenario();

  Cluster cluster;
  Transformer transformer;
  Job job;
  SoftwareStack stack;
  bool stack_changed = false;  ///< its content is that of no shipped stack that its entry of the calibration describes
  ParameterSet parameters;     ///< of the first kind of nodes
  std::optional<LikeParent> like;       ///< present if the accelerator names a parent
  std::vector<KindParameters> by_kind;  ///< of the further kinds, in their order; empty where all nodes are alike
  StepCalibration steps;
  std::optional<PriceList> prices;         ///< checked; absent: the scenario names none
  std::shared_ptr<const Catalog> catalog;  ///< that its parts were looked up in; nullptr in one made by hand
  bool ran = false;                        ///< a published job: its plan fits wherever the error of memory allows it
  JsonValue source;                        ///< document after references and settings; keeps places for errors
  std::vector<InputFile> inputs;
};

}  // namespace clusterwright
