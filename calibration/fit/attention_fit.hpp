// SPDX-License-Identifier: Apache-2.0
/// Fits AttentionParameters to measured fused attention.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "calibration/fit/attention_rows.hpp"
#include "models/job/parameters.hpp"

namespace clusterwright {

/// Logarithm of predicted over measured time.
double attention_log_error(const AttentionRow& row, const AttentionParameters& parameters);

/// Fit of one family. Priors are assumed rates on the architecture ("Ampere", "Hopper", "Blackwell"; empty or another:
/// wide ones between them). A few published kernels move them by what they are worth.
AttentionParameters fit_attention(const std::string& family, const std::string& architecture,
                                  const std::vector<AttentionRow>& rows);

/// Both passes of one kernel, from samples of it.
/// @param prior  parameters of its family; null: nothing is assumed of its speed
AttentionParameters fit_attention_samples(const std::vector<AttentionRow>& rows, const std::string& source,
                                          const AttentionParameters* prior = nullptr);

/// All families, given the two that may have been measured: "flash-2", "cudnn", "cudnn-2024" (as releases up to 2024
/// have it), "flash-triton" (flash with position biases in Triton), "xla" (fused attention of XLA) and "unfused"
/// (scores are written to memory and read again).
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
