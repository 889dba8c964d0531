/// What single kernels cost on the cluster's accelerator under the scenario's stack.
#pragma once

#include <optional>
#include <string>

#include "models/collectives/collective_cost.hpp"
#include "models/gemm_time.hpp"
#include "models/job.hpp"
#include "models/parameters.hpp"
#include "models/stack.hpp"
#include "sim/step_graph.hpp"
#include "topology/parts.hpp"

namespace clusterwright {

/// A work price with the table of its slow-down, if multiprocessors that others hold matter to it.
struct KernelPrice {
  WorkPrice work;
  std::optional<SmTable> slow_down;
};

/// Forward or backward pass of causal self-attention on one rank.
struct AttentionShape {
  double sequences = 1;  ///< of the micro-batch
  double sequence = 0;   ///< tokens
  double heads = 0;      ///< query heads of this rank
  double head_width = 0;
  bool forward = true;
};

class DeviceCosts {
 public:
  /// @throws ConfigError E0314 if the parameters lack the number format or the attention kernels of the stack
  DeviceCosts(const AcceleratorPart& part, const ParameterSet& parameters, const SoftwareStack& stack,
              Precision precision);

  /// A matrix multiply; `narrow` uses the job's number format, otherwise 16 bit.
  /// @param output  storage of one result element (8 bytes where it is added to a 32-bit buffer)
  KernelPrice gemm(const GemmShape& shape, bool narrow, Bytes output) const;
  KernelPrice attention(const AttentionShape& shape) const;
  /// A kernel limited by device memory. @param traffic  bytes read and written
  KernelPrice elementwise(Bytes traffic) const;
  /// The kernel of a collective or of a message; its transfer is priced by its chain.
  KernelPrice collective() const;
  KernelPrice message() const;

  bool narrow_format() const { return format_ == NumberFormat::fp8; }
  Watts idle_power() const;
  Watts rated_power() const { return part_.power.value; }

 private:
  KernelPrice finish(Seconds time, double clock_share, Activity activity) const;
  Seconds taxed(Seconds time) const { return time * parameters_.step.kernel_tax.value; }
  SmTable slow_down_of_gemm(const GemmShape& shape, const GemmParameters& fit, NumberFormat format, Bytes output,
                            Seconds alone) const;
  GemmDevice device(NumberFormat format, int reserved) const;
  const GemmParameters& gemm_fit(NumberFormat format) const;
  Watts above_idle(const Activity& activity) const;
  Bytes element(NumberFormat format) const { return size_of(format); }

  const AcceleratorPart& part_;
  const ParameterSet& parameters_;
  const SoftwareStack& stack_;
  const AttentionParameters* attention_ = nullptr;
  NumberFormat format_;
};

}  // namespace clusterwright
