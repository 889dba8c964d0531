// SPDX-License-Identifier: Apache-2.0
/// Events of a replay, packed into one word.
#pragma once

#include <cstdint>

#include "sim/event_queue.hpp"

namespace clusterwright::engine {

/// A pending event of an op, a lane (end of its kernel or run) or a rendezvous. An event whose version is not the
/// present one of its lane or rendezvous is stale. One word, put together in a register: a copy of several fields
/// just written would wait for all of them.
class PendingEvent {
 public:
  enum Kind : std::uint64_t {
    issued,      ///< the host has issued an op
    computed,    ///< the kernel at the head of a lane ends
    ran,         ///< the run on a lane ends
    passed,      ///< the pass on a lane ends
    delayed,     ///< the delay of a leg, or a whole uncontended chain, is over
    transferred  ///< the bytes of a leg have arrived
  };

  PendingEvent() = default;
  PendingEvent(Kind what, std::uint32_t which, std::uint32_t version_now = 0)
      : word_(which | std::uint64_t{what} << 32 | std::uint64_t{version_now} << version_shift) {}
  Kind kind() const { return static_cast<Kind>(word_ >> 32 & 7); }
  std::uint32_t index() const { return static_cast<std::uint32_t>(word_); }
  bool is_of(std::uint32_t version_now) const {
    return word_ >> version_shift == std::uint64_t{version_now} << version_shift >> version_shift;
  }

  /// Order of events of one instant: ops, lanes, rendezvous, each by number. So it depends on the step alone, and not
  /// on what was pushed when; a lane whose passes are taken apart keeps its place.
  friend bool operator<(PendingEvent a, PendingEvent b) { return a.place() < b.place(); }

 private:
  std::uint64_t place() const {
    const std::uint64_t owner = kind() >= delayed ? 2 : kind() >= computed ? 1 : 0;
    return owner << 32 | index();
  }

  static constexpr int version_shift = 35;  // leaves 29 bits for the version

  std::uint64_t word_;
};
static_assert(sizeof(PendingEvent) == 8);

/// Clock and queue of one replay.
using Events = EventQueue<PendingEvent>;

}  // namespace clusterwright::engine
