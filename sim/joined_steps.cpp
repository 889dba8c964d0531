// SPDX-License-Identifier: Apache-2.0
#include "sim/joined_steps.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace clusterwright {

namespace {

template <class IdType>
IdType moved(IdType id, std::size_t first) {
  return id.exists() ? IdType(first + id.value) : id;
}

template <class IdType, class T>
void append(IndexedVector<IdType, T>& to, const IndexedVector<IdType, T>& more) {
  for (const T& item : more) to.push_back(item);
}

template <class IdType, class Moved>
void append_moved(IndexedVector<IdType, Moved>& to, const IndexedVector<IdType, Moved>& more, std::size_t first) {
  for (const Moved id : more) to.push_back(moved(id, first));
}

/// Appends the begins of groups, whose first one of all is 0. @param offset  items before those of `more`
void append_begins(std::vector<std::uint32_t>& to, const std::vector<std::uint32_t>& more, std::size_t offset) {
  if (to.empty()) to.push_back(0);
  for (std::size_t i = 1; i < more.size(); ++i) to.push_back(static_cast<std::uint32_t>(offset + more[i]));
}

/// Coefficient on a resource of another capacity; the same one where capacities are equal.
std::uint32_t scaled_coefficient(std::uint32_t coefficient, double scale) {
  const double units = std::round(coefficient * scale);
  if (units > std::numeric_limits<std::uint32_t>::max())
    throw std::logic_error("joined steps: capacities of a common resource differ by too much");
  return static_cast<std::uint32_t>(units);
}

}  // namespace

void StepJoiner::add(const JoiningStep& step, const CommonResources& common) {
  StepStructure& s = structure();
  if (joined_.ends.empty()) {
    s.charge_names = step.structure.charge_names;
    s.engine_charges = step.structure.engine_charges;
  }
  const std::size_t chains = s.chain_begin.empty() ? 0 : s.chain_begin.size() - 1;
  first_ = {s.ranks.size(),       s.power_domains.size(),    s.lanes.size(),  s.op_count(),
            s.work_names.size(),  timing().sm_tables.size(), s.passes.size(), chains,
            timing().legs.size(), s.rendezvous.size()};
  add_resources(step, common);
  add_ranks(step);
  add_works(step);
  add_chains(step);
  add_passes(step);
  add_ops(step);
  const OpId end = add_end(step.structure);
  add_successors(step.structure, end);
}

void StepJoiner::add_resources(const JoiningStep& step, const CommonResources& common) {
  resources_.clear();
  scales_.clear();
  for (const ResourceId resource : step.structure.resource_names.ids()) {
    const std::uint64_t capacity = step.timing.capacity[resource];
    ResourceId joined = common[resource];
    if (!joined.exists()) {
      joined = structure().resource_names.push_back(step.structure.resource_names[resource]);
      timing().capacity.push_back(capacity);
    }
    resources_.push_back(joined);
    scales_.push_back(static_cast<double>(timing().capacity[joined]) / static_cast<double>(capacity));
  }
}

void StepJoiner::add_ranks(const JoiningStep& step) {
  append(structure().power_domains, step.structure.power_domains);
  for (RankClass rank : step.structure.ranks) {
    rank.power_domain = moved(rank.power_domain, first_.domains);
    structure().ranks.push_back(std::move(rank));
  }
  for (Lane lane : step.structure.lanes) {
    lane.rank = moved(lane.rank, first_.ranks);
    structure().lanes.push_back(std::move(lane));
  }
  append(timing().clock, step.timing.clock);
  append(timing().highest_clock, step.timing.highest_clock);
  append(timing().relative_clock, step.timing.relative_clock);
  append(timing().idle_power, step.timing.idle_power);
  append(timing().power_limit, step.timing.power_limit);
  append(timing().control, step.timing.control);
}

void StepJoiner::add_works(const JoiningStep& step) {
  append(structure().work_names, step.structure.work_names);
  append(timing().sm_tables, step.timing.sm_tables);
  for (WorkTiming work : step.timing.works) {
    work.sm_table = moved(work.sm_table, first_.tables);
    timing().works.push_back(work);
  }
}

