/// What the samples of a host say of the pieces of a training step.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "calibration/fit/sample_section.hpp"
#include "calibration/host/loop/host_model.hpp"
#include "models/kernels/gemm_time.hpp"

namespace clusterwright {

/// Messages over loopback: `start` each, then bytes at a rate. A core that sends and receives at once does both in
/// turn.
struct LoopbackTimes {
  Seconds start;
  BytesPerSecond rate;  ///< of one stream, sender and receiver on cores of their own
};

/// Time over bytes of one kernel, as sampled, in the order of bytes.
struct KernelCurve {
  std::vector<std::pair<Bytes, Seconds>> points;

  /// On the line between the neighbours in log(bytes), log(time); beyond the ends in proportion to the bytes.
  Seconds time(Bytes bytes) const;
};

struct HostTimes {
  GemmDevice device;
  GemmParameters gemm;                                                 ///< fp32, one thread
  std::map<std::pair<std::string, std::string>, KernelCurve> kernels;  ///< by name and pass
  LoopbackTimes loopback;
  std::vector<SampleResidual> multiplies;  ///< held back

  /// In log: nine in ten held-back multiplies that take at least `shortest` were within it.
  double multiply_band(Seconds shortest) const;
  Seconds time(const HostGemm& gemm) const;      ///< of one
  Seconds time(const HostKernel& kernel) const;  ///< of one call
};

/// @param samples  of this host, any thread counts; those of one thread are used
/// @throws ConfigError E0341 if they lack multiplies, kernels or loopback messages of the step
HostTimes host_times(const ProbeSamples& samples);

}  // namespace clusterwright
