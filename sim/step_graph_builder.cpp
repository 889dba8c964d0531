// SPDX-License-Identifier: Apache-2.0
#include "sim/step_graph_builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "sim/pass_shape.hpp"

namespace clusterwright {
namespace {

void require(bool holds, const char* what, const std::string& name) {
  if (!holds) throw std::logic_error(fmt::format("step graph: {} ({})", what, name));
}

bool is_share(double value) {
  return value >= 0 && value <= 1;
}

bool is_power(Watts power) {
  return std::isfinite(power.in(watt)) && power >= 0 * watt;
}

void check_work(const WorkTiming& work, const std::string& name) {
  require(work.duration.count >= 0, "duration must be >= 0", name);
  require(work.launch.count >= 0, "launch must be >= 0", name);
  require(is_share(work.clock_share), "clock share must be in 0..1", name);
  require(is_share(work.activity.tensor) && is_share(work.activity.memory) && is_share(work.activity.link),
          "activity must be in 0..1", name);
  require(is_power(work.power) && is_power(work.waiting_power), "power must be finite and >= 0", name);
}

void check_sm_table(const SmTable& table) {
  const std::string name = "table of multiprocessors";
  require(!table.points.empty(), "a table needs a point", name);
  require(table.points[0].reserved == 0 && table.points[0].relative_duration == 1, "the first point must be (0, 1)",
          name);
  for (std::size_t i = 0; i < table.points.size(); ++i) {
    require(i == 0 || table.points[i - 1].reserved < table.points[i].reserved, "points must ascend", name);
    require(std::isfinite(table.points[i].relative_duration) && table.points[i].relative_duration >= 1,
            "relative duration must be >= 1", name);
  }
}

void check_leg(const LegTiming& leg) {
  const std::string name = "leg";
  require(leg.delay.count >= 0, "delay must be >= 0", name);
  require(leg.bytes == 0 || leg.rate_bound > 0, "rate bound must be > 0", name);
  require(leg.weight > 0, "weight must be > 0", name);
}

std::uint32_t in_coefficient_units(double coefficient) {
  const double units = coefficient * coefficient_one;
  require(units >= 0 && units <= std::numeric_limits<std::uint32_t>::max(), "coefficient must be in 0..65535", "leg");
  return static_cast<std::uint32_t>(std::llround(units));
}

}  // namespace

StepGraphBuilder::StepGraphBuilder(std::vector<std::string> charge_names, EngineCharges engine_charges) {
  graph_.structure.charge_names = std::move(charge_names);
  graph_.structure.engine_charges = engine_charges;
  graph_.structure.chain_begin = {0};
  graph_.structure.use_begin = {0};
}

PowerDomainId StepGraphBuilder::add_power_domain(std::string name) {
  return graph_.structure.power_domains.push_back(std::move(name));
}

RankClassId StepGraphBuilder::add_rank_class(std::string name, std::uint32_t multiplicity, PowerDomainId domain,
                                             Watts idle_power, Watts power_limit, double highest_clock,
                                             double relative_clock) {
  require(multiplicity > 0, "multiplicity must be > 0", name);
  require(is_power(idle_power) && power_limit > 0 * watt, "power must be finite and limit > 0", name);
  require(highest_clock > 0 && relative_clock > 0, "a device has a clock", name);
  graph_.timing.clock.push_back(highest_clock * relative_clock);
  graph_.timing.relative_clock.push_back(relative_clock);
  graph_.timing.highest_clock.push_back(highest_clock);
  graph_.timing.idle_power.push_back(idle_power);
  graph_.timing.power_limit.push_back(power_limit);
  graph_.timing.control.push_back(control_);
  graph_.structure.pass_lanes.push_back({});
  graph_.structure.pass_chains.push_back({});
  has_compute_.push_back(0);
  return graph_.structure.ranks.push_back({multiplicity, domain, std::move(name), kind_});
}

LaneId StepGraphBuilder::add_lane(RankClassId rank, LaneKind kind, std::string name) {
  require(kind != LaneKind::compute || has_compute_[rank] == 0, "a rank has one compute lane", name);
  if (kind == LaneKind::compute) has_compute_[rank] = 1;
  last_in_lane_.push_back(OpId());
  return graph_.structure.lanes.push_back({rank, kind, std::move(name)});
}

WorkId StepGraphBuilder::add_work(std::string name, const WorkTiming& timing) {
  graph_.timing.works.push_back(timing);
  return graph_.structure.work_names.push_back(std::move(name));
}

SmTableId StepGraphBuilder::add_sm_table(SmTable table) {
  return graph_.timing.sm_tables.push_back(std::move(table));
}

ResourceId StepGraphBuilder::add_resource(std::string name, BytesPerSecond capacity) {
  const double bytes_per_second = capacity.in(byte_per_second);
  require(bytes_per_second >= 1 && bytes_per_second < 1e18, "capacity must be at least 1 byte/s", name);
  graph_.timing.capacity.push_back(static_cast<std::uint64_t>(std::llround(bytes_per_second)));
  return graph_.structure.resource_names.push_back(std::move(name));
}

ChainId StepGraphBuilder::add_chain(const std::vector<Leg>& legs) {
  StepStructure& structure = graph_.structure;
  for (const Leg& leg : legs) {
    graph_.timing.legs.push_back(leg.timing);
    for (const LegUse& use : leg.uses) {
      structure.uses.push_back({use.resource, use.count});
      graph_.timing.coefficients.push_back(in_coefficient_units(use.coefficient));
    }
    structure.use_begin.push_back(static_cast<std::uint32_t>(structure.uses.size()));
  }
  structure.chain_begin.push_back(static_cast<std::uint32_t>(graph_.timing.legs.size()));
  return ChainId(structure.chain_begin.size() - 2);
}

RendezvousId StepGraphBuilder::add_rendezvous(ChainId chain, ChargeId late) {
  return graph_.structure.rendezvous.push_back({chain, late, 0});
}

OpId StepGraphBuilder::add_op(LaneId lane, WorkId work, ChargeId charge, std::int32_t note) {
  return add_op(lane, work, charge, RendezvousId(), note);
}

OpId StepGraphBuilder::add_op(LaneId lane, WorkId work, ChargeId charge, RendezvousId rendezvous, std::int32_t note) {
  require(rendezvous.exists() || graph_.structure.lanes[lane].kind != LaneKind::communication,
          "a communication op needs a rendezvous", graph_.structure.work_names[work]);
  return append(lane, work, charge, rendezvous, PassId(), note);
}

OpId StepGraphBuilder::append(LaneId lane, WorkId work, ChargeId charge, RendezvousId rendezvous, PassId pass,
                              std::int32_t note) {
  StepStructure& structure = graph_.structure;
  const OpId op = structure.op_lane.push_back(lane);
  structure.op_work.push_back(work);
  structure.op_pass.push_back(pass);
  structure.op_rendezvous.push_back(rendezvous);
  structure.op_charge.push_back(charge);
  structure.op_note.push_back(note);
  structure.op_second_note.push_back(-1);
  structure.predecessor_count.push_back(0);
  structure.next_in_lane.push_back(OpId());
  if (rendezvous.exists()) ++structure.rendezvous[rendezvous].members;
  if (last_in_lane_[lane].exists()) structure.next_in_lane[last_in_lane_[lane]] = op;
  last_in_lane_[lane] = op;
  return op;
}

void StepGraphBuilder::prepare_passes() {
  if (!pass_work_.exists()) pass_work_ = add_work("pass", {});
}

PassId StepGraphBuilder::add_pass(PassTemplate pass) {
  const PassShape shape(pass);  // checks it
  prepare_passes();
  PassNeeds needs;
  for (const PassOp& op : pass.ops) {
    needs.lanes = std::max(needs.lanes, op.lane + 1);
    if (op.collective != PassOp::kernel) needs.chains = std::max(needs.chains, op.collective + 1);
  }
  pass_needs_.push_back(needs);
  return graph_.structure.passes.push_back(std::move(pass));
}

std::uint32_t StepGraphBuilder::add_pass_lane(RankClassId rank, LaneId lane) {
  auto& lanes = graph_.structure.pass_lanes[rank];
  lanes.push_back(lane);
  return static_cast<std::uint32_t>(lanes.size() - 1);
}

std::uint32_t StepGraphBuilder::add_pass_chain(RankClassId rank, ChainId chain) {
  auto& chains = graph_.structure.pass_chains[rank];
  chains.push_back(chain);
  return static_cast<std::uint32_t>(chains.size() - 1);
}

OpId StepGraphBuilder::add_pass_op(RankClassId rank, PassId pass, std::int32_t note, std::int32_t second_note) {
  const StepStructure& structure = graph_.structure;
  const auto& lanes = structure.pass_lanes[rank];
  const PassNeeds& needs = pass_needs_[pass];
  require(needs.lanes <= lanes.size() && needs.chains <= structure.pass_chains[rank].size(),
          "a rank class needs the lanes and chains of its passes", structure.ranks[rank].name);
  const OpId id = append(lanes[0], pass_work_, structure.passes[pass].ops[0].charge, RendezvousId(), pass, note);
  graph_.structure.op_second_note[id] = second_note;
  return id;
}

void StepGraphBuilder::depends(OpId before, OpId after) {
  dependencies_.emplace_back(before, after);
  ++graph_.structure.predecessor_count[after];
}

void StepGraphBuilder::reserve(std::size_t ops, std::size_t dependencies) {
  StepStructure& structure = graph_.structure;
  structure.op_lane.reserve(ops);
  structure.op_work.reserve(ops);
  structure.op_pass.reserve(ops);
  structure.op_rendezvous.reserve(ops);
  structure.op_charge.reserve(ops);
  structure.op_note.reserve(ops);
  structure.op_second_note.reserve(ops);
  structure.predecessor_count.reserve(ops);
  structure.next_in_lane.reserve(ops);
  dependencies_.reserve(dependencies);
}

void StepGraphBuilder::reserve_classes(std::size_t there, std::size_t all) {
  constexpr double spare = 1.05;
  const double times = spare * static_cast<double>(all) / static_cast<double>(there);
  const auto room = [&](std::size_t count) { return static_cast<std::size_t>(static_cast<double>(count) * times); };
  reserve(room(graph_.structure.op_count()), room(dependencies_.size()));
}

StepGraph StepGraphBuilder::build() && {
  check_timings();
  StepStructure& structure = graph_.structure;
  auto& begin = structure.successor_begin;
  begin.assign(structure.op_count() + 1, 0);
  for (const auto& [before, after] : dependencies_) ++begin[before.value + 1];
  for (std::size_t op = 0; op < structure.op_count(); ++op) begin[op + 1] += begin[op];

  structure.successor.resize(dependencies_.size());
  std::vector<std::uint32_t> fill(begin.begin(), begin.end() - 1);
  for (const auto& [before, after] : dependencies_) structure.successor[fill[before.value]++] = after;
  return std::move(graph_);
}

void StepGraphBuilder::check_timings() const {
  const StepStructure& structure = graph_.structure;
  for (std::size_t i = 0; i < structure.work_names.size(); ++i)
    check_work(graph_.timing.works[WorkId(i)], structure.work_names[WorkId(i)]);
  for (const SmTable& table : graph_.timing.sm_tables) check_sm_table(table);
  for (const LegTiming& leg : graph_.timing.legs) check_leg(leg);
  for (const Rendezvous& rendezvous : structure.rendezvous)
    require(rendezvous.members > 0, "a rendezvous needs members", "rendezvous");
}

}  // namespace clusterwright
