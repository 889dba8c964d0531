// SPDX-License-Identifier: Apache-2.0
/// Times of passes at one timing: of all their segments in a row, beside a load that stays.
#pragma once

#include <algorithm>
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
  /// Ranks of one variant have equal clocks and times of collectives.
  std::size_t variant(RankClassId rank) const { return variant_[rank]; }
  /// Time of the host for the whole pass.
  Picoseconds issue_time(PassId pass) const { return issued_[pass].back(); }
  Picoseconds first_issue(PassId pass) const { return issued_[pass].front(); }
  /// Time of the host until it has issued a segment, and the gate of the next one.
  Picoseconds issued_through(PassId pass, std::size_t segment) const {
    const std::size_t gate = shapes_[pass].gates[segment + 1];
    return issued_[pass][std::min(gate, issued_[pass].size() - 1)];
  }
  /// @param place  of the load; a timing gives each load one place, counted from 0
  const PassTable& table(PassId pass, RankClassId rank, const OutsideLoad& load, std::uint32_t place);
  PassPlayer player() const { return {works_, structure_.engine_charges}; }

 private:
  using Charged = std::pair<ChargeId, Picoseconds>;

  /// A played segment, from its begin.
  struct Played {
    std::size_t starts;                      // of its first op, in played_starts_
    std::size_t charges_begin, charges_end;  // in played_charges_
    Picoseconds length;
  };
  Played play(PassId pass, RankClassId rank, const OutsideLoad& load, std::size_t segment);
  void make_table(PassId pass, RankClassId rank, const OutsideLoad& load, PassTable& table);
  void sum_charges(const PassShape& shape, PassTable& table) const;
  PassTable& spare_table();

  const StepStructure& structure_;
  WorkTimes& works_;
  const StepTiming* timing_ = nullptr;
  IndexedVector<PassId, PassShape> shapes_;
  IndexedVector<PassId, std::vector<Picoseconds>> issued_;
  IndexedVector<RankClassId, std::size_t> variant_;    ///< ranks of equal clocks and times of collectives share tables
  std::vector<std::vector<Picoseconds>> alone_;        ///< by variant
  std::vector<std::vector<const PassTable*>> tables_;  ///< by variant, then pass; by place of the load, null: not made

  std::vector<std::unique_ptr<PassTable>> pool_;  // the first `pooled_` are in `tables_`
  std::size_t pooled_ = 0;
  PassPlayer player_{works_, structure_.engine_charges};
  std::vector<Played> played_;  // by segment of the table that is made; those that are the first of their like
  std::vector<Picoseconds> played_starts_;
  std::vector<Charged> played_charges_;
};

}  // namespace clusterwright::engine
