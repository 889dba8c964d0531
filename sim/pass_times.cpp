// SPDX-License-Identifier: Apache-2.0
#include "sim/pass_times.hpp"

#include <algorithm>

namespace clusterwright::engine {

PassTimes::PassTimes(const StepStructure& structure, WorkTimes& works) : structure_(structure), works_(works) {
  for (const PassTemplate& pass : structure.passes) shapes_.push_back(PassShape(pass));
}

void PassTimes::reset(const StepTiming& timing, const IndexedVector<ChainId, Picoseconds>& chain_alone) {
  timing_ = &timing;
  issued_.resize(structure_.passes.size());
  for (const PassId pass : issued_.ids()) {
    issued_[pass].clear();
    Picoseconds host;
    for (const PassOp& op : structure_.passes[pass].ops) issued_[pass].push_back(host += timing.works[op.work].launch);
  }
  variant_.clear();
  alone_.clear();
  for (auto& by_load : tables_) by_load.clear();
  pooled_ = 0;
  std::vector<double> clocks;  // by variant
  for (const RankClassId rank : structure_.ranks.ids()) {
    std::vector<Picoseconds> alone;
    for (const ChainId chain : structure_.pass_chains[rank]) alone.push_back(chain_alone[chain]);
    std::size_t variant = 0;
    while (variant < alone_.size() && (alone_[variant] != alone || clocks[variant] != timing.clock[rank])) ++variant;
    if (variant == alone_.size()) {
      alone_.push_back(std::move(alone));
      clocks.push_back(timing.clock[rank]);
    }
    variant_.push_back(variant);
  }
  tables_.resize(alone_.size() * structure_.passes.size());
}

TimedPass PassTimes::on(PassId pass, RankClassId rank) const {
  return {&shapes_[pass], timing_, &issued_[pass], &alone_[variant_[rank]], rank};
}

const PassTable& PassTimes::table(PassId pass, RankClassId rank, const OutsideLoad& load, std::uint32_t place) {
  auto& by_load = tables_[variant_[rank] * structure_.passes.size() + pass.value];
  if (place >= by_load.size()) by_load.resize(place + 1);
  if (by_load[place]) return *by_load[place];
  PassTable& table = spare_table();
  make_table(pass, rank, load, table);
  by_load[place] = &table;
  return table;
}

PassTable& PassTimes::spare_table() {
  if (pooled_ == pool_.size()) pool_.push_back(std::make_unique<PassTable>());
  PassTable& table = *pool_[pooled_++];
  table.begin.clear();
  table.lead.clear();
  table.charges.clear();
  return table;
}

PassTimes::Played PassTimes::play(PassId pass, RankClassId rank, const OutsideLoad& load, std::size_t segment) {
  const PassShape& shape = shapes_[pass];
  player_.begin(on(pass, rank), segment, {}, PassPlayer::host_ahead, load);
  player_.finish();
  Played out{played_starts_.size(), played_charges_.size(), 0, player_.end()};
  for (std::uint32_t op = shape.gates[segment]; op < shape.gates[segment + 1]; ++op)
    played_starts_.push_back(player_.op(op).start);
  player_.charge([&](ChargeId charge, Picoseconds time) {
    if (time.count != 0) played_charges_.emplace_back(charge, time);
  });
  out.charges_end = played_charges_.size();
  return out;
}

void PassTimes::make_table(PassId pass, RankClassId rank, const OutsideLoad& load, PassTable& table) {
  const PassShape& shape = shapes_[pass];
  const std::vector<Picoseconds>& issued = issued_[pass];
  played_.clear();
  played_starts_.clear();
  played_charges_.clear();
  Picoseconds begin;
  for (std::size_t segment = 0; segment < shape.segments(); ++segment) {
    const std::size_t like = shape.like[segment];
    played_.push_back(like == segment ? play(pass, rank, load, segment) : played_[like]);
    const Picoseconds* starts = &played_starts_[played_.back().starts];
    Picoseconds lead{std::numeric_limits<std::int64_t>::min()};
    for (std::uint32_t op = shape.gates[segment]; op < shape.gates[segment + 1]; ++op)
      lead = std::max(lead, issued[op] - begin - *starts++);
    table.begin.push_back(begin);
    table.lead.push_back(lead);
    begin += played_.back().length;
  }
  table.begin.push_back(begin);
  for (std::size_t segment = shape.segments() - 1; segment-- > 0;)
    table.lead[segment] = std::max(table.lead[segment], table.lead[segment + 1]);
  for (std::size_t segment = 0; segment < shape.segments(); ++segment) table.lead[segment] += table.begin[segment];
  sum_charges(shape, table);
}

void PassTimes::sum_charges(const PassShape& shape, PassTable& table) const {
  const auto place = [&](ChargeId charge) {
    const auto known = std::find(table.charges.begin(), table.charges.end(), charge);
    return static_cast<std::size_t>(known - table.charges.begin());
  };
  for (const auto& [charge, time] : played_charges_)
    if (place(charge) == table.charges.size()) table.charges.push_back(charge);
  const std::size_t columns = table.charges.size();
  table.charged.assign((shape.segments() + 1) * columns, {});
  if (columns == 0) return;
  for (std::size_t segment = 0; segment < shape.segments(); ++segment) {
    Picoseconds* row = &table.charged[(segment + 1) * columns];
    std::copy(row - columns, row, row);
    const Played& played = played_[segment];
    for (std::size_t i = played.charges_begin; i < played.charges_end; ++i)
      row[place(played_charges_[i].first)] += played_charges_[i].second;
  }
}

}  // namespace clusterwright::engine
