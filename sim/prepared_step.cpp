// SPDX-License-Identifier: Apache-2.0
#include "sim/prepared_step.hpp"

#include <numeric>

namespace clusterwright::engine {

template <class Counts>
LanesByRank::LanesByRank(const StepStructure& structure, const Counts& counts) : begin_(structure.ranks.size() + 1) {
  for (const Lane& lane : structure.lanes)
    if (counts(lane)) ++begin_[lane.rank.value + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  lanes_.resize(begin_.back());
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (const LaneId lane : structure.lanes.ids())
    if (counts(structure.lanes[lane])) lanes_[next[structure.lanes[lane].rank.value]++] = lane;
}

PreparedStep::PreparedStep(const StepStructure& structure)
    : structure_(structure),
      lanes_of_(structure, [](const Lane&) { return true; }),
      compute_lanes_of_(structure, [](const Lane& lane) { return lane.kind != LaneKind::communication; }) {
  for (const Lane& lane : structure_.lanes) lane_ranks_.push_back(lane.rank);
  prepare_ops();
}

void PreparedStep::prepare_ops() {
  IndexedVector<LaneId, std::uint32_t> lane_predecessors(structure_.lanes.size());  // 0 for the head of a lane, else 1
  ops_.resize(structure_.op_count() + 1);
  predecessors_.resize(structure_.op_count());
  for (std::size_t i = 0; i < structure_.op_count(); ++i) {
    const OpId op(i);
    const LaneId lane = structure_.op_lane[op];
    ops_[op] = {lane,
                structure_.op_work[op],
                structure_.op_rendezvous[op],
                structure_.op_charge[op],
                structure_.next_in_lane[op],
                structure_.successor_begin[i],
                OpId(),
                OpId()};
    predecessors_[op] = structure_.predecessor_count[op] + lane_predecessors[lane];
    lane_predecessors[lane] = 1;
    if (predecessors_[op] == 0) first_ops_.push_back(op);
  }
  ops_[OpId(structure_.op_count())].successor_begin = static_cast<std::uint32_t>(structure_.successor.size());
}

void PreparedStep::issue(const StepTiming& timing) {
  std::vector<Picoseconds> launches;
  launches.reserve(timing.works.size());
  for (const WorkTiming& work : timing.works) launches.push_back(work.launch);
  if (launches == launches_ && issued_.size() == op_count()) return;
  launches_ = std::move(launches);
  IndexedVector<PassId, Picoseconds> behind_first(structure_.passes.size());
  for (const PassId pass : structure_.passes.ids()) {
    const std::vector<PassOp>& ops = structure_.passes[pass].ops;
    for (std::size_t i = 1; i < ops.size(); ++i) behind_first[pass] += launches_[ops[i].work.value];
  }
  IndexedVector<RankClassId, Picoseconds> host(structure_.ranks.size());
  issued_.resize(op_count());
  for (std::size_t i = 0; i < op_count(); ++i) {
    const OpId op(i);
    const PassId pass = structure_.op_pass[op];
    const WorkId first = pass.exists() ? structure_.passes[pass].ops[0].work : ops_[op].work;
    issued_[op] = host[rank_of(op)] += launches_[first.value];
    if (pass.exists()) host[rank_of(op)] += behind_first[pass];
  }
}

}  // namespace clusterwright::engine
