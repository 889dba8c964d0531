/// What is known of an accelerator that nobody measured, asked of one that somebody did.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measured_scenario.hpp"

namespace clusterwright {

struct UnmeasuredPart {
  ParameterSet parameters;
  std::string origin;  ///< "as H200", or "transferred"
};

/// The parameters that the accelerator would have without its own measurements: refitted without them, those of the
/// measured part of its architecture that is nearest, else those transferred from all generations.
/// @param microbenchmarks  of all accelerators
UnmeasuredPart as_if_unmeasured(const AcceleratorPart& part, const std::vector<Measurement>& microbenchmarks,
                                const ScenarioShelf& shelf);

/// The same of all parts of an architecture at once: nothing but other generations is left.
ParameterSet without_architecture(const std::string& architecture, const std::vector<Measurement>& microbenchmarks,
                                  const Catalog& catalog);

}  // namespace clusterwright
