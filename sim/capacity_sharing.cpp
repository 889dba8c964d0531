#include "sim/capacity_sharing.hpp"

#include <algorithm>

#include "sim/step_graph.hpp"
#include "sim/wide_integer.hpp"

namespace clusterwright {
namespace {

/// Amounts on resources are in 1/coefficient_one byte/s, so that no product is ever rounded.
class ProgressiveFilling final : public CapacitySharing {
 public:
  explicit ProgressiveFilling(const std::vector<std::uint64_t>& capacities) {
    resources_.reserve(capacities.size());
    for (const std::uint64_t capacity : capacities)
      resources_.push_back({.capacity = UInt128{capacity} * coefficient_one});
  }

  TransferKey add(std::span<const CapacityDemand> demands, std::uint64_t bound, std::uint32_t weight) override;
  void remove(TransferKey transfer) override;
  void set_bound(TransferKey transfer, std::uint64_t bound) override;
  const std::vector<TransferKey>& settle() override;
  std::uint64_t rate(TransferKey transfer) const override { return transfers_[transfer].rate; }

 private:
  struct Resource {
    UInt128 capacity = 0;
    UInt128 demand = 0;    // of all transfers, were each at its bound
    UInt128 residual = 0;  // while filling: what frozen transfers left over
    UInt128 weight = 0;    // while filling: summed over unfrozen transfers
    bool filling = false;

    bool overdrawn() const { return demand > capacity; }
    UInt128 level() const { return residual / weight; }
  };

  struct Transfer {
    std::span<const CapacityDemand> demands;
    std::uint64_t bound = 0;
    std::uint64_t rate = 0;
    std::uint32_t weight = 1;
    bool live = false;
    bool changed = false;
  };

  static std::uint64_t per_rate(const CapacityDemand& demand) {
    return std::uint64_t{demand.count} * demand.coefficient;
  }

  void load(const Transfer& transfer);
  void unload(const Transfer& transfer);
  void set_rate(TransferKey key, std::uint64_t rate);

  bool restrains(const CapacityDemand& demand) const {
    return resources_[demand.resource].overdrawn() && per_rate(demand) > 0;
  }
  bool restrained(const Transfer& transfer) const;
  void fill();
  void enter(TransferKey key);
  UInt128 lowest_level() const;
  bool is_held_at(const Transfer& transfer, UInt128 level) const;
  void freeze(TransferKey key, std::uint64_t rate);
  template <class Selected>
  bool freeze_where(Selected selected, UInt128 level);

  std::vector<Resource> resources_;
  std::vector<Transfer> transfers_;
  std::vector<TransferKey> free_;
  std::vector<TransferKey> changed_;  // candidates until settle()
  std::vector<TransferKey> reported_;
  std::vector<TransferKey> unfrozen_;
  std::vector<TransferKey> frozen_now_;
  std::vector<std::uint32_t> filling_;  // overdrawn resources
  bool contended_ = false;              // a resource that is or was overdrawn was touched since settle()
};

void ProgressiveFilling::load(const Transfer& transfer) {
  for (const CapacityDemand& demand : transfer.demands) {
    Resource& resource = resources_[demand.resource];
    resource.demand += UInt128{per_rate(demand)} * transfer.bound;
    contended_ |= resource.overdrawn();
  }
}

void ProgressiveFilling::unload(const Transfer& transfer) {
  for (const CapacityDemand& demand : transfer.demands) {
    Resource& resource = resources_[demand.resource];
    contended_ |= resource.overdrawn();
    resource.demand -= UInt128{per_rate(demand)} * transfer.bound;
  }
}

void ProgressiveFilling::set_rate(TransferKey key, std::uint64_t rate) {
  Transfer& transfer = transfers_[key];
  if (transfer.rate == rate) return;
  transfer.rate = rate;
  if (!transfer.changed) changed_.push_back(key);
  transfer.changed = true;
}

CapacitySharing::TransferKey ProgressiveFilling::add(std::span<const CapacityDemand> demands, std::uint64_t bound,
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

void ProgressiveFilling::remove(TransferKey key) {
  unload(transfers_[key]);
  transfers_[key].live = false;
  free_.push_back(key);
}

void ProgressiveFilling::set_bound(TransferKey key, std::uint64_t bound) {
  Transfer& transfer = transfers_[key];
  unload(transfer);
  transfer.bound = bound;
  load(transfer);
  if (!contended_) set_rate(key, bound);
}

const std::vector<CapacitySharing::TransferKey>& ProgressiveFilling::settle() {
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

bool ProgressiveFilling::restrained(const Transfer& transfer) const {
  for (const CapacityDemand& demand : transfer.demands)
    if (restrains(demand)) return true;
  return false;
}

void ProgressiveFilling::enter(TransferKey key) {
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

UInt128 ProgressiveFilling::lowest_level() const {
  UInt128 lowest = ~UInt128{0};
  for (const std::uint32_t index : filling_)
    if (resources_[index].weight > 0) lowest = std::min(lowest, resources_[index].level());
  return lowest;
}

bool ProgressiveFilling::is_held_at(const Transfer& transfer, UInt128 level) const {
  for (const CapacityDemand& demand : transfer.demands)
    if (restrains(demand) && resources_[demand.resource].level() == level) return true;
  return false;
}

void ProgressiveFilling::freeze(TransferKey key, std::uint64_t rate) {
  const Transfer& transfer = transfers_[key];
  for (const CapacityDemand& demand : transfer.demands) {
    if (!restrains(demand)) continue;
    Resource& resource = resources_[demand.resource];
    resource.weight -= UInt128{per_rate(demand)} * transfer.weight;
    resource.residual -= UInt128{per_rate(demand)} * rate;
  }
  set_rate(key, std::max<std::uint64_t>(rate, 1));
}

/// Selects against the state before any of them froze, so that their order cannot matter.
template <class Selected>
bool ProgressiveFilling::freeze_where(Selected selected, UInt128 level) {
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

void ProgressiveFilling::fill() {
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

}  // namespace

std::unique_ptr<CapacitySharing> make_progressive_filling(std::vector<std::uint64_t> capacities) {
  return std::make_unique<ProgressiveFilling>(capacities);
}

}  // namespace clusterwright
