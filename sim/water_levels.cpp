// SPDX-License-Identifier: Apache-2.0
#include "sim/water_levels.hpp"

#include <algorithm>
#include <functional>

namespace clusterwright {

std::uint64_t WaterLevels::Entry::share_at(std::uint64_t level) const {
  std::uint64_t share = 0;
  return __builtin_mul_overflow(level, std::uint64_t{weight}, &share) ? bound : std::min(share, bound);
}

void WaterLevels::reset(std::size_t resources) {
  nodes_.assign(resources, {});
  slots_.clear();
  levels_.assign(resources, unlimited_level);
  entries_.clear();
  hops_.clear();
  queue_.clear();
  touched_.clear();
  slot_count_ = live_ = edits_ = 0;
  fills_ahead_ = 0;
  fills_next_ = 1;
}

/// Levels of resources that held the last transfers are those in the queue.
void WaterLevels::clear() {
  for (const std::uint32_t resource : queue_) {
    levels_[resource] = unlimited_level;
    nodes_[resource].queued = false;
  }
  for (const std::uint32_t key : touched_) entries_[key].touched = false;
  queue_.clear();
  touched_.clear();
  edits_ = 0;
}

std::uint64_t WaterLevels::rate(std::uint32_t key) const {
  const Entry& entry = entries_[key];
  return std::max<std::uint64_t>(entry.share(), 1);
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

void WaterLevels::make_room(Node& node) {
  if (node.slots < node.room) return;
  const auto first = static_cast<std::uint32_t>(slots_.size());
  node.room = std::max<std::uint32_t>(4, 2 * node.room);
  slots_.resize(slots_.size() + node.room);
  for (std::uint32_t i = 0; i < node.slots; ++i) {
    slots_[first + i] = slots_[node.first + i];
    for (Hop& hop : hops_of(slots_[first + i].key))
      if (hop.slot == node.first + i) hop.slot = first + i;
  }
  node.first = first;
}

void WaterLevels::add_slot(std::uint32_t key, const SharedTransfer& transfer, const CapacityDemand& demand,
                           const SharedResource& resource) {
  Node& node = nodes_[demand.resource];
  const std::uint64_t take = transfer.per_rate(demand);
  if (node.slots == 0) {
    const UInt128 whole = resource.capacity / take;
    node.uniform = whole < unlimited_level;
    node.whole = static_cast<std::uint64_t>(whole);
    node.take = take;
    node.capacity = resource.capacity;
    node.most_drawn = 0;
  }
  node.uniform &= node.take == take;
  make_room(node);
  const std::uint32_t slot = node.first + node.slots++;
  slots_[slot] = {.take = take, .weight = transfer.weight, .key = key};
  hops_[key * longest_route_ + entries_[key].hops++] = {demand.resource, slot};
  node.most_drawn += UInt128{take} * transfer.weight;
  ++slot_count_;
}

void WaterLevels::remove_slot(const Hop& hop) {
  Node& node = nodes_[hop.resource];
  const LevelSlot& gone = slots_[hop.slot];
  node.most_drawn -= UInt128{gone.take} * (UInt128{gone.share} + gone.weight);
  const std::uint32_t last = node.first + --node.slots;
  if (hop.slot != last) {
    slots_[hop.slot] = slots_[last];
    for (Hop& moved : hops_of(slots_[last].key))
      if (moved.slot == last) moved.slot = hop.slot;
  }
  --slot_count_;
}

/// Takes over what limits the transfer elsewhere.
void WaterLevels::set_limit(const Entry& entry, const Hop& hop) {
  LevelSlot& slot = slots_[hop.slot];
  const std::uint64_t limit = entry.limits.seen_from(hop.resource);
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
  if (state.overdrawn() || levels_[resource] != unlimited_level) queue(resource);
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
  for (const Hop& hop : hops_of(key)) set_limit(entry, hop);
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

bool WaterLevels::has_room(std::uint32_t resource) const {
  return levels_[resource] == unlimited_level && nodes_[resource].most_drawn <= nodes_[resource].capacity;
}

void WaterLevels::repair(std::uint32_t resource) {
  Node& node = nodes_[resource];
  node.queued = false;
  if (has_room(resource)) return;
  visits_ += node.slots;
  const std::uint64_t before = levels_[resource];
  std::uint64_t now = unlimited_level;
  if (node.overdrawn)
    now = node.uniform ? uniform_level(slots_of(node), node.whole) : mixed_level(slots_of(node), node.capacity);
  if (now == before) return;
  levels_[resource] = now;
  visits_ += node.slots;
  for (const LevelSlot& slot : slots_of(node)) {  // these lie all over the memory
    __builtin_prefetch(&entries_[slot.key]);
    __builtin_prefetch(&hops_[slot.key * longest_route_]);
  }
  moved_.clear();
  for (const LevelSlot& slot : slots_of(node)) {
    const Limits limits = entries_[slot.key].limits;
    if (!level_moved(slot.key, resource, before, now)) continue;
    moved_.push_back({slot.key, limits});
    fetch(slot.key, limits);
  }
  for (const Moved& moved : moved_) spread(moved.key, moved.before);
}

void WaterLevels::find_lowest(std::uint32_t key) {
  Limits limits;
  for (const Hop& hop : hops_of(key)) {
    const std::uint64_t level = levels_[hop.resource];
    if (hop.resource == limits.holder) continue;
    if (level < limits.lowest)
      limits = {level, limits.lowest, hop.resource};
    else
      limits.second = std::min(limits.second, level);
  }
  entries_[key].limits = limits;
}

/// @return whether limits of the transfer may have changed
bool WaterLevels::level_moved(std::uint32_t key, std::uint32_t resource, std::uint64_t before, std::uint64_t now) {
  Limits& limits = entries_[key].limits;
  const bool holder = resource == limits.holder;
  if (holder && now <= limits.second)
    limits.lowest = now;
  else if (!holder && now < limits.lowest)
    limits = {now, limits.lowest, resource};
  else if (!holder && now <= limits.second)
    limits.second = now;
  else if (!holder && before > limits.second)
    return false;
  else
    find_lowest(key);
  return true;
}

/// Calls for the memory that spread() is going to need.
void WaterLevels::fetch(std::uint32_t key, const Limits& before) {
  const Limits& limits = entries_[key].limits;
  for (const Hop& hop : hops_of(key)) {
    if (limits.seen_from(hop.resource) == before.seen_from(hop.resource)) continue;
    __builtin_prefetch(&nodes_[hop.resource], 1);
    __builtin_prefetch(&slots_[hop.slot], 1);
  }
}

/// Carries the new limits of a transfer to its resources, and queues those whose level may depend on them.
void WaterLevels::spread(std::uint32_t key, const Limits& before) {
  const Entry& entry = entries_[key];
  if (entry.limits.lowest != before.lowest && entry.share() != entry.share_at(before.lowest)) touch(key);
  for (const Hop& hop : hops_of(key)) {
    if (entry.limits.seen_from(hop.resource) == before.seen_from(hop.resource)) continue;
    const std::uint64_t threshold = slots_[hop.slot].threshold;
    set_limit(entry, hop);
    const bool concerns = std::min(threshold, slots_[hop.slot].threshold) <= levels_[hop.resource];
    if (concerns && nodes_[hop.resource].overdrawn && !has_room(hop.resource)) queue(hop.resource);
  }
}

/// Looks at live transfers and their resources only: there may be many more of both.
void WaterLevels::begin_fill() {
  filling_.resize(nodes_.size());
  listed_.clear();
  bounds_.clear();
  for (const std::uint32_t resource : queue_) levels_[resource] = unlimited_level;
  for (std::uint32_t key = 0; key < entries_.size(); ++key) {
    if (!entries_[key].live) continue;
    bounds_.emplace_back(entries_[key].bound_level, key);
    for (const Hop& hop : hops_of(key)) list(hop, entries_[key].weight);
  }
  open_.clear();
  for (const std::uint32_t resource : listed_) {
    Filling& filling = filling_[resource];
    filling.listed = false;
    open_.emplace_back(level_for(filling.residual, filling.weight), resource);
  }
  frozen_.assign(entries_.size(), 0);
  std::make_heap(open_.begin(), open_.end(), std::greater<>());
  std::make_heap(bounds_.begin(), bounds_.end(), std::greater<>());
}

void WaterLevels::list(const Hop& hop, std::uint32_t weight) {
  const Node& node = nodes_[hop.resource];
  levels_[hop.resource] = unlimited_level;
  if (!node.overdrawn) return;
  Filling& filling = filling_[hop.resource];
  if (!filling.listed) {
    filling = {node.capacity, 0, true};
    listed_.push_back(hop.resource);
  }
  filling.weight += UInt128{slots_[hop.slot].take} * weight;
}

void WaterLevels::freeze(std::uint32_t key, std::uint64_t level) {
  if (frozen_[key]) return;
  frozen_[key] = 1;
  const Entry& entry = entries_[key];
  const std::uint64_t rate = entry.share_at(level);
  for (const Hop& hop : hops_of(key)) {
    if (!nodes_[hop.resource].overdrawn) continue;
    const std::uint64_t take = slots_[hop.slot].take;
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
  std::uint64_t lowest = unlimited_level;
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
    if (level == unlimited_level) break;
    if (freeze_bounded(level)) {
      for (const std::uint32_t resource : tied_) reopen(level, resource);
      continue;
    }
    for (const std::uint32_t resource : tied_) levels_[resource] = level;
    for (const std::uint32_t resource : tied_)
      for (const LevelSlot& slot : slots_of(nodes_[resource])) freeze(slot.key, level);
  }
  for (std::uint32_t key = 0; key < entries_.size(); ++key)
    if (entries_[key].live) limits_filled(key);
}

void WaterLevels::limits_filled(std::uint32_t key) {
  Entry& entry = entries_[key];
  const std::uint64_t before = entry.share();
  find_lowest(key);
  if (entry.share() != before) touch(key);
  for (const Hop& hop : hops_of(key)) set_limit(entry, hop);
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
    const std::size_t budget = fill_in_visits * slot_count_;
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
