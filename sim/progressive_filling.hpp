// SPDX-License-Identifier: Apache-2.0
/// Progressive filling: max-min fair rates from nothing, by the definition of sim/capacity_sharing.hpp.
///
/// It looks at every transfer in every round, which is best for a handful of transfers. It holds nothing from one fill
/// to the next, so tests take it as the oracle of the solvers that do.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/shared_transfer.hpp"

namespace clusterwright {

class ProgressiveFilling {
 public:
  struct Decided {
    std::uint32_t key = 0;  ///< index of the transfer
    std::uint64_t rate = 0;
  };

  /// Rates of all live transfers, each once, in the order in which they are frozen. Valid until the next call.
  /// @pre demands of the resources are those of the live transfers
  const std::vector<Decided>& fill(std::span<const SharedResource> resources,
                                   std::span<const SharedTransfer> transfers);

 private:
  struct Filling {
    UInt128 residual = 0;  // what frozen transfers left over
    UInt128 weight = 0;    // summed over unfrozen transfers
    bool listed = false;

    UInt128 level() const { return residual / weight; }
  };

  bool restrains(const SharedTransfer& transfer, const CapacityDemand& demand) const {
    return resources_[demand.resource].overdrawn() && transfer.per_rate(demand) > 0;
  }
  bool restrained(const SharedTransfer& transfer) const;
  void enter(std::uint32_t key);
  UInt128 lowest_level() const;
  bool is_held_at(const SharedTransfer& transfer, UInt128 level) const;
  void freeze(std::uint32_t key, std::uint64_t rate);
  template <class Selected>
  bool freeze_where(Selected selected, UInt128 level);

  std::span<const SharedResource> resources_;
  std::span<const SharedTransfer> transfers_;
  std::vector<Filling> filling_;       // by resource
  std::vector<std::uint32_t> listed_;  // overdrawn resources
  std::vector<std::uint32_t> unfrozen_;
  std::vector<std::uint32_t> frozen_now_;
  std::vector<Decided> decided_;
};

}  // namespace clusterwright
