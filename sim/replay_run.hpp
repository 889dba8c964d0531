/// The engine at work. Preparation (replay_preparation.cpp), which communication can ever meet contention
/// (replay_contention.cpp), which ops follow each other whatever happens (replay_run_search.cpp), how these are worked
/// off (replay_runs.cpp), events (replay.cpp) and what ops that run at the same time do to each other
/// (replay_sharing.cpp).
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sim/capacity_sharing.hpp"
#include "sim/event_queue.hpp"
#include "sim/replay.hpp"
#include "sim/replay_state.hpp"

namespace clusterwright::replay_state {

inline constexpr Picoseconds not_yet{-1};
inline constexpr Picoseconds longest{std::numeric_limits<std::int64_t>::max()};
inline constexpr std::uint64_t picoseconds_per_second = 1'000'000'000'000;

/// Time for `remaining` units at `rate` per picosecond, rounded up; at most 26 days, far beyond any step.
Picoseconds time_for(Int128 remaining, std::uint64_t rate);

/// Replays of one structure. Loads that change during an instant are settled once, after all events of that instant.
class Replay {
 public:
  explicit Replay(const StepStructure& structure);
  ReplayResult run(const StepTiming& timing, ReplayResult spare);

 private:
  void prepare_lanes();
  void prepare_ops();
  void survey_lanes();

  void reset(ReplayResult spare);
  void time_chains();
  void time_works();
  void time_clocks();
  void time_launches();
  void find_free_chains();
  bool memory_can_be_short() const;
  void find_runs();
  IndexedVector<OpId, char> ops_for_runs() const;
  void detach_run(std::span<const OpId> run);
  template <class Visit>
  void for_each_use(ChainId chain, Visit visit) const;

  void handle(Pending event);
  void release(OpId op, OpId released_by);
  void start(OpId op, OpId released_by);
  void compute(OpId op);
  void end(OpId op);
  void release_successors(OpId op);

  void begin_run(OpId op);
  void plan_run(LaneId lane);
  void plan_op(OpId op, LaneState& lane);
  void replan_current(LaneState& lane);
  void end_op_of_run(LaneState& lane);
  void charge_run_loss(LaneState& lane);
  void end_run(LaneId lane);

  void arrive(OpId op);
  void begin_chain(RendezvousId rendezvous);
  void next_leg(RendezvousId rendezvous);
  void after_delay(RendezvousId rendezvous);
  void begin_transfer(RendezvousId rendezvous);
  void complete_transfer(std::uint32_t key);
  template <class Visit>
  void for_each_member(RendezvousId rendezvous, Visit visit) const;

  void settle();
  void hold_sms(OpId op);
  void give_sms_back(OpId op);
  void load_memory(OpId op);
  void unload_memory(OpId op);
  void on_memory_changed(RankClassId rank, bool was_short);
  void mark_dirty(RankClassId rank);
  void share_device(RankClassId rank);
  void mark_bounds_stale(RankClassId rank);
  void slow_down(LaneId lane);
  std::uint32_t table_speed(SmTableId table, std::uint64_t reserved);
  void progress(LaneState& lane);
  void charge_loss(LaneState& lane);
  ChargeId largest_other_holder(const LaneState& lane) const;
  ChargeId largest_other_loader(const LaneState& lane) const;
  template <class Amount>
  ChargeId largest_other(const LaneState& lane, const Takers& takers, Amount amount) const;
  void renew_bound(RendezvousId rendezvous);
  std::uint64_t leg_bound(RendezvousId rendezvous) const;
  void set_rate(std::uint32_t key, std::uint64_t rate);

  RankClassId rank_of(OpId op) const { return lanes_[ops_[op].lane].rank; }
  const WorkState& work_of(OpId op) const { return works_[ops_[op].work]; }
  Picoseconds duration_alone(WorkId work, RankClassId rank);
  bool is_active(OpId op) const;
  [[noreturn]] void report_stuck() const;
  void collect_losses();

  const StepStructure& structure_;
  const StepTiming* timing_ = nullptr;
  ReplayResult result_;
  EventQueue<Pending> queue_;
  Picoseconds now_;
  std::size_t ended_ = 0;

