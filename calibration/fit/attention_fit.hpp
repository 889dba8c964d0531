/// Fits AttentionParameters to measured fused attention.
#pragma once

#include <string>
#include <vector>

#include "calibration/measurement.hpp"
#include "models/parameters.hpp"

namespace clusterwright {

/// One measured kernel: its rate as a share of the 16-bit peak, on executed FLOPs.
struct AttentionRow {
  double sequence = 0;
  bool narrow_head = false;  ///< width 64; otherwise 128
  double share_of_peak = 0;
};

/// Forward passes in 16 bit of one kernel family.
/// @param family  "flash-2", "cudnn"
std::vector<AttentionRow> attention_rows(const std::vector<Measurement>& measurements, const std::string& accelerator,
                                         const std::string& family);

/// Share of the 16-bit peak that the forward pass reaches.
double forward_share(const AttentionRow& row, const AttentionParameters& parameters);

/// Priors are assumed rates of the family on the architecture ("Ampere", "Hopper"; others as Hopper); a single
/// kernel measured by others, its mask unknown, moves them by what it is worth.
AttentionParameters fit_attention(const std::string& family, const std::string& architecture,
                                  const std::vector<AttentionRow>& rows);

/// Attention before fused kernels: scores are written to memory and read again. Priors only.
AttentionParameters unfused_attention();

/// In sample, and against the priors alone where the only row is left out.
FitReport attention_report(const std::string& family, const std::string& architecture,
                           const std::vector<AttentionRow>& rows, const AttentionParameters& fitted);

}  // namespace clusterwright
