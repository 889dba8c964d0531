// SPDX-License-Identifier: Apache-2.0
/// Times of passes at one timing: of all their segments in a row, beside a load that stays.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sim/pass_player.hpp"

namespace clusterwright::engine {

/// A pass on a device whose host is ahead, beside a constant load from outside.
struct PassTable {
  std::vector<Picoseconds> begin;  ///< of each segment, from the begin of the pass; and its end
  /// By segment: how long before the segment the host must have begun to issue the pass, for nothing from there on to
  /// wait for it.
  std::vector<Picoseconds> lead;
  std::vector<ChargeId> charges;     ///< those that occur
  std::vector<Picoseconds> charged;  ///< sums of all segments before, by segment, then by place in `charges`
  Picoseconds charged_between(std::size_t from, std::size_t to, std::size_t charge) const {
    return charged[to * charges.size() + charge] - charged[from * charges.size() + charge];
  }
};

class PassTimes {
 public:
  PassTimes(const StepStructure& structure, WorkTimes& works);

  /// @param timing  must live until the next call, @param chain_alone  time of each chain without contention
  void reset(const StepTiming& timing, const IndexedVector<ChainId, Picoseconds>& chain_alone);

  TimedPass on(PassId pass, RankClassId rank) const;
  const PassShape& shape(PassId pass) const { return shapes_[pass]; }
  /// Time of the host for the whole pass.
  Picoseconds issue_time(PassId pass) const { return issued_[pass].back(); }
  Picoseconds first_issue(PassId pass) const { return issued_[pass].front(); }
  const PassTable& table(PassId pass, RankClassId rank, const OutsideLoad& load);
  PassPlayer player() const { return {works_, *timing_, structure_.engine_charges}; }

 private:
  struct Entry {
    OutsideLoad load;
    std::unique_ptr<PassTable> table;
  };

  struct Segment {
    std::vector<Picoseconds> starts;  ///< by op, from the begin
    std::vector<std::pair<ChargeId, Picoseconds>> charges;
    Picoseconds length;
  };
  Segment play(PassId pass, RankClassId rank, const OutsideLoad& load, std::size_t segment) const;
  PassTable make_table(PassId pass, RankClassId rank, const OutsideLoad& load) const;

  const StepStructure& structure_;
  WorkTimes& works_;
  const StepTiming* timing_ = nullptr;
  IndexedVector<PassId, PassShape> shapes_;
  IndexedVector<PassId, std::vector<Picoseconds>> issued_;
  IndexedVector<RankClassId, std::size_t> variant_;  ///< ranks of equal clocks and times of collectives share tables
  std::vector<std::vector<Picoseconds>> alone_;      ///< by variant
  std::vector<std::vector<Entry>> tables_;           ///< by variant, then pass
};

}  // namespace clusterwright::engine