  // Of the structure alone
  struct LaneSurvey {
    std::vector<WorkId> works;  // of its ops, each once
    std::vector<ChainId>
        chains;  // that its rendezvous run, each once; a rendezvous counts for the lane of its first op
  };
  IndexedVector<LaneId, LaneSurvey> surveys_;
  IndexedVector<OpId, std::uint32_t> predecessors_;  // dependencies and the one before in the lane
  std::vector<OpId> first_ops_;                      // those without any
  IndexedVector<RankClassId, std::vector<LaneId>> lanes_of_;
  IndexedVector<RankClassId, std::vector<LaneId>> compute_lanes_of_;  // those on which ops compute or copy

  // Of the timing, kept while it gives the same
  std::vector<Picoseconds> launches_;        // by WorkId
  IndexedVector<OpId, Picoseconds> issued_;  // by the host
  struct RunGround {
    std::vector<char> reserving_works, free_chains;
    bool memory_can_be_short = false;
    bool operator==(const RunGround&) const = default;
  };
  std::optional<RunGround> run_ground_;                  // on which runs were found
  IndexedVector<OpId, std::uint32_t> waiting_at_first_;  // with runs

  // Of one replay
  IndexedVector<OpId, OpState> ops_;            // and one more, for the end of the last op's successors
  IndexedVector<OpId, std::uint32_t> waiting_;  // for so many ops that have not ended
  IndexedVector<WorkId, WorkState> works_;
  IndexedVector<LaneId, LaneState> lanes_;
  IndexedVector<RankClassId, RankState> ranks_;
  IndexedVector<RendezvousId, RendezvousState> rendezvous_;
  std::vector<TransferState> transfers_;         // by key in sharing_
  std::vector<CapacityDemand> demands_;          // parallel to StepStructure::uses
  IndexedVector<LegId, Picoseconds> leg_alone_;  // transfer at its bound, without the delay
  IndexedVector<ChainId, Picoseconds> chain_alone_;
  std::vector<double> clocks_;          // that ranks have
  std::vector<Picoseconds> durations_;  // of each work alone, at each of these; not_yet: never asked
  std::vector<char> free_chains_;       // by ChainId: can never meet contention
  IndexedVector<SmTableId, std::vector<std::uint32_t>> table_speeds_;  // by reserved multiprocessors; 0: never asked

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
    member = ops_[member].next_member;
    visit(member);
  } while (member != last);
}

inline void Replay::mark_dirty(RankClassId rank) {
  if (ranks_[rank].dirty) return;
  ranks_[rank].dirty = true;
  dirty_.push_back(rank);
}

inline void Replay::hold_sms(OpId op) {
  if (work_of(op).reserved_sms == 0) return;
  const RankClassId rank = rank_of(op);
  ranks_[rank].sms.add(op, work_of(op).reserved_sms);
  mark_dirty(rank);
}

inline void Replay::give_sms_back(OpId op) {
  if (work_of(op).reserved_sms == 0) return;
  const RankClassId rank = rank_of(op);
  ranks_[rank].sms.remove(op, work_of(op).reserved_sms);
  mark_dirty(rank);
}

inline void Replay::load_memory(OpId op) {
  if (work_of(op).memory_demand == 0) return;
  const RankClassId rank = rank_of(op);
  const bool was_short = ranks_[rank].memory_short();
  ranks_[rank].memory.add(op, work_of(op).memory_demand);
  on_memory_changed(rank, was_short);
}

inline void Replay::unload_memory(OpId op) {
  if (work_of(op).memory_demand == 0) return;
  const RankClassId rank = rank_of(op);
  const bool was_short = ranks_[rank].memory_short();
  ranks_[rank].memory.remove(op, work_of(op).memory_demand);
  on_memory_changed(rank, was_short);
}

/// Nobody feels a load that leaves memory for all.
inline void Replay::on_memory_changed(RankClassId rank, bool was_short) {
  const bool is_short = ranks_[rank].memory_short();
  if (!was_short && !is_short) return;
  ranks_[rank].bounds_changed = true;
  mark_dirty(rank);
  if (is_short && !was_short) ++ranks_short_of_memory_;
  if (was_short && !is_short) --ranks_short_of_memory_;
}

}  // namespace clusterwright::replay_state
