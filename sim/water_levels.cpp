// SPDX-License-Identifier: Apache-2.0
#include "sim/water_levels.hpp"

#include <algorithm>
#include <functional>

namespace clusterwright {

std::uint64_t WaterLevels::Entry::share_at(std::uint64_t level) const {
  std::uint64_t share = 0;
  return __builtin_mul_overflow(level, std::uint64_t{weight}, &share) ? bound : std::min(share, bound);
}

void WaterLevels::clear(std::size_t resources) {
  for (Node& node : nodes_) {
    node.slots.clear();
    node.overdrawn = node.queued = false;
  }
  nodes_.resize(resources);
  levels_.assign(resources, unlimited);
  entries_.clear();
  hops_.clear();
  queue_.clear();
  touched_.clear();
  slots_ = live_ = edits_ = 0;
  fills_ahead_ = 0;
  fills_next_ = 1;
}

std::uint64_t WaterLevels::rate(std::uint32_t key) const {
  const Entry& entry = entries_[key];
  return std::max<std::uint64_t>(entry.share_at(entry.lowest), 1);
}

void WaterLevels::make_room(std::uint32_t key, std::size_t hops) {
  if (key >= entries_.size()) entries_.resize(key + 1);
  if (hops > longest_route_) {
    const std::size_t longest = std::max(hops, 2 * longest_route_);
    std::vector<Hop> moved(entries_.size() * longest);
    for (std::uint32_t other = 0; other < entries_.size(); ++other)
      std::ranges::copy(hops_of(other), moved.begin() + static_cast<std::ptrdiff_t>(other * longest));
    hops_.swap(moved);
    longest_route_ = longest;
  }
  if (hops_.size() < entries_.size() * longest_route_) hops_.resize(entries_.size() * longest_route_);
}

void WaterLevels::add_slot(std::uint32_t key, const SharedTransfer& transfer, const CapacityDemand& demand,
                           const SharedResource& resource) {
  Node& node = nodes_[demand.resource];
  const std::uint64_t take = transfer.per_rate(demand);
  if (node.slots.empty()) {
    const UInt128 whole = resource.capacity / take;
    node.uniform = whole < unlimited;
    node.whole = static_cast<std::uint64_t>(whole);
    node.take = take;
    node.capacity = resource.capacity;
    node.most_drawn = 0;
  }
  node.uniform &= node.take == take;
  Entry& entry = entries_[key];
  hops_[key * longest_route_ + entry.hops++] = {demand.resource, static_cast<std::uint32_t>(node.slots.size())};
  node.slots.push_back({.take = take, .weight = transfer.weight, .key = key});
  node.most_drawn += UInt128{take} * transfer.weight;
  ++slots_;
}

void WaterLevels::remove_slot(const Hop& hop) {
  std::vector<Slot>& slots = nodes_[hop.resource].slots;
  const Slot& gone = slots[hop.position];
  nodes_[hop.resource].most_drawn -= UInt128{gone.take} * (UInt128{gone.share} + gone.weight);
  const auto last = static_cast<std::uint32_t>(slots.size() - 1);
  if (hop.position != last) {
    slots[hop.position] = slots[last];
    for (Hop& moved : hops_of(slots[last].key))
      if (moved.resource == hop.resource && moved.position == last) moved.position = hop.position;
  }
  slots.pop_back();
  --slots_;
}

void WaterLevels::set_limit(const Entry& entry, const Hop& hop, std::uint64_t limit) {
  Slot& slot = slot_of(hop);
  const std::uint64_t share = entry.share_at(limit);
  nodes_[hop.resource].most_drawn += UInt128{slot.take} * share - UInt128{slot.take} * slot.share;
  slot.share = share;
  slot.threshold = limit < entry.bound_level ? limit + 1 : entry.bound_level;
}

void WaterLevels::touch(std::uint32_t key) {
  if (!entries_[key].touched) touched_.push_back(key);
  entries_[key].touched = true;
}

void WaterLevels::queue(std::uint32_t resource) {
  if (!nodes_[resource].queued) queue_.push_back(resource);
  nodes_[resource].queued = true;
}

void WaterLevels::demand_changed(std::uint32_t resource, const SharedResource& state) {
  nodes_[resource].overdrawn = state.overdrawn();
  if (state.overdrawn() || levels_[resource] != unlimited) queue(resource);
}

void WaterLevels::insert(std::uint32_t key, const SharedTransfer& transfer, std::span<const SharedResource> resources) {
  make_room(key, transfer.demands.size());
  Entry& entry = entries_[key];
  entry.bound = transfer.bound;
  entry.bound_level = (transfer.bound - 1) / transfer.weight + 1;
  entry.weight = transfer.weight;
  entry.live = true;
  for (const CapacityDemand& demand : transfer.demands) {
    if (transfer.per_rate(demand) == 0) continue;
    add_slot(key, transfer, demand, resources[demand.resource]);
    demand_changed(demand.resource, resources[demand.resource]);
  }
  find_lowest(key);
  for (const Hop& hop : hops_of(key)) set_limit(entry, hop, entry.limit_at(hop.resource));
  touch(key);
  ++live_;
  ++edits_;
}

void WaterLevels::erase(std::uint32_t key, std::span<const SharedResource> resources) {
  Entry& entry = entries_[key];
  for (const Hop& hop : hops_of(key)) {
    remove_slot(hop);
    demand_changed(hop.resource, resources[hop.resource]);
  }
  entry.hops = 0;
  entry.live = false;
  --live_;
  ++edits_;
}

/// A quotient at `unlimited` or above is beyond every bound, and holds no transfer.
std::uint64_t WaterLevels::level_for(UInt128 residual, UInt128 weight) {
  if (((residual | weight) >> 64) == 0)
    return static_cast<std::uint64_t>(residual) / static_cast<std::uint64_t>(weight);
  return static_cast<std::uint64_t>(std::min<UInt128>(residual / weight, unlimited));
}

/// Where all transfers take the same amount a, floor((c - a X) / (a W)) = floor((floor(c / a) - X) / W).
std::uint64_t WaterLevels::uniform_level(const Node& node) {
  for (std::uint64_t level = 0;;) {
    std::uint64_t taken = 0;
    std::uint64_t weight = 0;
    std::uint64_t next = unlimited;
    for (const Slot& slot : node.slots) {
      const bool frozen = slot.threshold <= level;
      taken += frozen ? slot.share : 0;
      weight += frozen ? 0 : slot.weight;
      next = std::min(next, frozen ? unlimited : slot.threshold);
    }
    if (weight == 0) return unlimited;
    const std::uint64_t climbed = (node.whole - taken) / weight;
    if (climbed < next) return climbed;
    level = climbed;
  }
}

std::uint64_t WaterLevels::mixed_level(const Node& node) {
  for (std::uint64_t level = 0;;) {
    UInt128 taken = 0;
    UInt128 weight = 0;
    std::uint64_t next = unlimited;
    for (const Slot& slot : node.slots) {
      if (slot.threshold <= level) {
        taken += UInt128{slot.take} * slot.share;
      } else {
        weight += UInt128{slot.take} * slot.weight;
        next = std::min(next, slot.threshold);
      }
    }
    if (weight == 0) return unlimited;
    const std::uint64_t climbed = level_for(node.capacity - taken, weight);
    if (climbed < next) return climbed;
    level = climbed;
  }
}

bool WaterLevels::has_room(std::uint32_t resource) const {
  return levels_[resource] == unlimited && nodes_[resource].most_drawn <= nodes_[resource].capacity;
}

void WaterLevels::repair(std::uint32_t resource) {
  Node& node = nodes_[resource];
  node.queued = false;
  if (has_room(resource)) return;
  visits_ += node.slots.size();
  const std::uint64_t before = levels_[resource];
  std::uint64_t now = unlimited;
  if (node.overdrawn) now = node.uniform ? uniform_level(node) : mixed_level(node);
  if (now == before) return;
  levels_[resource] = now;
  visits_ += node.slots.size();
  for (const Slot& slot : node.slots) {  // these lie all over the memory
    __builtin_prefetch(&entries_[slot.key]);
    __builtin_prefetch(&hops_[slot.key * longest_route_]);
  }
  for (const Slot& slot : node.slots) level_moved(slot.key, resource, before, now);
}

void WaterLevels::find_lowest(std::uint32_t key) {
  Entry& entry = entries_[key];
  entry.lowest = entry.second = unlimited;
  entry.holder = nobody;
  for (const Hop& hop : hops_of(key)) {
    const std::uint64_t level = levels_[hop.resource];
    if (hop.resource == entry.holder) continue;
    if (level < entry.lowest) {
      entry.second = entry.lowest;
      entry.lowest = level;
      entry.holder = hop.resource;
    } else {
      entry.second = std::min(entry.second, level);
    }
  }
}

void WaterLevels::level_moved(std::uint32_t key, std::uint32_t resource, std::uint64_t before, std::uint64_t now) {
  Entry& entry = entries_[key];
  const Entry old = entry;
  const bool holder = resource == entry.holder;
  if (holder && now <= entry.second) {
    entry.lowest = now;
  } else if (!holder && now < entry.lowest) {
    entry.second = entry.lowest;
    entry.lowest = now;
    entry.holder = resource;
  } else if (!holder && now <= entry.second) {
    entry.second = now;
  } else if (!holder && before > entry.second) {
    return;
  } else {
    find_lowest(key);
  }
  spread(key, old);
}

/// Carries the new limits of a transfer to its resources, and queues those whose level may depend on them.
void WaterLevels::spread(std::uint32_t key, const Entry& before) {
  const Entry& entry = entries_[key];
  if (entry.lowest != before.lowest && entry.share_at(entry.lowest) != entry.share_at(before.lowest)) touch(key);
  for (const Hop& hop : hops_of(key)) {
    const std::uint64_t limit = entry.limit_at(hop.resource);
    if (limit == before.limit_at(hop.resource)) continue;
    const std::uint64_t threshold = slot_of(hop).threshold;
    set_limit(entry, hop, limit);
    const bool concerns = std::min(threshold, slot_of(hop).threshold) <= levels_[hop.resource];
    if (concerns && nodes_[hop.resource].overdrawn && !has_room(hop.resource)) queue(hop.resource);
  }
}

void WaterLevels::begin_fill() {
  filling_.resize(nodes_.size());
  open_.clear();
  for (std::uint32_t resource = 0; resource < nodes_.size(); ++resource) {
    levels_[resource] = unlimited;
    if (!nodes_[resource].overdrawn) continue;
    Filling& filling = filling_[resource];
    filling = {nodes_[resource].capacity, 0};
    for (const Slot& slot : nodes_[resource].slots) filling.weight += UInt128{slot.take} * slot.weight;
    open_.emplace_back(level_for(filling.residual, filling.weight), resource);
  }
  bounds_.clear();
  for (std::uint32_t key = 0; key < entries_.size(); ++key)
    if (entries_[key].live) bounds_.emplace_back(entries_[key].bound_level, key);
  frozen_.assign(entries_.size(), 0);
  std::make_heap(open_.begin(), open_.end(), std::greater<>());
  std::make_heap(bounds_.begin(), bounds_.end(), std::greater<>());
}

void WaterLevels::freeze(std::uint32_t key, std::uint64_t level) {
  if (frozen_[key]) return;
  frozen_[key] = 1;
  const Entry& entry = entries_[key];
  const std::uint64_t rate = entry.share_at(level);
  for (const Hop& hop : hops_of(key)) {
    if (!nodes_[hop.resource].overdrawn) continue;
    const std::uint64_t take = slot_of(hop).take;
    filling_[hop.resource].residual -= UInt128{take} * rate;
    filling_[hop.resource].weight -= UInt128{take} * entry.weight;
  }
}

/// @return whether any transfer has its bound at or below `level`
bool WaterLevels::freeze_bounded(std::uint64_t level) {
  bool any = false;
  while (!bounds_.empty() && bounds_.front().first <= level) {
    const std::uint32_t key = bounds_.front().second;
    std::pop_heap(bounds_.begin(), bounds_.end(), std::greater<>());
    bounds_.pop_back();
    any |= !frozen_[key];
    freeze(key, level);
  }
  return any;
}

/// Takes the resources at the lowest level out of `open_`, into `tied_`. The level of a resource rises while others
/// freeze, so an entry of the heap may lie too low.
/// @return their level
std::uint64_t WaterLevels::take_lowest() {
  tied_.clear();
  std::uint64_t lowest = unlimited;
  while (!open_.empty() && (tied_.empty() || open_.front().first <= lowest)) {
    const auto [level, resource] = open_.front();
    std::pop_heap(open_.begin(), open_.end(), std::greater<>());
    open_.pop_back();
    const Filling& filling = filling_[resource];
    if (filling.weight == 0) continue;
    const std::uint64_t now = level_for(filling.residual, filling.weight);
    if (now == level) {
      lowest = level;
      tied_.push_back(resource);
    } else {
      reopen(now, resource);
    }
  }
  return lowest;
}

void WaterLevels::reopen(std::uint64_t level, std::uint32_t resource) {
  open_.emplace_back(level, resource);
  std::push_heap(open_.begin(), open_.end(), std::greater<>());
}

void WaterLevels::fill() {
  begin_fill();
  while (!open_.empty()) {
    const std::uint64_t level = take_lowest();
    if (level == unlimited) break;
    if (freeze_bounded(level)) {
      for (const std::uint32_t resource : tied_) reopen(level, resource);
      continue;
    }
    for (const std::uint32_t resource : tied_) levels_[resource] = level;
    for (const std::uint32_t resource : tied_)
      for (const Slot& slot : nodes_[resource].slots) freeze(slot.key, level);
  }
  for (std::uint32_t key = 0; key < entries_.size(); ++key)
    if (entries_[key].live) limits_filled(key);
}

void WaterLevels::limits_filled(std::uint32_t key) {
  Entry& entry = entries_[key];
  const std::uint64_t before = entry.share_at(entry.lowest);
  find_lowest(key);
  if (entry.share_at(entry.lowest) != before) touch(key);
  for (const Hop& hop : hops_of(key)) set_limit(entry, hop, entry.limit_at(hop.resource));
}

const std::vector<std::uint32_t>& WaterLevels::settle() {
  constexpr std::size_t fill_in_visits = 8;  // time of a full fill per slot, in visits of repair
  constexpr unsigned most_fills_ahead = 64;
  visits_ = 0;
  bool too_much = 4 * edits_ > live_;
  if (!too_much && fills_ahead_ > 0) {
    --fills_ahead_;
    too_much = true;
  } else if (!too_much) {
    const std::size_t budget = fill_in_visits * slots_;
    std::size_t next = 0;
    for (; next < queue_.size() && visits_ <= budget; ++next) repair(queue_[next]);
    too_much = next < queue_.size();
    if (too_much) fills_ahead_ = fills_next_;
    fills_next_ = too_much ? std::min(2 * fills_next_, most_fills_ahead) : 1;
  }
  if (too_much) fill();
  for (const std::uint32_t resource : queue_) nodes_[resource].queued = false;
  queue_.clear();
  edits_ = 0;
  for (const std::uint32_t key : touched_) entries_[key].touched = false;
  reported_.swap(touched_);
  touched_.clear();
  return reported_;
}

}  // namespace clusterwright
