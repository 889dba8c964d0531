// SPDX-License-Identifier: Apache-2.0
/// Levels at which overdrawn resources hold their transfers, kept up to date by local repair.
///
/// Resource r with level L(r) holds a transfer at rate w * L(r) unless another resource or its bound b holds it lower.
/// Progressive filling (sim/capacity_sharing.hpp) ends in levels with this property. Seen from r, transfer f has
///   m(f) = lowest level of its other resources,   x(f) = min(b, w * m(f)).
/// At level L of r, set F(L) has the transfers that froze before r does: m(f) < L or b <= w * L. The others share
///   g(L) = floor((c - sum over F(L) of a x) / sum over the others of a w),
/// and L(r) is the lowest L with g(L) <= L; no level where all are in F(L). Resources at equal levels are not in each
/// other's F(L): they freeze together.
///
/// These equations have one solution. Let two differ, v be the lowest level at which they do, and L(r) = v in one but
/// more in the other. F(v) at r depends on levels below v only, which agree. So g(v) is the same in both, and r has
/// level v in both. It follows that any order of repairs that ends, ends in the levels of progressive filling.
/// Repairs do end: no resource can be below the lowest true level v once it was repaired, and those with true level v
/// are right as soon as all others are at v or above. The same holds for the next level, and so on.
///
/// When the level of r moves (sim/resource_level.hpp computes it), m(f) and x(f) of its transfers may move, seen from
/// their other resources. These are repaired next, unless the transfer was and stays held there. Most resources hold no
/// transfer and have room: if the sum of a (x + w) is at most c, then g(L) > L wherever a transfer is left, and repair
/// need not look at the transfers.
///
/// Example: link A of 100 and B of 60 byte/s, transfers 1 on A, 2 on A and B, 3 on B. L(B) = 60 / 2 = 30; seen from A,
/// m(2) = 30, so g(0) = 50, g(50) = (100 - 30) / 1 = 70, L(A) = 70. Transfer 3 leaves: g(0) = 60 at B, L(B) = 60. At A,
/// m(2) = 60 > g(0) = 50, L(A) = 50. At B, now m(2) = 50, F(60) holds transfer 2 and no other is left: no level.
///
/// A change of one transfer among tens of thousands moves some ten levels. Where repair visits more than a full fill
/// would, levels are filled anew, lowest first.
///
/// @source Ros-Giralt et al., On the Bottleneck Structure of Congestion-Controlled Networks, 2019, for the locality
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sim/resource_level.hpp"
#include "sim/shared_transfer.hpp"

namespace clusterwright {

class WaterLevels {
 public:
  /// Forgets all transfers and resources; memory is kept.
  void reset(std::size_t resources);
  /// Ready for new transfers, in time that does not grow with the resources. @pre all transfers were erased
  void clear();

  /// @pre demands of the resources include the transfer, and `key` is not in use
  void insert(std::uint32_t key, const SharedTransfer& transfer, std::span<const SharedResource> resources);
  /// @pre demands of the resources no longer include the transfer
  void erase(std::uint32_t key, std::span<const SharedResource> resources);

  /// Brings levels up to date.
  /// @return keys of all transfers whose rate may have changed; may name transfers that were erased
  const std::vector<std::uint32_t>& settle();

  /// Rate of one of the equal transfers, at least 1.
  std::uint64_t rate(std::uint32_t key) const;

 private:
  static constexpr std::uint32_t nobody = ~0u;

  /// One cache line.
  struct alignas(64) Node {
    std::uint32_t first = 0;  // slot; those of a node stand together
    std::uint32_t slots = 0;
    std::uint32_t room = 0;
    bool uniform = false;
    bool overdrawn = false;
    bool queued = false;
    UInt128 capacity = 0;
    UInt128 most_drawn = 0;   // sum of a (x + w)
    std::uint64_t take = 0;   // a of all slots, if uniform
    std::uint64_t whole = 0;  // capacity / take, if uniform: 64 bits suffice then
  };

  /// Resource on the route of a transfer, and the slot there.
  struct Hop {
    std::uint32_t resource = 0;
    std::uint32_t slot = 0;
  };

