// SPDX-License-Identifier: Apache-2.0
/// Measured attention, ready to be predicted.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "models/kernels/attention_time.hpp"

namespace clusterwright {

/// One pass of an attention kernel.
struct AttentionRow {
  AttentionShape shape;
  AttentionDevice device;
  Seconds time;
};

/// Device as fits see it, before the bandwidth of its kernels is known: 0.88 of the data sheet.
AttentionDevice fitted_attention_device(const AcceleratorPart& part);

/// Family of a measured kernel ("flash-attention-2" is of "flash-2"); empty if none describes it.
std::string attention_family(const std::string& kernel);

/// Published kernel, with the 16-bit peak of its own data sheet. Where a benchmark states no heads, its heads fill a
/// hidden size of 2,048; where it states no mask, it has none.
AttentionRow attention_row(const Measurement& measurement, const AcceleratorPart& part);

/// Published passes in bf16 of one kernel family ("flash-2", "cudnn"), of heads 64 or 128 wide.
std::vector<AttentionRow> attention_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                                         const std::string& family);

}  // namespace clusterwright
