/// What a running replay remembers beside its result: one small record per op, work, lane, rank class, rendezvous and
/// transfer. Each gathers what the event loop touches together, so that an op costs few cache lines.
#pragma once

#include <cstdint>

#include "sim/step_graph.hpp"
#include "sim/wide_integer.hpp"

namespace clusterwright::replay_state {

/// Progress of a compute op per picosecond when it runs alone.
inline constexpr std::uint32_t full_speed_bits = 20;
inline constexpr std::uint32_t full_speed = 1u << full_speed_bits;

/// Device memory bandwidth that is there to share.
inline constexpr std::uint32_t whole_memory = 1'000'000;

/// A pending event of an op, lane (of a kernel or a run), rendezvous or transfer. An event of another version is stale.
/// One word, put together in a register: a copy of several fields just written would wait for all of them.
class Pending {
 public:
  enum Kind : std::uint64_t { issued, computed, ran, delayed, transferred };

  Pending() = default;
  Pending(Kind what, std::uint32_t which, std::uint32_t version_now = 0)
      : word_(which | std::uint64_t{what} << 32 | std::uint64_t{version_now} << version_shift) {}
  Kind kind() const { return static_cast<Kind>(word_ >> 32 & 7); }
  std::uint32_t index() const { return static_cast<std::uint32_t>(word_); }
  bool is_of(std::uint32_t version_now) const {
    return word_ >> version_shift == std::uint64_t{version_now} << version_shift >> version_shift;
  }

 private:
  static constexpr int version_shift = 35;  // 29 bits

  std::uint64_t word_;
};
static_assert(sizeof(Pending) == 8);

/// Copied from the structure.
struct OpState {
  LaneId lane;
  WorkId work;
  RendezvousId rendezvous;
  ChargeId charge;
  OpId next_in_lane;
  std::uint32_t successor_begin = 0;  // where those of the op before end
  OpId next_in_run;                   // "none" at the end of a run, and outside
  OpId next_member;                   // circle of the members that arrived, in order of arrival
};
static_assert(sizeof(OpState) == 32, "half a cache line");

/// Added to what an op waits for that its run starts: nothing else ever releases it.
inline constexpr std::uint32_t started_by_run = 1u << 31;

struct WorkState {
  std::uint32_t reserved_sms = 0;
  std::uint32_t memory_demand = 0;  // in 1/whole_memory
  SmTableId sm_table;
};

/// A run that is under way on a compute lane. Its ops already have the times that they will have if nothing changes;
/// the lane itself describes the op `at`.
struct RunState {
  OpId at;    // first op that is not known to have ended; "none": no run
  OpId last;  // op of the plan
  ChargeId culprit;
  std::uint32_t left = 0;      // ops from `at` to `last`
  bool slowed = false;         // some of these ops are
  std::uint64_t reserved = 0;  // multiprocessors that others held when the run was planned
};

/// The op at the head of a lane; all but `op`, `rank` and `version` only for compute ops.
struct LaneState {
  OpId op;
  RankClassId rank;
  std::uint32_t version = 0;
  std::uint32_t speed = 0;  // 0: not decided yet
  Int128 remaining = 0;     // picoseconds alone, times full_speed; as of `since`
  Picoseconds since;
  Picoseconds lost;  // to sharing, already charged
  ChargeId culprit;  // of the op that slowed it down last
  bool charges_losses = false;
  RunState run;
};

/// The ops of a rank that take some of one thing, and how much they take together.
struct Takers {
  std::uint64_t amount = 0;
  std::uint32_t count = 0;
  std::uint32_t mixed = 0;  // exclusive or of their ids: of a single taker, its id

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

struct RankState {
  Takers memory;                // active ops with a demand, in 1/whole_memory
  Takers sms;                   // started ops that hold multiprocessors
  bool dirty = false;           // loads changed at this instant
  bool bounds_changed = false;  // those of transfers, too
  std::size_t durations = 0;    // where those of works at its clock begin

  bool memory_short() const { return memory.amount > whole_memory; }
};

struct RendezvousState {
  static constexpr std::uint32_t no_transfer = ~0u;

  std::uint32_t missing = 0;  // members that have not arrived
  std::uint32_t leg = 0;      // the one that runs
  std::uint32_t leg_end = 0;  // behind the last one
  std::uint32_t transfer = no_transfer;

  bool past_chain() const { return leg >= leg_end; }
};

struct TransferState {
  Int128 remaining = 0;  // bytes times picoseconds per second; as of `since`
  Picoseconds since;
  std::uint64_t rate = 0;  // 0: not decided yet
  std::uint64_t bound = 0;
  RendezvousId rendezvous;
  std::uint32_t version = 0;
  bool bound_stale = false;
};

}  // namespace clusterwright::replay_state
