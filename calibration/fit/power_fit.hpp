// SPDX-License-Identifier: Apache-2.0
/// Fits the watts of one accelerator to loads that were held while its driver reported clock and power.
#pragma once

#include <string>
#include <vector>

#include "calibration/fit/sample_section.hpp"

namespace clusterwright {

/// A held load as the power model sees it.
struct PowerRow {
  enum class Load { idle, waiting, working };
  enum class Contents { random, sparse, zeros };  ///< of operands: bits that do not toggle draw less

  Load load = Load::working;
  Contents contents = Contents::random;
  double duty = 1;          ///< share of the time with a kernel at work; the rest waits
  bool alternates = false;  ///< two loads in turn
  double tensor = 0;        ///< activities at the reference clock
  double memory = 0;
  double clock = 1;        ///< over the reference clock
  double clock_share = 0;  ///< of time and power that follows the clock
  Watts power;             ///< mean
};

/// Loads with a mean power; working ones only where the clock was reported too. Activities as the step model counts
/// them: shares of the fitted rates of `gemm` and memory.
std::vector<SampleRow<PowerRow>> power_samples(const std::vector<ProbeSamples>& all, const AcceleratorPart& part,
                                               const ParameterSet& fitted);

/// Mean power of a row. Idle is that of `parameters`, or the part's.
/// @param sparse, zeros  what such operands draw over random ones
Watts predicted_power(const PowerRow& row, const AcceleratorPart& part, const DevicePowerParameters& parameters,
                      double sparse, double zeros);

/// Weights, waiting, idle and the exponent of power in the clock. Pure loads tell them; mixed ones are held back in
/// turn and judge the fit. A clock is no wish here: operands that toggle less lift it at equal work, so the curve of
/// power over clock shows without any limit being touched.
/// @param out  changed only where the fit is good; null: the set's own numbers are judged, nothing is fitted
SectionFit fit_power(const std::vector<ProbeSamples>& all, const AcceleratorPart& part, const ParameterSet& fitted,
                     const std::string& source, DevicePowerParameters* out);

}  // namespace clusterwright
