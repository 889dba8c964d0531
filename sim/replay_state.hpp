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

/// A pending event; `index` is an op, lane, rendezvous or transfer. An event of another version is stale.
/// One word, because a copy of several fields just written would wait for all of them.
struct Pending {
  enum Kind : std::uint64_t { issued, computed, delayed, transferred };
  static constexpr std::uint32_t version_mask = (1u << 30) - 1;

  std::uint64_t index : 32;
  Kind kind : 2;
  std::uint64_t version : 30;

  Pending() = default;
  Pending(Kind what, std::uint32_t which, std::uint32_t version_now = 0)
      : index(which), kind(what), version(version_now & version_mask) {}
  bool is_of(std::uint32_t version_now) const { return version == (version_now & version_mask); }
};
static_assert(sizeof(Pending) == 8);

/// Copied from the structure, but for the two counters of a running op.
struct OpState {
  LaneId lane;
  WorkId work;
  RendezvousId rendezvous;
  ChargeId charge;
  OpId next_in_lane;
  std::uint32_t successor_begin = 0;  // where those of the op before end
  std::uint32_t waiting_for = 0;      // dependencies and lane predecessor not ended yet
  OpId next_member;                   // circle of the members that arrived, in order of arrival
};
static_assert(sizeof(OpState) == 32, "half a cache line");

struct WorkState {
  Picoseconds duration;  // alone, at `clock`
  double clock = 1;      // of the rank that asked last
  std::uint32_t reserved_sms = 0;
  std::uint32_t memory_demand = 0;  // in 1/whole_memory
  SmTableId sm_table;
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

  bool memory_short() const { return memory.amount > whole_memory; }
};

struct RendezvousState {
  static constexpr std::uint32_t no_transfer = ~0u;

  std::uint32_t missing = 0;    // members that have not arrived
  std::uint32_t stage = 0;      // the one that runs
  std::uint32_t stage_end = 0;  // behind the last one
  std::uint32_t transfer = no_transfer;

  bool past_chain() const { return stage >= stage_end; }
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
