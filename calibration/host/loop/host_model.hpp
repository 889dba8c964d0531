#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "calibration/host/loop/part_clock.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// A decoder small enough to be trained on this machine, fp32: token embedding (no positions); per layer RMSNorm,
/// causal attention, RMSNorm and a GELU MLP, both with a residual; RMSNorm; a head of its own weights. No biases.
struct HostModel {
  std::int64_t layers = 1;
  std::int64_t hidden = 1;
  std::int64_t heads = 1;  ///< must divide `hidden`
  std::int64_t ffn = 1;    ///< width inside the MLP
  std::int64_t vocabulary = 1;
  std::int64_t sequence = 1;   ///< tokens
  std::int64_t sequences = 1;  ///< in the batch of each process

  std::int64_t tokens() const { return sequence * sequences; }  ///< of each process
  std::int64_t head_size() const { return hidden / heads; }

  /// @throws std::invalid_argument if a size is below 1, or heads do not divide hidden
  void check() const;
};

enum class HostPass { forward, backward, update };

/// C(m, n) = A(m, k) B(k, n), one of them as it lies in memory or transposed.
struct HostGemm {
  std::int64_t m, n, k;
  std::int64_t count;  ///< in one step
  HostPass pass;
  StepPart part;  ///< where its time is counted

  /// Of all `count`: 2 m n k each.
  Flops flops() const;
};

struct HostKernel {
  std::string name;
  std::int64_t elements;  ///< computed in one call
  Bytes bytes;            ///< read and written in one call, roughly: nothing of it from caches
  std::int64_t count;     ///< in one step
  HostPass pass;
  StepPart part;
};

/// What one process does in one step.
struct HostStepWork {
  std::vector<HostGemm> gemms;      ///< scores of attention are computed in full, also where the mask hides them
  std::vector<HostKernel> kernels;  ///< all others, but the all-reduce
  std::int64_t parameters = 0;
  Bytes gradient_message;  ///< fp32, what goes into the all-reduce
  Flops flops;             ///< of `gemms`
};

/// @throws std::invalid_argument as HostModel::check
HostStepWork work_of(const HostModel& model);

}  // namespace clusterwright
