/// What a running replay remembers beside its result: one small record per lane, rank class, rendezvous and transfer.
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
struct Pending {
  enum Kind : std::uint32_t { issued, computed, delayed, transferred };
  static constexpr std::uint32_t version_mask = (1u << 30) - 1;

  std::uint32_t index;
  Kind kind : 2;
  std::uint32_t version : 30;

  Pending(Kind what, std::uint32_t which, std::uint32_t version_now = 0)
      : index(which), kind(what), version(version_now & version_mask) {}
  bool is_of(std::uint32_t version_now) const { return version == (version_now & version_mask); }
};

/// The op at the head of a lane; all but `op` and `version` only for compute ops.
struct LaneState {
  OpId op;
  std::uint32_t version = 0;
  Int128 remaining = 0;  // picoseconds alone, times full_speed; as of `since`
  Picoseconds since;
  std::uint32_t speed = 0;  // 0: not decided yet
  ChargeId culprit;         // of the op that slowed it down last
  Picoseconds lost;         // to sharing, already charged
};

struct RankState {
  std::uint64_t memory = 0;    // demand of active ops, in 1/whole_memory
  std::uint32_t reserved = 0;  // multiprocessors held by started ops
  bool dirty = false;          // loads changed at this instant

  bool memory_short() const { return memory > whole_memory; }
};

/// What a table said last; kernels of one kind hold the same number time and again.
struct TableSpeed {
  std::uint32_t reserved = 0;
  std::uint32_t speed = full_speed;
};

struct RendezvousState {
  static constexpr std::uint32_t no_transfer = ~0u;

  std::uint32_t arrived = 0;
  std::uint32_t stage = 0;  // the one that runs
  std::uint32_t transfer = no_transfer;
  bool bound_stale = false;
};

struct TransferState {
  Int128 remaining = 0;  // bytes times picoseconds per second; as of `since`
  Picoseconds since;
  std::uint64_t rate = 0;  // 0: not decided yet
  std::uint64_t bound = 0;
  RendezvousId rendezvous;
  std::uint32_t version = 0;
};

}  // namespace clusterwright::replay_state
