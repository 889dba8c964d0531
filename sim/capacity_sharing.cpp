// SPDX-License-Identifier: Apache-2.0
#include "sim/capacity_sharing.hpp"

#include <algorithm>

#include "sim/step_graph.hpp"

namespace clusterwright {

CapacitySharing::CapacitySharing(const std::vector<std::uint64_t>& capacities) {
  resources_.reserve(capacities.size());
  for (const std::uint64_t capacity : capacities)
    resources_.push_back({.capacity = UInt128{capacity} * coefficient_one});
}

/// A transfer that comes or goes matters to others only where the sum of bounds exceeds the capacity.
void CapacitySharing::load(const Transfer& transfer) {
  for (const CapacityDemand& demand : transfer.demands) {
    Resource& resource = resources_[demand.resource];
    resource.demand += UInt128{per_rate(demand)} * transfer.bound;
    contended_ |= resource.overdrawn();
  }
}

void CapacitySharing::unload(const Transfer& transfer) {
  for (const CapacityDemand& demand : transfer.demands) {
    Resource& resource = resources_[demand.resource];
    contended_ |= resource.overdrawn();
    resource.demand -= UInt128{per_rate(demand)} * transfer.bound;
  }
}

void CapacitySharing::set_rate(TransferKey key, std::uint64_t rate) {
  Transfer& transfer = transfers_[key];
  if (transfer.rate == rate) return;
  transfer.rate = rate;
  if (!transfer.changed) changed_.push_back(key);
  transfer.changed = true;
}

CapacitySharing::TransferKey CapacitySharing::add(std::span<const CapacityDemand> demands, std::uint64_t bound,
                                                  std::uint32_t weight) {
  if (free_.empty()) {
    free_.push_back(static_cast<TransferKey>(transfers_.size()));
    transfers_.emplace_back();
  }
  const TransferKey key = free_.back();
  free_.pop_back();
  const bool still_listed = transfers_[key].changed;
  transfers_[key] = {.demands = demands, .bound = bound, .weight = weight, .live = true, .changed = still_listed};
  load(transfers_[key]);
  set_rate(key, bound);
  return key;
}

void CapacitySharing::remove(TransferKey key) {
  unload(transfers_[key]);
  transfers_[key].live = false;
  free_.push_back(key);
}

void CapacitySharing::set_bound(TransferKey key, std::uint64_t bound) {
  Transfer& transfer = transfers_[key];
  unload(transfer);
  transfer.bound = bound;
  load(transfer);
  if (!contended_) set_rate(key, bound);
}

const std::vector<CapacitySharing::TransferKey>& CapacitySharing::settle() {
  if (contended_) fill();
  contended_ = false;
  reported_.clear();
  for (const TransferKey key : changed_) {
    if (transfers_[key].live) reported_.push_back(key);
    transfers_[key].changed = false;
  }
  changed_.clear();
  std::sort(reported_.begin(), reported_.end());
  return reported_;
}

bool CapacitySharing::restrained(const Transfer& transfer) const {
  for (const CapacityDemand& demand : transfer.demands)
    if (restrains(demand)) return true;
  return false;
}

void CapacitySharing::enter(TransferKey key) {
  const Transfer& transfer = transfers_[key];
  unfrozen_.push_back(key);
  for (const CapacityDemand& demand : transfer.demands) {
    if (!restrains(demand)) continue;
    Resource& resource = resources_[demand.resource];
    if (!resource.filling) {
      resource.filling = true;
      resource.residual = resource.capacity;
      resource.weight = 0;
      filling_.push_back(demand.resource);
    }
    resource.weight += UInt128{per_rate(demand)} * transfer.weight;
  }
}

UInt128 CapacitySharing::lowest_level() const {
  UInt128 lowest = ~UInt128{0};
  for (const std::uint32_t index : filling_)
    if (resources_[index].weight > 0) lowest = std::min(lowest, resources_[index].level());
  return lowest;
}

bool CapacitySharing::is_held_at(const Transfer& transfer, UInt128 level) const {
  for (const CapacityDemand& demand : transfer.demands)
    if (restrains(demand) && resources_[demand.resource].level() == level) return true;
  return false;
}

void CapacitySharing::freeze(TransferKey key, std::uint64_t rate) {
  const Transfer& transfer = transfers_[key];
  for (const CapacityDemand& demand : transfer.demands) {
    if (!restrains(demand)) continue;
    Resource& resource = resources_[demand.resource];
    resource.weight -= UInt128{per_rate(demand)} * transfer.weight;
    resource.residual -= UInt128{per_rate(demand)} * rate;
  }
  set_rate(key, std::max<std::uint64_t>(rate, 1));
}

/// Freezes at `level`, or at the bound if that is lower. Selects against the state before any of them froze, so that
/// their order cannot matter.
template <class Selected>
bool CapacitySharing::freeze_where(Selected selected, UInt128 level) {
  frozen_now_.clear();
  std::erase_if(unfrozen_, [&](TransferKey key) {
    const bool leaves = selected(transfers_[key]);
    if (leaves) frozen_now_.push_back(key);
    return leaves;
  });
  for (const TransferKey key : frozen_now_) {
    const UInt128 share = level * transfers_[key].weight;
    freeze(key, static_cast<std::uint64_t>(std::min<UInt128>(share, transfers_[key].bound)));
  }
  return !frozen_now_.empty();
}

void CapacitySharing::fill() {
  for (TransferKey key = 0; key < transfers_.size(); ++key) {
    if (!transfers_[key].live) continue;
    if (restrained(transfers_[key]))
      enter(key);
    else
      set_rate(key, transfers_[key].bound);
  }
  while (!unfrozen_.empty()) {
    const UInt128 level = lowest_level();
    const auto bounded = [&](const Transfer& transfer) { return transfer.bound <= level * transfer.weight; };
    const auto held = [&](const Transfer& transfer) { return is_held_at(transfer, level); };
    if (!freeze_where(bounded, level)) freeze_where(held, level);
  }
  for (const std::uint32_t index : filling_) resources_[index].filling = false;
  filling_.clear();
}

}  // namespace clusterwright
