// SPDX-License-Identifier: Apache-2.0
/// Times of kernels and collectives on each kind of nodes of a scenario.
#pragma once

#include <memory>
#include <vector>

#include "models/job/scenario.hpp"
#include "models/lowering/step_prices.hpp"

namespace clusterwright {

/// @pre the scenario outlives it
class KindPrices {
 public:
  /// @throws ConfigError as KernelTimes
  explicit KindPrices(const Scenario& scenario);

  int kinds() const { return static_cast<int>(kinds_.size()); }
  /// The job on a machine of one kind of nodes alone (uniform_scenario).
  const Scenario& scenario(int kind) const { return kinds_[static_cast<std::size_t>(kind)]->scenario; }
  const KernelTimes& kernels(int kind) const { return kinds_[static_cast<std::size_t>(kind)]->prices.kernels; }
  /// Rate between one accelerator of a kind and its host, one direction.
  BytesPerSecond host_link(int kind) const;
  const LinkTimings& links(int kind) const { return kinds_[static_cast<std::size_t>(kind)]->prices.links; }

 private:
  struct Kind {
    explicit Kind(const Scenario& s) : scenario(s), prices(s) {}
    explicit Kind(std::unique_ptr<Scenario> s) : own(std::move(s)), scenario(*own), prices(*own) {}
    std::unique_ptr<Scenario> own;  // of a kind beside others
    const Scenario& scenario;
    StepPrices prices;
  };
  std::vector<std::unique_ptr<Kind>> kinds_;
};

}  // namespace clusterwright
