// SPDX-License-Identifier: Apache-2.0
#include "sim/progressive_filling.hpp"

#include <algorithm>

namespace clusterwright {

bool ProgressiveFilling::restrained(const SharedTransfer& transfer) const {
  for (const CapacityDemand& demand : transfer.demands)
    if (restrains(transfer, demand)) return true;
  return false;
}

void ProgressiveFilling::enter(std::uint32_t key) {
  const SharedTransfer& transfer = transfers_[key];
  unfrozen_.push_back(key);
  for (const CapacityDemand& demand : transfer.demands) {
    if (!restrains(transfer, demand)) continue;
    Filling& filling = filling_[demand.resource];
    if (!filling.listed) {
      filling = {.residual = resources_[demand.resource].capacity, .weight = 0, .listed = true};
      listed_.push_back(demand.resource);
    }
    filling.weight += UInt128{transfer.per_rate(demand)} * transfer.weight;
  }
}

UInt128 ProgressiveFilling::lowest_level() const {
  UInt128 lowest = ~UInt128{0};
  for (const std::uint32_t index : listed_)
    if (filling_[index].weight > 0) lowest = std::min(lowest, filling_[index].level());
  return lowest;
}

bool ProgressiveFilling::is_held_at(const SharedTransfer& transfer, UInt128 level) const {
  for (const CapacityDemand& demand : transfer.demands)
    if (restrains(transfer, demand) && filling_[demand.resource].level() == level) return true;
  return false;
}

void ProgressiveFilling::freeze(std::uint32_t key, std::uint64_t rate) {
  const SharedTransfer& transfer = transfers_[key];
  for (const CapacityDemand& demand : transfer.demands) {
    if (!restrains(transfer, demand)) continue;
    Filling& filling = filling_[demand.resource];
    filling.weight -= UInt128{transfer.per_rate(demand)} * transfer.weight;
    filling.residual -= UInt128{transfer.per_rate(demand)} * rate;
  }
  decided_.push_back({key, std::max<std::uint64_t>(rate, 1)});
}

/// Freezes at `level`, or at the bound if that is lower. Selects against the state before any of them froze, so that
/// their order cannot matter.
template <class Selected>
bool ProgressiveFilling::freeze_where(Selected selected, UInt128 level) {
  frozen_now_.clear();
  std::erase_if(unfrozen_, [&](std::uint32_t key) {
    const bool leaves = selected(transfers_[key]);
    if (leaves) frozen_now_.push_back(key);
    return leaves;
  });
  for (const std::uint32_t key : frozen_now_) {
    const UInt128 share = level * transfers_[key].weight;
    freeze(key, static_cast<std::uint64_t>(std::min<UInt128>(share, transfers_[key].bound)));
  }
  return !frozen_now_.empty();
}

const std::vector<ProgressiveFilling::Decided>& ProgressiveFilling::fill(std::span<const SharedResource> resources,
                                                                         std::span<const SharedTransfer> transfers) {
  resources_ = resources;
  transfers_ = transfers;
  if (filling_.size() < resources.size()) filling_.resize(resources.size());
  decided_.clear();
  for (std::uint32_t key = 0; key < transfers.size(); ++key) {
    if (!transfers[key].live) continue;
    if (restrained(transfers[key]))
      enter(key);
    else
      decided_.push_back({key, transfers[key].bound});
  }
  while (!unfrozen_.empty()) {
    const UInt128 level = lowest_level();
    const auto bounded = [&](const SharedTransfer& transfer) { return transfer.bound <= level * transfer.weight; };
    const auto held = [&](const SharedTransfer& transfer) { return is_held_at(transfer, level); };
    if (!freeze_where(bounded, level)) freeze_where(held, level);
  }
  for (const std::uint32_t index : listed_) filling_[index].listed = false;
  listed_.clear();
  return decided_;
}

}  // namespace clusterwright
