// SPDX-License-Identifier: Apache-2.0
/// Case to measure: built when its turn comes, run many times, checked, and dropped.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>

#include "calibration/sample_files/probe_what.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Reason why a case cannot be measured here; becomes a skipped entry. Names no path and no user of the machine.
class ProbeFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class ProbeCase {
 public:
  ProbeCase() = default;
  ProbeCase(const ProbeCase&) = delete;
  ProbeCase& operator=(const ProbeCase&) = delete;
  virtual ~ProbeCase() = default;

  /// Called before each repetition, not timed.
  virtual void prepare() {}
  /// Timed call.
  virtual void run() = 0;
  /// Checks the results after the last repetition. @throws ProbeFailure if they are wrong
  virtual void check() {}
};

struct PlannedCase {
  ProbeWhat what;
  Flops flops;
  Bytes bytes;
  bool repeats_in_place = true;  ///< short calls may run many times between two readings of the clock
  double time_share = 1;         ///< share of a call's time that counts: half of a round trip
  /// @throws ProbeFailure, std::bad_alloc
  std::function<std::unique_ptr<ProbeCase>()> build;
};

}  // namespace clusterwright
