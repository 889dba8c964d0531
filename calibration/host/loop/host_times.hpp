// SPDX-License-Identifier: Apache-2.0
/// What the samples of a host say of the pieces of a training step.
#pragma once

#include <vector>

#include "calibration/fit/sample_section.hpp"
#include "models/job/parameters.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Messages over loopback: `start` each, then bytes at a rate. A core that sends and receives at once does both in
/// turn.
struct LoopbackTimes {
  Seconds start;
  BytesPerSecond rate;  ///< of one stream, sender and receiver on cores of their own
};

struct HostTimes {
  AcceleratorPart part;     ///< one core as if it were an accelerator
  ParameterSet parameters;  ///< fp32 multiplies of one thread, and the kernels between them as sampled
  LoopbackTimes loopback;
  std::vector<SampleResidual> multiplies;  ///< held out

  /// In log: nine in ten held-out multiplies that take at least `shortest` were within it.
  double multiply_band(Seconds shortest) const;
};

/// @param samples  of this host, any thread counts; those of one thread are used
/// @throws ConfigError E0341 if they lack multiplies or loopback messages of the step
HostTimes host_times(const ProbeSamples& samples);

}  // namespace clusterwright
