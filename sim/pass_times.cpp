// SPDX-License-Identifier: Apache-2.0
#include "sim/pass_times.hpp"

#include <algorithm>

namespace clusterwright::engine {

namespace {

/// Sums by charge, in the order in which charges appear.
class ChargeSums {
 public:
  explicit ChargeSums(PassTable& table) : table_(table) {}

  void add(ChargeId charge, Picoseconds time) {
    if (time.count == 0) return;
    const auto known = std::find(table_.charges.begin(), table_.charges.end(), charge);
    const auto place = static_cast<std::size_t>(known - table_.charges.begin());
    if (known == table_.charges.end()) {
      table_.charges.push_back(charge);
      now_.push_back({});
    }
    now_[place] += time;
  }
  void end_segment() { rows_.push_back(now_); }

  void write() {
    for (std::vector<Picoseconds>& row : rows_) {
      row.resize(now_.size());
      table_.charged.insert(table_.charged.end(), row.begin(), row.end());
    }
  }

 private:
  PassTable& table_;
  std::vector<Picoseconds> now_;
  std::vector<std::vector<Picoseconds>> rows_;
};

}  // namespace

PassTimes::PassTimes(const StepStructure& structure, WorkTimes& works) : structure_(structure), works_(works) {
  for (const PassTemplate& pass : structure.passes) shapes_.push_back(PassShape(pass));
}

void PassTimes::reset(const StepTiming& timing, const IndexedVector<ChainId, Picoseconds>& chain_alone) {
  timing_ = &timing;
  issued_.clear();
  for (const PassTemplate& pass : structure_.passes) {
    std::vector<Picoseconds> issued;
    Picoseconds host;
    for (const PassOp& op : pass.ops) issued.push_back(host += timing.works[op.work].launch);
    issued_.push_back(std::move(issued));
  }
  variant_.clear();
  alone_.clear();
  tables_.clear();
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
  return {&shapes_[pass], &issued_[pass], &alone_[variant_[rank]], rank};
}

const PassTable& PassTimes::table(PassId pass, RankClassId rank, const OutsideLoad& load) {
  std::vector<Entry>& entries = tables_[variant_[rank] * structure_.passes.size() + pass.value];
  for (const Entry& entry : entries)
    if (entry.load == load) return *entry.table;
  entries.push_back({load, std::make_unique<PassTable>(make_table(pass, rank, load))});
  return *entries.back().table;
}

PassTimes::Segment PassTimes::play(PassId pass, RankClassId rank, const OutsideLoad& load, std::size_t segment) const {
  const PassShape& shape = shapes_[pass];
  PassPlayer player = this->player();
  player.begin(on(pass, rank), segment, {}, PassPlayer::host_ahead, load);
  player.finish();
  Segment out;
  for (std::uint32_t op = shape.gates[segment]; op < shape.gates[segment + 1]; ++op)
    out.starts.push_back(player.op(op).start);
  player.charge([&](ChargeId charge, Picoseconds time) { out.charges.emplace_back(charge, time); });
  out.length = player.end();
  return out;
}

PassTable PassTimes::make_table(PassId pass, RankClassId rank, const OutsideLoad& load) const {
  const PassShape& shape = shapes_[pass];
  PassTable table;
  ChargeSums sums(table);
  std::vector<Segment> played(shape.segments());  // those that are the first of their like
  Picoseconds begin;
  sums.end_segment();
  for (std::size_t segment = 0; segment < shape.segments(); ++segment) {
    table.begin.push_back(begin);
    Segment& times = played[shape.like[segment]];
    if (shape.like[segment] == segment) times = play(pass, rank, load, segment);
    Picoseconds lead{std::numeric_limits<std::int64_t>::min()};
    for (std::size_t i = 0; i < times.starts.size(); ++i)
      lead = std::max(lead, issued_[pass][shape.gates[segment] + i] - begin - times.starts[i]);
    table.lead.push_back(lead);
    for (const auto& [charge, time] : times.charges) sums.add(charge, time);
    sums.end_segment();
    begin += times.length;
  }
  table.begin.push_back(begin);
  for (std::size_t segment = shape.segments() - 1; segment-- > 0;)
    table.lead[segment] = std::max(table.lead[segment], table.lead[segment + 1]);
  for (std::size_t segment = 0; segment < shape.segments(); ++segment) table.lead[segment] += table.begin[segment];
  sums.write();
  return table;
}

}  // namespace clusterwright::engine
