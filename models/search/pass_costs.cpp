// SPDX-License-Identifier: Apache-2.0
#include "models/search/pass_costs.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "models/lowering/lowered_step.hpp"
#include "models/lowering/step_charge.hpp"
#include "models/lowering/step_program.hpp"
#include "sim/replay.hpp"
#include "sim/step_works.hpp"

namespace clusterwright {

RowCost& RowCost::operator+=(const RowCost& other) {
  time += other.time;
  lead = std::max(lead, other.lead);
  slope += other.slope;
  kernels += other.kernels;
  clocked += other.clocked;
  computing += other.computing;
  launch += other.launch;
  issue += other.issue;
  energy.clocked += other.energy.clocked;
  energy.crossed += other.energy.crossed;
  energy.fixed += other.energy.fixed;
  return *this;
}

RowCost operator*(double count, const RowCost& c) {
  const ClockedEnergy& e = c.energy;
  return {count * c.time,
          c.lead,
          count * c.slope,
          count * c.kernels,
          count * c.clocked,
          count * c.computing,
          count * c.launch,
          count * c.issue,
          {count * e.clocked, count * e.crossed, count * e.fixed}};
}

RowCost operator+(RowCost a, const RowCost& b) {
  return a += b;
}

RowCost operator-(RowCost a, const RowCost& b) {
  return a += -1 * b;
}

namespace {

/// Capacity that no traffic fills, in bytes per second.
constexpr std::uint64_t endless = std::uint64_t{1} << 50;

/// Relative change of 1/clock between the two replays. Times are convex in it, so their secant bounds slower clocks.
constexpr double stretch_step = 1e-3;

constexpr Seconds long_pause = 100 * second;

std::vector<PassRow> rows_of(const Transformer& model, const Plan& plan, bool split) {
  std::vector<RowPass> passes = {RowPass::forward, RowPass::backward};
  if (split) passes.insert(passes.end(), {RowPass::input_gradients, RowPass::weight_gradients});
  std::vector<PassRow> rows;
  for (const RowPass pass : passes)
    for (const RowPlace place : {RowPlace::embedding, RowPlace::head}) rows.push_back({place, pass, 1});
  if (plan.recompute == Recompute::full) passes.push_back(RowPass::repeated_backward);
  for (const LayerKind kind : {LayerKind::dense, LayerKind::experts}) {
    if (model.layers_of(kind) == 0) continue;
    const RowPlace place = kind == LayerKind::dense ? RowPlace::dense_layers : RowPlace::expert_layers;
    for (const RowPass pass : passes)
      for (int layers = 1; layers <= LayersCost::measured; ++layers) rows.push_back({place, pass, layers});
  }
  return rows;
}

/// One stage with as many replicas as fill its expert groups. Where stages stand between replicas, they stay there.
Plan row_plan(Plan plan) {
  const int inner = plan.tensor * plan.context, experts = plan.expert * plan.expert_tensor;
  const bool stages_between = plan.rank_order == RankOrder::tensor_context_pipeline_data && experts > inner;
  if (!stages_between) plan.pipeline = 1;
  plan.data = std::lcm(inner, experts) / inner;
  plan.virtual_pipeline = 1;
  plan.schedule = PipelineSchedule::one_forward_one_backward;
  plan.stage_layers.clear();
  plan.sharding = Sharding::none;
  plan.grouped = false;
  plan.local_steps = 1;
  plan.shard_group = plan.gradient_ranks();
  plan.micro_batches = 1;
  plan.recomputed_layers.reset();
  plan.larger_group.reset();
  plan.paired = false;
  return plan;
}

/// Rows of all rank classes, replayed at one clock.
class RowReplay {
 public:
  RowReplay(const Scenario& s, const Plan& plan, const std::vector<PassRow>& rows)
      : rows_(rows.size()),
        lowered_(s, plan, Folding::folded, [&](StepProgram& program) { program.write_rows(rows); }),
        replayer_(lowered_.structure()) {}

  /// Costs by row, with the shortest time of all rank classes.
  std::vector<RowCost> costs() {
    std::vector<RowCost> costs = at(1, {});
    const std::vector<RowCost> stretched = at(1 + stretch_step, {}), paused = at(1, long_pause);
    for (std::size_t i = 0; i < rows_; ++i) {
      costs[i].slope = std::max(0.0, (stretched[i].time - costs[i].time) / stretch_step);
      costs[i].lead = std::max(0.0, costs[i].time - paused[i].time);
    }
    return costs;
  }

