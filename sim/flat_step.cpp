// SPDX-License-Identifier: Apache-2.0
#include "sim/flat_step.hpp"

#include <algorithm>
#include <cstddef>

namespace clusterwright {

namespace {

/// Appends ops to a structure whose other members are those of another one.
class Flattener {
 public:
  Flattener(const StepStructure& from, const OpensPass& opens) : from_(from) {
    copy_frame();
    for (const RankClassId rank : from.ranks.ids())
      for (const PassId pass : from.passes.ids()) open_.push_back(opens(pass, rank) ? 1 : 0);
    reserve();
  }

  FlatStep run() {
    for (const OpId op : from_.op_lane.ids()) is_open(op) ? open(op) : keep(op);
    join_successors();
    return std::move(out_);
  }

 private:
  bool is_open(OpId op) const {
    const PassId pass = from_.op_pass[op];
    return pass.exists() && open_[rank_of(op).value * from_.passes.size() + pass.value] != 0;
  }
  RankClassId rank_of(OpId op) const { return from_.lanes[from_.op_lane[op]].rank; }

  void copy_frame() {
    StepStructure& s = out_.structure;
    s.ranks = from_.ranks;
    s.power_domains = from_.power_domains;
    s.lanes = from_.lanes;
    s.passes = from_.passes;
    s.pass_lanes = from_.pass_lanes;
    s.pass_chains = from_.pass_chains;
    s.rendezvous = from_.rendezvous;
    s.chain_begin = from_.chain_begin;
    s.use_begin = from_.use_begin;
    s.uses = from_.uses;
    s.work_names = from_.work_names;
    s.resource_names = from_.resource_names;
    s.charge_names = from_.charge_names;
    s.engine_charges = from_.engine_charges;
    last_in_lane_.resize(s.lanes.size());
  }

  void reserve() {
    std::size_t ops = 0;
    for (const OpId op : from_.op_lane.ids()) ops += is_open(op) ? from_.passes[from_.op_pass[op]].ops.size() : 1;
    StepStructure& s = out_.structure;
    for (auto* list : {&s.op_note, &s.op_second_note}) list->reserve(ops);
    s.op_lane.reserve(ops);
    s.op_work.reserve(ops);
    s.op_pass.reserve(ops);
    s.op_rendezvous.reserve(ops);
    s.op_charge.reserve(ops);
    s.predecessor_count.reserve(ops);
    s.next_in_lane.reserve(ops);
    dependencies_.reserve(ops);
    out_.first.reserve(from_.op_count());
    out_.last.reserve(from_.op_count());
  }

  OpId append(LaneId lane, WorkId work, PassId pass, RendezvousId rendezvous, ChargeId charge) {
    StepStructure& s = out_.structure;
    const OpId op = s.op_lane.push_back(lane);
    s.op_work.push_back(work);
    s.op_pass.push_back(pass);
    s.op_rendezvous.push_back(rendezvous);
    s.op_charge.push_back(charge);
    s.predecessor_count.push_back(0);
    s.next_in_lane.push_back(OpId());
    if (last_in_lane_[lane].exists()) s.next_in_lane[last_in_lane_[lane]] = op;
    last_in_lane_[lane] = op;
    return op;
  }

  void keep(OpId op) {
    const OpId id =
        append(from_.op_lane[op], from_.op_work[op], from_.op_pass[op], from_.op_rendezvous[op], from_.op_charge[op]);
    out_.structure.op_note.push_back(from_.op_note[op]);
    out_.structure.op_second_note.push_back(from_.op_second_note[op]);
    out_.first.push_back(id);
    out_.last.push_back(id);
  }

  void open(OpId op) {
    StepStructure& s = out_.structure;
    const PassTemplate& pass = from_.passes[from_.op_pass[op]];
    const RankClassId rank = rank_of(op);
    const auto first = static_cast<std::uint32_t>(s.op_count());
    for (const PassOp& inner : pass.ops) {
      RendezvousId own;
      if (inner.collective != PassOp::kernel)
        own = s.rendezvous.push_back({from_.pass_chains[rank][inner.collective], inner.charge, 1});
      append(from_.pass_lanes[rank][inner.lane], inner.work, PassId(), own, inner.charge);
      s.op_note.push_back(inner.second_note ? from_.op_second_note[op] : from_.op_note[op]);
      s.op_second_note.push_back(-1);
    }
    for (const auto& [before, after] : pass.dependencies) depends(OpId(first + before), OpId(first + after));
    out_.first.push_back(OpId(first));
    out_.last.push_back(OpId(s.op_count() - 1));
  }

  void depends(OpId before, OpId after) {
    dependencies_.emplace_back(before, after);
    ++out_.structure.predecessor_count[after];
  }

  void join_successors() {
    for (const OpId op : from_.op_lane.ids())
      for (std::uint32_t i = from_.successor_begin[op.value]; i < from_.successor_begin[op.value + 1]; ++i)
        depends(out_.last[op], out_.first[from_.successor[i]]);
    StepStructure& s = out_.structure;
    s.successor_begin.assign(s.op_count() + 1, 0);
    for (const auto& [before, after] : dependencies_) ++s.successor_begin[before.value + 1];
    for (std::size_t op = 0; op < s.op_count(); ++op) s.successor_begin[op + 1] += s.successor_begin[op];
    s.successor.resize(dependencies_.size());
    std::vector<std::uint32_t> fill(s.successor_begin.begin(), s.successor_begin.end() - 1);
    for (const auto& [before, after] : dependencies_) s.successor[fill[before.value]++] = after;
  }

  const StepStructure& from_;
  std::vector<char> open_;  // by rank class, then pass
  FlatStep out_;
  IndexedVector<LaneId, OpId> last_in_lane_;
  std::vector<std::pair<OpId, OpId>> dependencies_;
};

}  // namespace

FlatStep flatten(const StepStructure& structure, const OpensPass& opens) {
  return Flattener(structure, opens).run();
}

FlatStep flatten(const StepStructure& structure) {
  return flatten(structure, [](PassId, RankClassId) { return true; });
}

}  // namespace clusterwright
