// SPDX-License-Identifier: Apache-2.0
/// Fits AttentionParameters to measured fused attention.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/fit/sample_rows.hpp"
#include "calibration/measured/measurement.hpp"
#include "models/job/parameters.hpp"

namespace clusterwright {

/// One measured kernel: rate as a share of the 16-bit peak, on executed FLOPs.
struct AttentionRow {
  double sequence = 0;
  bool narrow_head = false;  ///< width 64; otherwise 128
  double share_of_peak = 0;
};

/// Family of a measured kernel ("flash-attention-2" is of "flash-2"); empty if none describes it.
std::string attention_family(const std::string& kernel);

/// Forward passes in 16 bit of one kernel family.
/// @param family  "flash-2", "cudnn"
std::vector<AttentionRow> attention_rows(const std::vector<Measurement>& measurements, const std::string& accelerator,
                                         const std::string& family);

/// Share of the 16-bit peak that the forward pass reaches.
double forward_share(const AttentionRow& row, const AttentionParameters& parameters);

/// Fit of one family. Priors are assumed rates on the architecture ("Ampere", "Hopper", "Blackwell"; empty or another:
/// wide ones between them). A single published kernel whose mask is unknown moves them by what it is worth.
AttentionParameters fit_attention(const std::string& family, const std::string& architecture,
                                  const std::vector<AttentionRow>& rows);

/// Both passes of one kernel, from samples of it.
/// @param prior  parameters of its family; null: nothing is assumed of its speed
AttentionParameters fit_attention_samples(const std::vector<AttentionSampleRow>& rows, const std::string& source,
                                          const AttentionParameters* prior = nullptr);

/// Logarithm of predicted over sampled time.
double log_error(const AttentionSampleRow& row, const AttentionParameters& parameters);

/// All families, given the two that may have been measured: "flash-2", "cudnn", "flash-triton" (flash with position
/// biases in Triton), "xla" (fused attention of XLA) and "unfused" (scores are written to memory and read again).
/// @param architecture  empty for accelerators that nobody measured
std::map<std::string, AttentionParameters> attention_families(const AttentionParameters& flash,
                                                              const AttentionParameters& cudnn,
                                                              const std::string& architecture);

/// Errors in sample and held out; the priors alone predict a row that is the only one.
FitReport attention_report(const std::string& family, const std::string& architecture,
                           const std::vector<AttentionRow>& rows, const AttentionParameters& fitted);

/// Errors of the prior between measured generations on each of them.
FitReport attention_generic_report(const std::string& family, const std::vector<AttentionRow>& rows,
                                   const AttentionParameters& prior);

}  // namespace clusterwright