  struct Limits {
    std::uint64_t lowest = unlimited_level;  // level of the holder
    std::uint64_t second = unlimited_level;  // lowest level of resources other than the holder
    std::uint32_t holder = nobody;

    /// m, seen from a resource.
    std::uint64_t seen_from(std::uint32_t resource) const { return resource == holder ? second : lowest; }
  };

  /// One cache line.
  struct alignas(64) Entry {
    Limits limits;
    std::uint32_t hops = 0;
    std::uint32_t weight = 1;
    std::uint64_t bound = 0;
    std::uint64_t bound_level = 0;  // lowest L with bound <= weight * L
    bool live = false;
    bool touched = false;

    std::uint64_t share_at(std::uint64_t level) const;
    std::uint64_t share() const { return share_at(limits.lowest); }
  };

  struct Moved {
    std::uint32_t key = 0;
    Limits before;
  };

  /// While filling anew.
  struct Filling {
    UInt128 residual = 0;
    UInt128 weight = 0;
    bool listed = false;
  };
  using LevelAt = std::pair<std::uint64_t, std::uint32_t>;  // level, and resource or transfer

  std::span<Hop> hops_of(std::uint32_t key) { return {hops_.data() + key * longest_route_, entries_[key].hops}; }
  std::span<const LevelSlot> slots_of(const Node& node) const { return {slots_.data() + node.first, node.slots}; }

  void make_room(std::uint32_t key, std::size_t hops);
  void make_room(Node& node);
  void add_slot(std::uint32_t key, const SharedTransfer& transfer, const CapacityDemand& demand,
                const SharedResource& resource);
  void remove_slot(const Hop& hop);
  void set_limit(const Entry& entry, const Hop& hop);
  void touch(std::uint32_t key);
  void queue(std::uint32_t resource);
  void demand_changed(std::uint32_t resource, const SharedResource& state);

  bool has_room(std::uint32_t resource) const;
  void repair(std::uint32_t resource);
  bool level_moved(std::uint32_t key, std::uint32_t resource, std::uint64_t before, std::uint64_t now);
  void find_lowest(std::uint32_t key);
  void fetch(std::uint32_t key, const Limits& before);
  void spread(std::uint32_t key, const Limits& before);

  void fill();
  void begin_fill();
  void list(const Hop& hop, std::uint32_t weight);
  bool freeze_bounded(std::uint64_t level);
  std::uint64_t take_lowest();
  void reopen(std::uint64_t level, std::uint32_t resource);
  void freeze(std::uint32_t key, std::uint64_t level);
  void limits_filled(std::uint32_t key);

  std::vector<Node> nodes_;            // by resource
  std::vector<std::uint64_t> levels_;  // by resource
  std::vector<LevelSlot> slots_;       // grouped by resource, with room for more
  std::vector<Entry> entries_;         // by key
  std::vector<Hop> hops_;              // longest_route_ for each key
  std::size_t longest_route_ = 8;
  std::vector<std::uint32_t> queue_;    // resources to repair
  std::vector<std::uint32_t> touched_;  // transfers
  std::vector<std::uint32_t> reported_;
  std::vector<Moved> moved_;    // transfers of the resource under repair
  std::size_t slot_count_ = 0;  // in use
  std::size_t visits_ = 0;      // slots that repair has looked at since settle() began
  std::size_t live_ = 0;
  std::size_t edits_ = 0;     // inserts and erases since settle()
  unsigned fills_ahead_ = 0;  // settles that fill at once, as repair was too much work
  unsigned fills_next_ = 1;

  std::vector<Filling> filling_;       // by resource
  std::vector<std::uint32_t> listed_;  // overdrawn resources of live transfers
  std::vector<LevelAt> open_;          // heap, lowest level first: resources that are not frozen
  std::vector<LevelAt> bounds_;        // heap, lowest first: transfers by bound_level
  std::vector<std::uint32_t> tied_;    // resources that freeze together
  std::vector<char> frozen_;           // by key
};

}  // namespace clusterwright
