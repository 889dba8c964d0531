// SPDX-License-Identifier: Apache-2.0
/// Parameters of a measured accelerator as if it had never been measured.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measured_scenario.hpp"

namespace clusterwright {

struct UnmeasuredPart {
  ParameterSet parameters;
  std::string origin;  ///< "as H200", or "generic"
};

/// Parameters that the accelerator would have without its own measurements: refitted without them, those of the nearest
/// measured part of its architecture, else the generic ones.
/// @param microbenchmarks  measurements of all accelerators
UnmeasuredPart as_if_unmeasured(const AcceleratorPart& part, const std::vector<Measurement>& microbenchmarks,
                                const ScenarioShelf& shelf);

/// Parameters of an architecture as if no part of it had been measured: only other generations remain.
ParameterSet without_architecture(const std::string& architecture, const std::vector<Measurement>& microbenchmarks,
                                  const Catalog& catalog);

}  // namespace clusterwright
