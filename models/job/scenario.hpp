/// Everything a prediction needs, checked.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "models/job/job.hpp"
#include "models/job/parameters.hpp"
#include "models/prediction/prediction.hpp"
#include "models/job/stack.hpp"
#include "models/job/step_calibration.hpp"
#include "models/job/transformer.hpp"
#include "sim/json_value.hpp"
#include "topology/cluster.hpp"

namespace clusterwright {

/// A file that the result depends on.
struct InputFile {
  std::string path;
  std::string sha256;
};

struct Scenario {
  Cluster cluster;
  Transformer transformer;
  Job job;
  SoftwareStack stack;
  ParameterSet parameters;
  StepCalibration steps;
  JsonValue source;  ///< with references resolved and settings applied; keeps places for errors
  std::vector<InputFile> inputs;
};

/// One step on the scenario's cluster.
/// @throws ConfigError if the plan contradicts itself (heads not divisible, counts that do not multiply)
StepPrediction predict_step(const Scenario& scenario);

/// The efficiency curve. Sizes that are impossible stay in the curve with their reason.
/// @param strong  the global batch stays; otherwise the batch per replica of the scenario's own size
/// @param done    called after each point with the number of finished points, from any thread, one call at a time; may
/// be
///                empty
ScaleCurve predict_scale(const Scenario& scenario, const std::vector<int>& accelerators, bool strong,
                         const std::function<void(std::size_t)>& done);

}  // namespace clusterwright
