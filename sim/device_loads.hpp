// SPDX-License-Identifier: Apache-2.0
/// Multiprocessors and device memory bandwidth that the ops of each rank take.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/prepared_step.hpp"
#include "sim/work_times.hpp"

namespace clusterwright::engine {

/// The ops of a rank that take some of one thing, and how much they take together.
struct Takers {
  std::uint64_t amount = 0;
  std::uint32_t count = 0;
  std::uint32_t mixed = 0;  // exclusive or of their ids: the id of a single taker

  void add(OpId op, std::uint32_t share) {
    amount += share;
    ++count;
    mixed ^= op.value;
  }
  void remove(OpId op, std::uint32_t share) {
    amount -= share;
    --count;
    mixed ^= op.value;
  }
};

/// Loads that change during an instant are acted upon once, after all events of that instant: changed() says where.
class DeviceLoads {
 public:
  DeviceLoads(const PreparedStep& step, const WorkTimes& works) : step_(step), works_(works) {}
  void reset();

  /// A started op holds its multiprocessors.
  void hold_sms(OpId op);
  /// An active op loads the memory.
  void load_memory(OpId op);
  /// An op that ends gives back both.
  void give_back(OpId op);

  const Takers& sms(RankClassId rank) const { return loads_[rank].sms; }
  const Takers& memory(RankClassId rank) const { return loads_[rank].memory; }  // in 1/whole_memory
  bool memory_short(RankClassId rank) const { return loads_[rank].memory_short(); }
  bool memory_short_anywhere() const { return ranks_short_of_memory_ > 0; }

  /// Ranks whose loads changed since clear_changed(), or that were marked, each once.
  const std::vector<RankClassId>& changed() const { return changed_; }
  bool has_changed(RankClassId rank) const { return loads_[rank].changed; }
  /// Whether bounds of transfers of the rank may have changed: its memory is or was short.
  bool bounds_changed(RankClassId rank) const { return loads_[rank].bounds_changed; }
  void mark_changed(RankClassId rank);
  void clear_changed();

 private:
  struct RankLoads {
    Takers memory;
    Takers sms;
    bool changed = false;
    bool bounds_changed = false;

    bool memory_short() const { return memory.amount > whole_memory; }
  };

  const WorkNeeds& needs(OpId op) const { return works_.needs(step_.op(op).work); }
  void on_memory_changed(RankClassId rank, bool was_short);

  const PreparedStep& step_;
  const WorkTimes& works_;
  IndexedVector<RankClassId, RankLoads> loads_;
  std::vector<RankClassId> changed_;
  std::uint32_t ranks_short_of_memory_ = 0;
};

inline void DeviceLoads::mark_changed(RankClassId rank) {
  if (loads_[rank].changed) return;
  loads_[rank].changed = true;
  changed_.push_back(rank);
}

inline void DeviceLoads::hold_sms(OpId op) {
  const std::uint32_t sms = needs(op).reserved_sms;
  if (sms == 0) return;
  const RankClassId rank = step_.rank_of(op);
  loads_[rank].sms.add(op, sms);
  mark_changed(rank);
}

inline void DeviceLoads::load_memory(OpId op) {
  const std::uint32_t demand = needs(op).memory_demand;
  if (demand == 0) return;
  const RankClassId rank = step_.rank_of(op);
  const bool was_short = loads_[rank].memory_short();
  loads_[rank].memory.add(op, demand);
  on_memory_changed(rank, was_short);
}

inline void DeviceLoads::give_back(OpId op) {
  const WorkNeeds work = needs(op);
  const RankClassId rank = step_.rank_of(op);
  if (work.reserved_sms > 0) {
    loads_[rank].sms.remove(op, work.reserved_sms);
    mark_changed(rank);
  }
  if (work.memory_demand > 0) {
    const bool was_short = loads_[rank].memory_short();
    loads_[rank].memory.remove(op, work.memory_demand);
    on_memory_changed(rank, was_short);
  }
}

/// A load that leaves memory for all slows nothing down.
inline void DeviceLoads::on_memory_changed(RankClassId rank, bool was_short) {
  const bool is_short = loads_[rank].memory_short();
  if (!was_short && !is_short) return;
  loads_[rank].bounds_changed = true;
  mark_changed(rank);
  if (is_short && !was_short) ++ranks_short_of_memory_;
  if (was_short && !is_short) --ranks_short_of_memory_;
}

inline void DeviceLoads::clear_changed() {
  for (const RankClassId rank : changed_) loads_[rank].changed = loads_[rank].bounds_changed = false;
  changed_.clear();
}

}  // namespace clusterwright::engine
