/// The engine at work. Three parts: preparation (replay_preparation.cpp), events (replay.cpp) and what ops that run at
/// the same time do to each other (replay_sharing.cpp).
#pragma once

#include <memory>
#include <vector>

#include "sim/capacity_sharing.hpp"
#include "sim/event_queue.hpp"
#include "sim/replay.hpp"
#include "sim/replay_state.hpp"

namespace clusterwright::replay_state {

inline constexpr Picoseconds not_yet{-1};
inline constexpr std::uint64_t picoseconds_per_second = 1'000'000'000'000;

/// Time for `remaining` units at `rate` per picosecond, rounded up; at most 26 days, far beyond any step.
Picoseconds time_for(Int128 remaining, std::uint64_t rate);

/// One replay. Loads that change during an instant are settled once, after all events of that instant.
class Replay {
 public:
  Replay(const StepStructure& structure, const StepPrice& price);
  ReplayResult run() &&;

 private:
  void prepare_hosts();
  void prepare_chains();
  void prepare_lanes();
  void prepare_ops();

  void handle(Pending event);
  void release(OpId op, OpId released_by);
  void start(OpId op, OpId released_by);
  void compute(OpId op);
  void end(OpId op);

  void arrive(OpId op);
  void begin_chain(RendezvousId rendezvous);
  void next_stage(RendezvousId rendezvous);
  void after_delay(RendezvousId rendezvous);
  void begin_transfer(RendezvousId rendezvous);
  void complete_transfer(std::uint32_t key);
  template <class Visit>
  void for_each_member(RendezvousId rendezvous, Visit visit) const;

  void settle();
  void reserve(RankClassId rank, std::uint32_t taken, std::uint32_t given_back);
  void load_memory(RankClassId rank, std::uint64_t taken, std::uint64_t given_back);
  void mark_dirty(RankClassId rank);
  void share_device(RankClassId rank);
  void slow_down(LaneId lane);
  std::uint32_t table_speed(SmTableId table, std::uint32_t reserved);
  void progress(LaneId lane);
  void charge_loss(LaneId lane);
  template <class Amount>
  ChargeId largest_other(LaneId lane, Amount amount) const;
  void renew_bound(RendezvousId rendezvous);
  std::uint64_t stage_bound(RendezvousId rendezvous) const;
  void set_rate(std::uint32_t key, std::uint64_t rate);

  RankClassId rank_of(OpId op) const { return structure_.lanes[structure_.op_lane[op]].rank; }
  const WorkPrice& work_of(OpId op) const { return price_.works[structure_.op_work[op]]; }
  std::uint32_t memory_demand(OpId op) const { return memory_demand_[structure_.op_work[op]]; }
  bool is_active(OpId op) const;
  bool is_past_chain(RendezvousId rendezvous) const;
  [[noreturn]] void report_stuck() const;
  void collect_losses();

  const StepStructure& structure_;
  const StepPrice& price_;
  ReplayResult result_;
  EventQueue<Pending> queue_;
  Picoseconds now_;
  std::size_t ended_ = 0;

  IndexedVector<OpId, std::uint32_t> waiting_for_;  // dependencies and lane predecessor not ended yet
  IndexedVector<OpId, OpId> next_member_;           // circle of the members that arrived, in order of arrival
  IndexedVector<OpId, Picoseconds> issued_;         // by the host; empty when issuing costs nothing

  IndexedVector<LaneId, LaneState> lanes_;
  IndexedVector<RankClassId, RankState> ranks_;
  IndexedVector<RankClassId, std::vector<LaneId>> lanes_of_;
  IndexedVector<RendezvousId, RendezvousState> rendezvous_;
  std::vector<TransferState> transfers_;             // by key in sharing_
  std::vector<CapacityDemand> demands_;              // parallel to StepStructure::uses
  IndexedVector<StageId, Picoseconds> stage_alone_;  // transfer at its bound, without the delay
  IndexedVector<ChainId, Picoseconds> chain_alone_;
  IndexedVector<WorkId, std::uint32_t> memory_demand_;
  IndexedVector<SmTableId, TableSpeed> table_speeds_;

  std::unique_ptr<CapacitySharing> sharing_;
  bool rates_stale_ = false;
  std::vector<RankClassId> dirty_;
  std::vector<RendezvousId> bounds_stale_;
  std::uint32_t ranks_short_of_memory_ = 0;
  IndexedVector<RankClassId, std::vector<Picoseconds>> lost_;  // by ChargeId; empty while nothing was lost
};

template <class Visit>
void Replay::for_each_member(RendezvousId rendezvous, Visit visit) const {
  const OpId last = result_.last_arrival[rendezvous];
  OpId member = last;
  do {
    member = next_member_[member];
    visit(member);
  } while (member != last);
}

inline void Replay::mark_dirty(RankClassId rank) {
  if (ranks_[rank].dirty) return;
  ranks_[rank].dirty = true;
  dirty_.push_back(rank);
}

inline void Replay::reserve(RankClassId rank, std::uint32_t taken, std::uint32_t given_back) {
  if (taken == given_back) return;
  ranks_[rank].reserved += taken - given_back;
  mark_dirty(rank);
}

inline void Replay::load_memory(RankClassId rank, std::uint64_t taken, std::uint64_t given_back) {
  RankState& state = ranks_[rank];
  const bool was_short = state.memory_short();
  state.memory += taken - given_back;
  const bool is_short = state.memory_short();
  if (was_short || is_short) mark_dirty(rank);
  if (is_short && !was_short) ++ranks_short_of_memory_;
  if (was_short && !is_short) --ranks_short_of_memory_;
}

}  // namespace clusterwright::replay_state