void StepJoiner::add_chains(const JoiningStep& step) {
  StepStructure& s = structure();
  append(timing().legs, step.timing.legs);
  append_begins(s.chain_begin, step.structure.chain_begin, first_.legs);
  append_begins(s.use_begin, step.structure.use_begin, s.uses.size());
  add_uses(step);
  for (Rendezvous meeting : step.structure.rendezvous) {
    meeting.chain = moved(meeting.chain, first_.chains);
    s.rendezvous.push_back(meeting);
  }
}

void StepJoiner::add_uses(const JoiningStep& step) {
  for (std::size_t i = 0; i < step.structure.uses.size(); ++i) {
    ResourceUse use = step.structure.uses[i];
    timing().coefficients.push_back(scaled_coefficient(step.timing.coefficients[i], scales_[use.resource]));
    use.resource = resources_[use.resource];
    structure().uses.push_back(use);
  }
}

void StepJoiner::add_passes(const JoiningStep& step) {
  for (PassTemplate pass : step.structure.passes) {
    for (PassOp& op : pass.ops) op.work = moved(op.work, first_.works);
    structure().passes.push_back(std::move(pass));
  }
  for (std::vector<LaneId> lanes : step.structure.pass_lanes) {
    for (LaneId& lane : lanes) lane = moved(lane, first_.lanes);
    structure().pass_lanes.push_back(std::move(lanes));
  }
  for (std::vector<ChainId> chains : step.structure.pass_chains) {
    for (ChainId& chain : chains) chain = moved(chain, first_.chains);
    structure().pass_chains.push_back(std::move(chains));
  }
  structure().pass_lanes.resize(structure().ranks.size());
  structure().pass_chains.resize(structure().ranks.size());
}

void StepJoiner::add_ops(const JoiningStep& step) {
  StepStructure& s = structure();
  const StepStructure& from = step.structure;
  append_moved(s.op_lane, from.op_lane, first_.lanes);
  append_moved(s.op_work, from.op_work, first_.works);
  append_moved(s.op_pass, from.op_pass, first_.passes);
  append_moved(s.op_rendezvous, from.op_rendezvous, first_.meetings);
  append_moved(s.next_in_lane, from.next_in_lane, first_.ops);
  append(s.op_charge, from.op_charge);
  append(s.op_note, from.op_note);
  append(s.op_second_note, from.op_second_note);
  append(s.predecessor_count, from.predecessor_count);
}

/// Op on a rank class of its own; add_successors() lets it wait.
OpId StepJoiner::add_end(const StepStructure& step) {
  StepStructure& s = structure();
  const RankClassId rank = s.ranks.push_back({1, PowerDomainId(first_.domains), "end of a step"});
  const LaneId lane = s.lanes.push_back({rank, LaneKind::compute, "end"});
  const WorkId work = s.work_names.push_back("end of a step");
  timing().works.push_back({});
  timing().clock.push_back(1);
  timing().highest_clock.push_back(1);
  timing().relative_clock.push_back(1);
  timing().idle_power.push_back({});
  timing().power_limit.push_back({});
  timing().control.push_back({});
  s.pass_lanes.push_back({});
  s.pass_chains.push_back({});
  s.op_work.push_back(work);
  s.op_pass.push_back({});
  s.op_rendezvous.push_back({});
  s.op_charge.push_back(step.engine_charges.idle);
  s.op_note.push_back(-1);
  s.op_second_note.push_back(-1);
  s.next_in_lane.push_back({});
  s.predecessor_count.push_back(0);
  joined_.ends.push_back(rank);
  return s.op_lane.push_back(lane);
}

/// Ops that nothing waited for get `end` as their successor.
void StepJoiner::add_successors(const StepStructure& step, OpId end) {
  StepStructure& s = structure();
  if (s.successor_begin.empty()) s.successor_begin.push_back(0);
  for (const OpId op : step.op_lane.ids()) {
    const std::uint32_t begin = step.successor_begin[op.value], behind = step.successor_begin[op.value + 1];
    for (std::uint32_t i = begin; i < behind; ++i) s.successor.push_back(moved(step.successor[i], first_.ops));
    if (begin == behind && !step.next_in_lane[op].exists()) {
      s.successor.push_back(end);
      ++s.predecessor_count[end];
    }
    s.successor_begin.push_back(static_cast<std::uint32_t>(s.successor.size()));
  }
  s.successor_begin.push_back(static_cast<std::uint32_t>(s.successor.size()));
}

}  // namespace clusterwright
