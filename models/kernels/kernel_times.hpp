// SPDX-License-Identifier: Apache-2.0
/// Times of single kernels on the cluster's accelerator under the scenario's stack.
#pragma once

#include <optional>
#include <string>

#include "models/job/job.hpp"
#include "models/job/parameters.hpp"
#include "models/job/stack.hpp"
#include "models/job/step_calibration.hpp"
#include "models/kernels/attention_time.hpp"
#include "models/kernels/collectives/collective_time.hpp"
#include "models/kernels/gemm_time.hpp"
#include "models/kernels/kernel_power.hpp"
#include "sim/step_graph.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

struct Cluster;  // topology/cluster/cluster.hpp

/// Timing of a work, with a table of its slow-down if multiprocessors held by other kernels slow it.
struct KernelTiming {
  WorkTiming work;
  std::optional<SmTable> slow_down;
};

/// Number format of the matrix units for a precision.
NumberFormat matrix_format(Precision precision);

/// Fitted GEMM parameters of a precision; nullptr if the set has none.
const GemmParameters* gemm_parameters(const ParameterSet& parameters, Precision precision);

/// Bandwidth of PCI Express or a chip-to-chip link to the host, one direction.
BytesPerSecond host_link_bandwidth(const AcceleratorPart& part, const ParameterSet& parameters);
/// Likewise for the accelerators of a cluster, whose nodes may state a slower slot.
BytesPerSecond host_link_bandwidth(const Cluster& cluster, const ParameterSet& parameters);

class KernelTimes {
 public:
  /// @throws ConfigError E0314 if the parameters lack the number format or the attention kernels of the stack
  KernelTimes(const AcceleratorPart& part, const ParameterSet& parameters, const SoftwareStack& stack,
              const StepFactors& factors, Precision precision);

  /// GEMM. @param narrow  in the job's number format, otherwise in 16 bit
  /// @param output  storage of one result element (8 bytes where it is added to a 32-bit buffer)
  KernelTiming gemm(const GemmShape& shape, bool narrow, Bytes output) const;
  KernelTiming attention(const AttentionShape& shape) const;
  /// Kernel limited by device memory, with four tenths of its traffic writes; the sampled kernel if the parameters hold
  /// sampled ones.
  /// @param traffic  bytes read and written
  /// @param calls    calls one after the other; a device takes them all in one launch
  /// @throws ConfigError E0341 if kernels were sampled, but not this one
  KernelTiming elementwise(Bytes traffic, StreamedWork work = {}, std::int64_t calls = 1) const;
  /// Update of an optimizer: its traffic, then the clocks that it takes beside it.
  /// @param parameters  updated by this device
  KernelTiming update(Bytes traffic, double parameters) const;
  /// Kernel of routed experts, from its time in a dense layer.
  KernelTiming routed(KernelTiming price) const;
  /// Kernel of a collective; the chain of its transfer has the time.
  KernelTiming collective() const;
  /// Copy between device and host memory by the copy engine; the chain of its transfer has the time.
  KernelTiming host_copy() const;
  /// Kernel of a pipeline message; the chain of its transfer has the time.
  KernelTiming message() const;
  /// Op that stands for this many launches, whatever an op of the stack stands for.
  KernelTiming launched(KernelTiming price, double kernels) const;
  /// Kernel with the host time to issue it `times` times, `each` time if given; none if captured graphs hold it.
  KernelTiming issued(KernelTiming price, std::int64_t times, std::optional<Seconds> each) const;

  /// Whether activations are cast before GEMMs.
  bool narrow_format() const;
  Precision precision() const { return precision_; }
  /// Memory traffic of one activation element that is cast.
  double cast_bytes() const { return factors_.cast_bytes; }
  Watts idle_power() const;
  Watts rated_power() const { return part_.power.value; }
  /// Whether a governor lowers clocks until the mean power is within the limit. Parts whose data sheet names no boost
  /// clock and no multiprocessors run at one clock and are rated for their busiest kernel.
  bool has_governor() const;
  /// Limit that is set on the part, else its rating; for parts without one a limit that is never met.
  Watts power_limit() const;

 private:
  Picoseconds host_time(double kernels) const;
  KernelTiming sampled(Bytes traffic, StreamedWork work, std::int64_t calls) const;
  KernelTiming finish(Seconds time, double clock_share, Activity activity) const;
  Seconds with_overhead(Seconds time) const { return time * factors_.compute; }
  SmTable slow_down_of_gemm(const GemmShape& shape, Precision precision, Bytes output, Seconds alone) const;
  GemmDevice device(NumberFormat format, int reserved) const;
  const GemmParameters& gemm_fit(Precision precision) const;
  PowerRange power_range() const;
  Watts above_idle(const Activity& activity) const;
  const AcceleratorPart& part_;
  const ParameterSet& parameters_;
  const SoftwareStack& stack_;
  StepFactors factors_;
  const AttentionParameters* attention_ = nullptr;
  Precision precision_;
};

}  // namespace clusterwright
