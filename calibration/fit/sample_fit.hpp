#pragma once

#include <string>
#include <vector>

#include "calibration/fit/power_fit.hpp"
#include "calibration/fit/sample_section.hpp"
#include "calibration/fit/thermal_fit.hpp"
#include "calibration/measured/measurement.hpp"

namespace clusterwright {

struct SampleFitOptions {
  std::string name;    ///< of the new set
  std::string source;  ///< where its numbers come from: "own samples of H200, gpu_probe, 2026-11-21"
  SampledLinks links;  ///< of collectives
};

struct SampleFit {
  ParameterSet parameters;
  std::vector<SectionFit> sections;  ///< those that the samples speak of, fitted or not

  bool any(SectionState state) const;
};

/// Starts from `base`, whose values are the beliefs before the first sample; a section with too few samples, or one
/// whose held-back samples miss its limit, stays as it is there.
/// @param all   of one accelerator
/// @param part  its data sheet, that shares refer to
SampleFit fit_samples(const std::vector<ProbeSamples>& all, const AcceleratorPart& part, const ParameterSet& base,
                      const SampleFitOptions& options);

/// The same sections with `set` as it stands: how well it predicts samples, nothing fitted.
std::vector<SectionFit> check_samples(const std::vector<ProbeSamples>& all, const AcceleratorPart& part,
                                      const ParameterSet& set, const SampledLinks& links);

/// Multiplies, streams and collectives of the set's own accelerator, nothing fitted; sections without rows are left
/// out.
std::vector<SectionFit> check_published(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                                        const ParameterSet& set);

}  // namespace clusterwright
