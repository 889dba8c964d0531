// SPDX-License-Identifier: Apache-2.0
/// What single kernels cost on the cluster's accelerator under the scenario's stack.
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
#include "sim/step_graph.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// A work price with the table of its slow-down, if multiprocessors that others hold matter to it.
struct KernelTiming {
  WorkTiming work;
  std::optional<SmTable> slow_down;
};

/// Format whose peak and storage the matrix units see.
NumberFormat matrix_format(Precision precision);

/// Of PCI Express or a chip-to-chip link, one direction.
BytesPerSecond host_link_bandwidth(const AcceleratorPart& part, const ParameterSet& parameters);

class KernelTimes {
 public:
  /// @throws ConfigError E0314 if the parameters lack the number format or the attention kernels of the stack
  KernelTimes(const AcceleratorPart& part, const ParameterSet& parameters, const SoftwareStack& stack,
              const StepFactors& factors, Precision precision);

  /// A matrix multiply; `narrow` uses the job's number format, otherwise 16 bit.
  /// @param output  storage of one result element (8 bytes where it is added to a 32-bit buffer)
  KernelTiming gemm(const GemmShape& shape, bool narrow, Bytes output) const;
  KernelTiming attention(const AttentionShape& shape) const;
  /// A kernel limited by device memory, four tenths of its traffic writes; where the parameters hold kernels as
  /// sampled, the sampled one.
  /// @param traffic  bytes read and written
  /// @param calls    of one after the other; a device takes them all in one launch
  /// @throws ConfigError E0341 if kernels were sampled, but not this one
  KernelTiming elementwise(Bytes traffic, StreamedWork work = {}, std::int64_t calls = 1) const;
  /// The kernel of a collective or of a message; its transfer is priced by its chain.
  KernelTiming collective() const;
  /// A copy between device and host memory by the copy engine; its transfer is priced by its chain.
  KernelTiming host_copy() const;
  BytesPerSecond host_bandwidth() const { return host_link_bandwidth(part_, parameters_); }
  KernelTiming message() const;
  /// The same kernel issued by the host `times` over, `each` time of its own if given; free where graphs hold it.
  KernelTiming issued(KernelTiming price, std::int64_t times, std::optional<Seconds> each) const;

  /// Activations are cast before they are multiplied.
  bool narrow_format() const;
  Precision precision() const { return precision_; }
  /// Memory traffic of one activation element that is cast.
  double cast_bytes() const { return factors_.cast_bytes; }
  Watts idle_power() const;
  Watts rated_power() const { return part_.power.value; }
  /// What the clock governor holds the board to. Parts whose data sheet names no boost clock and no multiprocessors run
  /// at one clock whatever they draw: a limit that is never met. So do parts without a rating.
  Watts governed_power() const;

 private:
  Picoseconds host_time(double kernels) const;
  KernelTiming sampled(Bytes traffic, StreamedWork work, std::int64_t calls) const;
  KernelTiming finish(Seconds time, double clock_share, Activity activity) const;
  Seconds with_overhead(Seconds time) const { return time * factors_.compute; }
  SmTable slow_down_of_gemm(const GemmShape& shape, Precision precision, Bytes output, Seconds alone) const;
  GemmDevice device(NumberFormat format, int reserved) const;
  const GemmParameters& gemm_fit(Precision precision) const;
  Watts power_range() const;
  Watts above_idle(const Activity& activity) const;
  const AcceleratorPart& part_;
  const ParameterSet& parameters_;
  const SoftwareStack& stack_;
  StepFactors factors_;
  const AttentionParameters* attention_ = nullptr;
  Precision precision_;
};

}  // namespace clusterwright
