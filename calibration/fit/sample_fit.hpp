// SPDX-License-Identifier: Apache-2.0
/// Fits own samples to a parameter set, and checks a set against samples or published rows.
#pragma once

#include <string>
#include <vector>

#include "calibration/fit/power_fit.hpp"
#include "calibration/fit/sample_section.hpp"
#include "calibration/fit/thermal_fit.hpp"
#include "calibration/measured/measurement.hpp"

namespace clusterwright {

/// Samples of one accelerator with its data sheet.
struct CardSamples {
  const AcceleratorPart* part = nullptr;
  std::vector<ProbeSamples> documents;
};

struct SampleFitOptions {
  std::string name;    ///< name of the new set
  std::string source;  ///< origin of its numbers: "own samples of H200, gpu_probe, 2026-11-21"
  SampledLinks links;  ///< links that collectives ran over
  /// Other accelerators with the same die, whose multiplies and attention are fitted together with its own.
  std::vector<CardSamples> beside = {};
};

struct SampleFit {
  ParameterSet parameters;
  std::vector<SectionFit> sections;  ///< sections with samples, fitted or not

  bool any(SectionState state) const;
};

/// Parameter set that starts from `base`, whose values are the priors. Sections with enough samples are fitted; a
/// section with too few, or one that misses its limit on held-out samples, stays as it is in `base`.
/// @param all  samples of one accelerator
/// @param part  its data sheet, to which shares refer
SampleFit fit_samples(const std::vector<ProbeSamples>& all, const AcceleratorPart& part, const ParameterSet& base,
                      const SampleFitOptions& options);

/// Same sections, with `set` as it stands: how well it predicts the samples. Nothing is fitted.
std::vector<SectionFit> check_samples(const std::vector<ProbeSamples>& all, const AcceleratorPart& part,
                                      const ParameterSet& set, const SampledLinks& links);

/// GEMMs, streams and collectives published for the set's own accelerator. Nothing is fitted; sections without rows are
/// absent. Beside own samples of the same part, this tells a wrong probe from a wrong model.
std::vector<SectionFit> check_published(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                                        const ParameterSet& set);

}  // namespace clusterwright