 private:
  std::vector<RowCost> at(double stretch, Seconds pause) {
    timing_ = lowered_.timing();
    for (WorkTiming& work : timing_.works) work.launch = {};
    std::fill(timing_.capacity.begin(), timing_.capacity.end(), endless);
    for (double& clock : timing_.clock) clock = 1 / stretch;
    free_host();
    const auto& names = lowered_.structure().work_names;
    for (const WorkId work : names.ids())
      if (names[work] == row_pause) timing_.works[work].duration = to_picoseconds(pause);
    result_ = replayer_.run(timing_, std::move(result_));
    std::vector<RowCost> costs(rows_);
    for (RowCost& cost : costs) cost.time = std::numeric_limits<double>::infinity();
    read(replayer_.structure(), costs);
    return costs;
  }

  /// Hosts that wait for nothing of a row may be ahead of it.
  void free_host() {
    const StepStructure& s = lowered_.structure();
    for (const OpId op : s.op_lane.ids()) {
      if (!s.op_rendezvous[op].exists() || s.predecessor_count[op] > 0) continue;
      if (s.work_names[s.op_work[op]] != host_at_work) continue;
      const std::uint32_t chain = s.rendezvous[s.op_rendezvous[op]].chain.value;
      for (std::uint32_t leg = s.chain_begin[chain]; leg < s.chain_begin[chain + 1]; ++leg)
        timing_.legs[LegId(leg)].delay = {};
    }
  }

  /// The ops of a rank class are numbered in the order in which they were written.
  void read(const StepStructure& s, std::vector<RowCost>& costs) const {
    RankClassId rank;
    std::size_t row = 0;  // 0: none yet
    OpId begin, last;
    for (const OpId op : s.op_lane.ids()) {
      if (s.work_names[s.op_work[op]] == row_barrier) {
        const bool same = s.lanes[s.op_lane[op]].rank == rank;
        if (same) end_row(begin, last, costs[row - 1]);
        rank = s.lanes[s.op_lane[op]].rank;
        row = same ? row + 1 : 1;
        if (row <= rows_) costs[row - 1] = RowCost{costs[row - 1].time, 0, 0, 0, 0, 0, 0, 0, {}};
        continue;
      }
      if (s.work_names[s.op_work[op]] == row_pause) {
        begin = last = op;
        continue;
      }
      if (s.lanes[s.op_lane[op]].kind == LaneKind::compute) last = op;
      add_works(s, op, costs[row - 1]);
    }
  }

  void end_row(OpId begin, OpId last, RowCost& cost) const {
    const Picoseconds time = result_.ops[last].end - result_.ops[begin].end;
    cost.time = std::min(cost.time, to_seconds(time).in(second));
  }

  void add_works(const StepStructure& s, OpId op, RowCost& cost) const {
    const RankClassId rank = s.lanes[s.op_lane[op]].rank;
    if (s.op_pass[op].exists()) {
      for (const PassOp& inside : s.passes[s.op_pass[op]].ops)
        add_work(s, inside.work, inside.charge,
                 inside.collective == PassOp::kernel ? ChainId() : s.pass_chains[rank][inside.collective], cost);
      return;
    }
    const RendezvousId meeting = s.op_rendezvous[op];
    add_work(s, s.op_work[op], s.op_charge[op], meeting.exists() ? s.rendezvous[meeting].chain : ChainId(), cost);
  }

  void add_work(const StepStructure& s, WorkId id, ChargeId charge, ChainId chain, RowCost& cost) const {
    const WorkTiming& work = timing_.works[id];
    cost.launch += to_seconds(lowered_.timing().works[id].launch).in(second);
    if (chain.exists() && s.work_names[id] == host_at_work)
      cost.issue += to_seconds(time_alone(s, lowered_.timing(), chain)).in(second);
    if (chain.exists()) {
      cost.energy.fixed += work.power.in(watt)*to_seconds(time_alone(s, timing_, chain)).in(second);
      return;
    }
    const double time = to_seconds(work.duration).in(second);
    cost.kernels += time;
    cost.clocked += time * work.clock_share;
    if (kind_of(static_cast<StepCharge>(charge.value)) == ChargeKind::compute) cost.computing += time;
    cost.energy.add(work.power.in(watt)*time, work.clock_share);
  }

  std::size_t rows_;
  LoweredStep lowered_;
  Replayer replayer_;
  StepTiming timing_;
  ReplayResult result_;
};

/// What a bound does not read, and would take time to lower.
Scenario layers_only(Scenario s) {
  s.job.input.reset();
  s.job.offload = {};
  return s;
}

}  // namespace

PassCosts::PassCosts(const Scenario& scenario, const Plan& plan, bool split) {
  const std::vector<PassRow> rows = rows_of(scenario.transformer, plan, split);
  const std::vector<RowCost> costs = RowReplay(layers_only(scenario), row_plan(plan), rows).costs();
  for (std::size_t i = 0; i < rows.size(); ++i)
    costs_[static_cast<std::size_t>(rows[i].place)][static_cast<std::size_t>(rows[i].pass)].set(rows[i].layers,
                                                                                                costs[i]);
}

}  // namespace clusterwright
