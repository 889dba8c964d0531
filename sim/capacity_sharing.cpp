// SPDX-License-Identifier: Apache-2.0
#include "sim/capacity_sharing.hpp"

#include <algorithm>

#include "sim/step_graph.hpp"

namespace clusterwright {
namespace {

/// Number of transfers from which on repaired levels are faster than a plain fill.
constexpr std::size_t many_transfers = 32;

}  // namespace

void CapacitySharing::reset(const std::vector<std::uint64_t>& capacities) {
  resources_.clear();
  resources_.reserve(capacities.size());
  for (const std::uint64_t capacity : capacities)
    resources_.push_back({.capacity = UInt128{capacity} * coefficient_one});
  transfers_.clear();
  free_.clear();
  changed_.clear();
  contended_ = levels_kept_ = levels_ready_ = false;
}

/// A transfer that comes or goes matters to others only where the sum of bounds exceeds the capacity.
void CapacitySharing::load(const SharedTransfer& transfer) {
  for (const CapacityDemand& demand : transfer.demands) {
    SharedResource& resource = resources_[demand.resource];
    resource.demand += UInt128{transfer.per_rate(demand)} * transfer.bound;
    contended_ |= resource.overdrawn();
  }
}

void CapacitySharing::unload(const SharedTransfer& transfer) {
  for (const CapacityDemand& demand : transfer.demands) {
    SharedResource& resource = resources_[demand.resource];
    contended_ |= resource.overdrawn();
    resource.demand -= UInt128{transfer.per_rate(demand)} * transfer.bound;
  }
}

void CapacitySharing::set_rate(TransferKey key, std::uint64_t rate) {
  SharedTransfer& transfer = transfers_[key];
  if (transfer.rate == rate) return;
  transfer.rate = rate;
  if (!transfer.changed) changed_.push_back(key);
  transfer.changed = true;
}

CapacitySharing::TransferKey CapacitySharing::add(std::span<const CapacityDemand> demands, std::uint64_t bound,
                                                  std::uint32_t weight, std::uint32_t count) {
  if (free_.empty()) {
    free_.push_back(static_cast<TransferKey>(transfers_.size()));
    transfers_.emplace_back();
  }
  const TransferKey key = free_.back();
  free_.pop_back();
  SharedTransfer& transfer = transfers_[key];
  transfer.demands = demands;
  transfer.bound = bound;
  transfer.rate = 0;
  transfer.weight = weight;
  transfer.count = count;
  transfer.live = true;
  load(transfer);
  if (levels_kept_) levels_.insert(key, transfer, resources_);
  set_rate(key, bound);
  return key;
}

void CapacitySharing::remove(TransferKey key) {
  unload(transfers_[key]);
  transfers_[key].live = false;
  free_.push_back(key);
  if (!levels_kept_) return;
  levels_.erase(key, resources_);
  levels_kept_ = free_.size() < transfers_.size();
  if (!levels_kept_) levels_.clear();
}

template <class Change>
void CapacitySharing::change(TransferKey key, Change change) {
  SharedTransfer& transfer = transfers_[key];
  unload(transfer);
  if (levels_kept_) levels_.erase(key, resources_);
  change(transfer);
  load(transfer);
  if (levels_kept_) levels_.insert(key, transfer, resources_);
  if (!contended_) set_rate(key, transfer.bound);
}

void CapacitySharing::set_bound(TransferKey key, std::uint64_t bound) {
  change(key, [&](SharedTransfer& transfer) { transfer.bound = bound; });
}

void CapacitySharing::set_count(TransferKey key, std::uint32_t count) {
  change(key, [&](SharedTransfer& transfer) { transfer.count = count; });
}

const std::vector<CapacitySharing::TransferKey>& CapacitySharing::settle() {
  if (contended_ || levels_kept_) solve();
  contended_ = false;
  reported_.clear();
  for (const TransferKey key : changed_) {
    if (transfers_[key].live) reported_.push_back(key);
    transfers_[key].changed = false;
  }
  changed_.clear();
  if (!std::is_sorted(reported_.begin(), reported_.end())) std::sort(reported_.begin(), reported_.end());
  return reported_;
}

void CapacitySharing::solve() {
  if (!levels_kept_ && transfers_.size() - free_.size() > many_transfers) keep_levels();
  if (levels_kept_) {
    for (const TransferKey key : levels_.settle())
      if (transfers_[key].live) set_rate(key, levels_.rate(key));
  } else {
    for (const auto& [key, rate] : filling_.fill(resources_, transfers_)) set_rate(key, rate);
  }
}

void CapacitySharing::keep_levels() {
  if (!levels_ready_) levels_.reset(resources_.size());
  levels_kept_ = levels_ready_ = true;
  for (TransferKey key = 0; key < transfers_.size(); ++key)
    if (transfers_[key].live) levels_.insert(key, transfers_[key], resources_);
}

}  // namespace clusterwright
