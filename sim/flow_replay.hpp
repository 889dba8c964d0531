// SPDX-License-Identifier: Apache-2.0
/// Replay of flows over the directed links of a network: contention on the real graph, link by link.
///
/// A flow waits for the latency of its route. Then its bytes flow at the max-min fair rate that CapacitySharing grants
/// among all flows under way, until the last one has arrived. All ends and starts of one instant are settled together.
/// Whoever starts flows is told of each end and may start further flows from there: after another flow, after a round
/// of them, back to back.
///
/// Example: two flows of 1 GB over one link of 50 GB/s, the second 10 ms later. The first runs alone for 10 ms
/// (500 MB), then both at 25 GB/s: it ends at 30 ms, the second, with 500 MB left, alone again, at 40 ms.
///
/// Flows on one route are one transfer with a count: they always have the same rate, so the route keeps one progress,
/// and a flow ends when that has grown by its bytes. The next end on every route is in a heap that moves it in place.
///
/// Units are finer than in a step, since closed-loop traffic amplifies a picosecond a hundred thousand times. Time is
/// in whole femtoseconds (64 bits last 2.5 hours), rates are in whole 2^-16 byte/s. Ends are rounded up to the next
/// femtosecond. Limits, which are checked: links below 2^48 byte/s (281 TB/s), flows below 2^60 bytes.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "sim/capacity_sharing.hpp"
#include "sim/completion_heap.hpp"
#include "sim/typed_id.hpp"
#include "sim/wide_integer.hpp"

namespace clusterwright {

/// A point on the clock of a flow replay, or a span of it.
struct Femtoseconds {
  std::int64_t count = 0;

  constexpr auto operator<=>(const Femtoseconds&) const = default;
};
inline constexpr std::int64_t femtoseconds_per_second = 1'000'000'000'000'000;

using FlowRouteId = Id<struct FlowRouteTag>;

class FlowReplay {
 public:
  /// Unit of rates: bytes per second times this.
  static constexpr std::uint64_t rate_one = 1 << 16;

  /// @param capacities  bytes per second of each directed link, > 0
  /// @throws std::invalid_argument if a capacity is outside the limits
  explicit FlowReplay(const std::vector<std::uint64_t>& capacities);

  /// @param links    indices into the capacities, at least one
  /// @param latency  >= 0, from start until bytes flow
  /// @throws std::invalid_argument if links are missing or unknown, or latency is negative
  FlowRouteId add_route(std::span<const std::uint32_t> links, Femtoseconds latency = {});
  /// Another way for a route on which no flow is under way.
  void redirect(FlowRouteId route, std::span<const std::uint32_t> links, Femtoseconds latency = {});

  /// Starts a flow at `now()`, or at a later instant. @param flow  number by which its end is reported
  /// @throws std::invalid_argument if bytes are beyond the limit or the instant has passed
  void start(FlowRouteId route, std::uint64_t bytes, std::uint64_t flow) { start(route, bytes, flow, now_); }
  void start(FlowRouteId route, std::uint64_t bytes, std::uint64_t flow, Femtoseconds at);

  /// Goes to the next instant at which a flow ends or its bytes begin to flow.
  /// @param on_end  called with the number of each flow that ends there; may start flows
  /// @return false if no flow is left
  template <class OnEnd>
  bool advance(OnEnd&& on_end) {
    if (!next_instant()) return false;
    at_instant_ = true;
    for (std::size_t i = 0; i < ended_.size(); ++i) on_end(ended_[i]);
    at_instant_ = false;
    begin_due();
    settle();
    return true;
  }

  /// Until no flow is left. @return the instant at which the last one ended
  template <class OnEnd>
  Femtoseconds run(OnEnd&& on_end) {
    while (advance(on_end)) continue;
    return now_;
  }

  Femtoseconds now() const { return now_; }
  /// Number of instants so far, at each of which rates were settled once.
  std::uint64_t instants() const { return instants_; }
  /// Rate of one flow on the route in 1/rate_one byte/s, and number of flows under way there.
  std::uint64_t rate(FlowRouteId route) const;
  std::uint32_t flows(FlowRouteId route) const;

 private:
  static constexpr std::uint32_t idle = ~0u;

  struct Route {
    CapacityDemand* demands = nullptr;
    std::uint32_t hops = 0;
    std::uint32_t room = 0;
    std::uint64_t bound = 0;  // capacity of its narrowest link
    Femtoseconds latency;
    std::uint32_t stream = idle;
  };

  struct Waiting {
    FlowRouteId route;
    std::uint64_t bytes = 0;
    std::uint64_t flow = 0;
  };

  struct Goal {
    Int128 progress = 0;  // of the route, at which the flow ends
    std::uint64_t flow = 0;

    bool operator>(const Goal& other) const { return progress > other.progress; }
  };

  /// Flows under way on one route. Progress is in rate_one x femtoseconds_per_second parts of a byte.
  struct Stream {
    Int128 progress = 0;  // of each flow since the stream began; as of `since`
    Goal next;
    std::vector<Goal> later;  // heap, least progress first
    Femtoseconds since;
    std::uint64_t rate = 0;
    FlowRouteId route;

    std::uint32_t flows() const { return static_cast<std::uint32_t>(later.size() + 1); }
  };

  void lay(Route& route, std::span<const std::uint32_t> links, Femtoseconds latency);
  CapacityDemand* room_for(std::size_t hops);
  bool next_instant();
  void end_due();
  void begin_due();
  void begin(const Waiting& start);
  void settle();
  void bring_up(Stream& stream) const;
  bool drop_next(Stream& stream);
  Femtoseconds end_of(const Stream& stream) const;

  std::vector<std::uint64_t> capacities_;  // in 1/rate_one byte/s
  CapacitySharing sharing_;
  IndexedVector<FlowRouteId, Route> routes_;
  std::vector<std::unique_ptr<CapacityDemand[]>> demand_blocks_;
  std::size_t block_used_ = 0;
  std::size_t block_size_ = 0;
  std::vector<Stream> streams_;  // by key in sharing_
  CompletionHeap<Femtoseconds> ends_;
  std::map<Femtoseconds, std::vector<Waiting>> starts_;
  std::vector<std::uint32_t> due_;
  std::vector<std::uint32_t> reset_;  // streams whose next flow is another one
  std::vector<std::uint64_t> ended_;
  Femtoseconds now_;
  std::uint64_t instants_ = 0;
  bool at_instant_ = false;  // what starts now is settled with what has ended
};

}  // namespace clusterwright
