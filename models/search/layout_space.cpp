// SPDX-License-Identifier: Apache-2.0
#include "models/search/layout_space.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "models/job/job_blocks.hpp"
#include "models/plan/plan_pipeline.hpp"
#include "models/plan/resolve_plan.hpp"
#include "models/plan/site_crossing.hpp"
#include "models/plan/stage_schedule.hpp"
#include "sim/diagnostic.hpp"
#include "topology/cluster/domain_blocks.hpp"

namespace clusterwright {

namespace {

std::vector<int> divisors(std::int64_t number) {
  std::vector<int> low, high;
  for (std::int64_t d = 1; d * d <= number; ++d) {
    if (number % d != 0) continue;
    low.push_back(static_cast<int>(d));
    if (d * d != number) high.push_back(static_cast<int>(number / d));
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

bool is_power_of_two(int number) {
  return (number & (number - 1)) == 0;
}

constexpr std::size_t no_scenario = ~std::size_t{0};

}  // namespace

LayoutSpace::LayoutSpace(Scenario scenario, LayoutLimits limits)
    : base_(std::move(scenario)), limits_(std::move(limits)) {
  check_any_layout(base_);
  if (base_.job.sharding == Sharding::none) unshared_ = Sharding::none;
  for (const Sharding other : {Sharding::zero1, Sharding::zero2, Sharding::zero3, Sharding::fsdp, Sharding::hsdp})
    if (!limits_.sharding.allows(staged_)) staged_ = other;
  if (!limits_.sharding.allows(unshared_)) unshared_ = staged_;
}

Bytes LayoutSpace::capacity(const Scenario& scenario) const {
  return limits_.most_memory_gb ? *limits_.most_memory_gb * gigabyte : memory_capacity(scenario.cluster.accelerator);
}

bool LayoutSpace::splits_model(int tensor) const {
  const Transformer& m = base_.transformer;
  const std::int64_t kv = m.key_value_heads();
  if (m.heads % tensor != 0 || (kv % tensor != 0 && tensor % kv != 0)) return false;
  return m.layers_of(LayerKind::dense) == 0 || m.ffn % tensor == 0;
}

bool LayoutSpace::splits_sequence(int tensor, int context) const {
  if (base_.job.sequence % context != 0) return false;
  const ContextExchange exchange = base_.job.parallel.context_exchange.value_or(base_.stack.context_exchange);
  return context == 1 || exchange != ContextExchange::all_to_all ||
         base_.transformer.heads % (std::int64_t{tensor} * context) == 0;
}

bool LayoutSpace::splits_experts(int tensor, int expert, int expert_tensor, int used) const {
  const int block = expert * expert_tensor;
  const bool sequence = base_.job.parallel.sequence && tensor > 1;
  return fit_block({block}, tensor) && fit_block({block}, used) && (tensor == 1 || sequence || expert_tensor == tensor);
}

/// Scenario with blocks that the groups fill; nullptr if the cluster has none.
const Scenario* LayoutSpace::fitting(const InnerGroups& groups, std::size_t& number) {
  const auto [entry, fresh] = known_.try_emplace({groups.tensor, groups.expert * groups.expert_tensor}, no_scenario);
  if (fresh) {
    Scenario sized = base_;
    ParallelSpec& parallel = sized.job.parallel;
    parallel.tensor = groups.tensor;
    parallel.expert = groups.expert;
    parallel.expert_tensor = groups.expert_tensor;
    try {
      sized.cluster = cluster_of_size(sized, accelerators());
      sized.job = base_.job;
      const auto same = std::find_if(scenarios_.begin(), scenarios_.end(),
                                     [&](const auto& known) { return known->cluster.blocks == sized.cluster.blocks; });
      entry->second = static_cast<std::size_t>(same - scenarios_.begin());
      if (same == scenarios_.end()) scenarios_.push_back(std::make_unique<Scenario>(std::move(sized)));
    } catch (const ConfigError&) {
      return nullptr;  // no block of this cluster takes such groups
    }
  }
  number = entry->second;
  return number == no_scenario ? nullptr : scenarios_[number].get();
}

std::size_t LayoutSpace::cluster_of(InnerGroups groups) {
  fitting(groups, groups.cluster);
  return groups.cluster;
}

void LayoutSpace::add_groups(InnerGroups groups, std::vector<InnerGroups>& out) {
  const Scenario* s = fitting(groups, groups.cluster);
  if (!s || !fit_block({groups.tensor}, s->cluster.blocks.used)) return;
  if (s->cluster.blocks.used < base_.cluster.blocks.used) return;  // more machines, with idle accelerators
  if (limits_.same_blocks && !(s->cluster.blocks == base_.cluster.blocks)) return;
  if (base_.transformer.experts &&
      !splits_experts(groups.tensor, groups.expert, groups.expert_tensor, s->cluster.blocks.used))
    return;
  out.push_back(groups);
}

void LayoutSpace::add_expert_groups(int tensor, int context, std::vector<InnerGroups>& out) {
  const ExpertMixture& experts = *base_.transformer.experts;
  for (const int expert : divisors(experts.experts)) {
    if (!limits_.expert.allows(expert) || (leaves_out(LeftOut::odd_groups) && !is_power_of_two(expert))) continue;
    for (const int expert_tensor : divisors(accelerators())) {
      const bool splits = experts.ffn % expert_tensor == 0 && accelerators() % (expert * expert_tensor) == 0;
      const bool usual = expert_tensor == 1 || expert_tensor == tensor;
      if (leaves_out(LeftOut::odd_groups) && !limits_.expert_tensor.given() && !usual) continue;
      if (splits && limits_.expert_tensor.allows(expert_tensor))
        add_groups({tensor, context, expert, expert_tensor, 0}, out);
    }
  }
}

/// Context groups of powers of two that stay, with the tensor group, in a domain.
bool LayoutSpace::is_usual_context(int tensor, int context) const {
  return context == 1 || (is_power_of_two(context) && tensor * context <= base_.cluster.node_ranks());
}

/// How seldom groups are best: beyond a domain, over the sequence, with experts split unlike the rest, of odd size.
int LayoutSpace::oddness(const InnerGroups& g) const {
  const bool beyond = g.tensor * g.context > base_.cluster.node_ranks();
  const bool split = g.expert_tensor != 1 && g.expert_tensor != g.tensor;
  return 8 * beyond + 4 * (g.context > 1) + 2 * split + !is_power_of_two(g.tensor);
}

/// The usual ones first, and of those each tensor group in turn: a sweep that ends early has seen all of them.
std::vector<InnerGroups> LayoutSpace::in_turns(std::vector<InnerGroups> groups) const {
  std::map<std::pair<int, int>, int> turns;  // by oddness and tensor group
  std::vector<std::tuple<int, int, std::size_t>> order;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const int odd = oddness(groups[i]);
    order.emplace_back(odd, turns[{odd, groups[i].tensor}]++, i);
  }
  std::ranges::sort(order);
  std::vector<InnerGroups> out;
  for (const auto& [odd, turn, i] : order) out.push_back(groups[i]);
  return out;
}

std::vector<InnerGroups> LayoutSpace::groups() {
  std::vector<InnerGroups> out;
  for (const int tensor : divisors(accelerators())) {
    if (!limits_.tensor.allows(tensor) || !splits_model(tensor)) continue;
    for (const int context : divisors(accelerators() / tensor)) {
      if (!limits_.context.allows(context) || !splits_sequence(tensor, context)) continue;
      if (leaves_out(LeftOut::odd_groups) && !limits_.context.given() && !is_usual_context(tensor, context)) continue;
      if (base_.transformer.experts)
        add_expert_groups(tensor, context, out);
      else
        add_groups({tensor, context, 1, 1, 0}, out);
    }
  }
  return in_turns(std::move(out));
}

/// Whether the job's across_sites allows the degrees under some order of ranks.
bool LayoutSpace::fills_sites(const InnerGroups& groups, const StageCounts& stages) const {
  const std::optional<AcrossSites>& across = base_.job.parallel.across_sites;
  const int sites = site_count(base_.cluster);
  if (!across || sites == 1) return true;
  const int block = groups.expert * groups.expert_tensor, inner = groups.tensor * groups.context;
  const bool experts_inside = inner * stages.data / sites % block == 0;
  if (*across == AcrossSites::data) return stages.data % sites == 0 && experts_inside;
  return *across == AcrossSites::pipeline && stages.pipeline % sites == 0;
}

std::vector<StageCounts> LayoutSpace::stages(const InnerGroups& groups) const {
  std::vector<StageCounts> out;
  const int inner = groups.tensor * groups.context;
  for (const int pipeline : divisors(accelerators() / inner)) {
    const int data = accelerators() / inner / pipeline;
    if (pipeline > base_.transformer.layers || !limits_.pipeline.allows(pipeline) || !limits_.data.allows(data))
      continue;
    if (base_.job.global_batch % data != 0) continue;
    if (inner * data % (groups.expert * groups.expert_tensor) == 0 && fills_sites(groups, {pipeline, data}))
      out.push_back({pipeline, data});
  }
  return out;
}

std::vector<int> LayoutSpace::micro_batches(const StageCounts& stages) const {
  std::vector<int> out;
  const auto is_usual = [&](int size) {
    constexpr int small = 8;
    return is_power_of_two(size) || (limits_.keep_small_sizes && size < small);
  };
  for (const int size : divisors(base_.job.global_batch / stages.data))
    if (limits_.micro_batch.allows(size) &&
        (limits_.micro_batch.given() || !leaves_out(LeftOut::odd_sizes) || is_usual(size)) &&
        is_short_enough(base_.job.global_batch / stages.data / size, base_.transformer.layers))
      out.push_back(size);
  return out;
}

std::vector<ScheduleChoice> LayoutSpace::schedules(int pipeline) const {
  std::vector<ScheduleChoice> out;
  const auto add = [&](PipelineSchedule schedule, int chunks) {
    if (limits_.schedule.allows(schedule) && limits_.virtual_pipeline.allows(chunks)) out.push_back({schedule, chunks});
  };
  add(PipelineSchedule::one_forward_one_backward, 1);
  if (pipeline == 1) return out;
  const std::int64_t most = (base_.transformer.layers + 2) / pipeline;
  for (int chunks = 2; chunks <= most; ++chunks)
    if (!leaves_out(LeftOut::chunks) || limits_.virtual_pipeline.given() || is_power_of_two(chunks) || chunks == most)
      add(PipelineSchedule::one_forward_one_backward, chunks);
  add(PipelineSchedule::zero_bubble, 1);
  if (pipeline % 2 == 0 && !base_.job.input) add(PipelineSchedule::dualpipe, 1);
  return out;
}

bool LayoutSpace::splits_backward() const {
  const auto splits = [](const ScheduleChoice& c) { return c.schedule != PipelineSchedule::one_forward_one_backward; };
  const std::vector<ScheduleChoice> choices = schedules(2);  // the fewest stages that any schedule takes
  return std::any_of(choices.begin(), choices.end(), splits);
}

bool LayoutSpace::takes(const ScheduleChoice& choice, int pipeline, int micro_batches) const {
  Plan plan;
  plan.pipeline = pipeline;
  plan.schedule = choice.schedule;
  plan.virtual_pipeline = choice.virtual_pipeline;
  return schedule_takes(plan, micro_batches);
}

/// Whether selective recomputation repeats anything: attention is repeated only where its scores were stored.
bool LayoutSpace::repeats_attention() const {
  const SoftwareStack& stack = base_.stack;
  return stack.selective != SelectiveRecompute::attention || stack.attention == unfused_kernels ||
         (base_.transformer.latent && stack.selective_latents);
}

std::vector<Recompute> LayoutSpace::recomputes() const {
  std::vector<Recompute> out;
  for (const Recompute kind : {Recompute::none, Recompute::selective, Recompute::full})
    if (limits_.recompute.allows(kind) && (!limits_.recomputed_layers || kind == Recompute::full) &&
        (kind != Recompute::selective || limits_.recompute.names(kind) || repeats_attention()))
      out.push_back(kind);
  return out;
}

std::vector<RankOrder> LayoutSpace::orders(const StageCounts& stages) const {
  const RankOrder usual = usual_order(base_);
  const bool asked = base_.job.parallel.across_sites && site_count(base_.cluster) > 1;
  const bool apart = base_.job.local_steps > 1;  // which ranks train apart would follow from the order
  if (stages.pipeline == 1 || stages.data == 1 || asked || apart) return {usual};
  const bool only_own = base_.stack.layouts && !base_.stack.layouts->any_order;
  std::vector<RankOrder> out, beyond;
  for (const RankOrder order : {RankOrder::tensor_context_data_pipeline, RankOrder::tensor_context_pipeline_data}) {
    if (!limits_.order.allows(order)) continue;
    const bool left_out = leaves_out(LeftOut::orders) && order != usual;
    const bool runs = !only_own || order == base_.stack.rank_order;
    (limits_.order.names(order) || (runs && !left_out) ? out : beyond).push_back(order);
  }
  return out.empty() ? beyond : out;
}

bool LayoutSpace::distinct(Sharding sharding, const StageCounts& stages, int replicas) const {
  const bool whole = limits_.sharded_stages || !shards_weights(sharding) || (stages.pipeline == 1 && replicas > 1);
  if (!whole || !limits_.sharding.allows(sharding)) return false;
  if (limits_.sharding.names(sharding)) return true;
  if (replicas == 1) return sharding == unshared_ || sharding == Sharding::fsdp;  // which keeps no second weights
  return stages.pipeline == 1 || sharding == Sharding::none || sharding == staged_;
}

std::vector<Offload> LayoutSpace::offloads(Sharding sharding, const StageCounts& stages) const {
  const bool leaves = leaves_out(LeftOut::offloads) && !limits_.keep_offloads;
  const MemoryLevel furthest = leaves ? MemoryLevel::device : MemoryLevel::host;
  const auto levels = [furthest](const auto& limit, MemoryLevel given) {
    std::vector<MemoryLevel> out;
    for (const MemoryLevel level : {MemoryLevel::device, MemoryLevel::host, MemoryLevel::pool, MemoryLevel::nvme})
      if (limit.given() ? limit.allows(level) : level <= furthest || level == given) out.push_back(level);
    return out;
  };
  const Offload& given = base_.job.offload;
  std::vector<Offload> out;
  for (const MemoryLevel weights : levels(limits_.offload_weights, given.weights)) {
    if (weights != MemoryLevel::device && (!shards_weights(sharding) || stages.pipeline > 1)) continue;
    for (const MemoryLevel optimizer : levels(limits_.offload_optimizer, given.optimizer))
      for (const MemoryLevel activations : levels(limits_.offload_activations, given.activations))
        out.push_back({weights, optimizer, activations});
  }
  return out;
}

std::vector<StateChoice> LayoutSpace::states(const InnerGroups& groups, const StageCounts& stages) const {
  std::vector<StateChoice> out;
  const int replicas = groups.context * stages.data;
  for (const Sharding sharding :
       {Sharding::none, Sharding::zero1, Sharding::zero2, Sharding::zero3, Sharding::fsdp, Sharding::hsdp}) {
    if (!distinct(sharding, stages, replicas)) continue;
    const bool named = limits_.sharding.names(sharding);
    const bool twin = !named && replicas == 1 && sharding != unshared_;  // leaner if states are on the device
    for (const int group : sharding == Sharding::hsdp ? divisors(replicas) : std::vector<int>{replicas}) {
      if (sharding == Sharding::hsdp && limits_.shard_group && group != *limits_.shard_group) continue;
      if (sharding == Sharding::hsdp && leaves_out(LeftOut::shard_groups) && !named) continue;
      if (sharding == Sharding::hsdp && !named && (group == 1 || group == replicas)) continue;
      for (const Offload& offload : offloads(sharding, stages))
        if (!twin || offload.optimizer == MemoryLevel::device) out.push_back({sharding, group, offload});
    }
  }
  return out;
}

/// Schedules with micro-batches, kinds of recomputation and orders.
struct LayoutSpace::Schedules {
  double count = 0;
  double chunks = 0;  ///< of all stages of all
};

LayoutSpace::Schedules LayoutSpace::schedules_and_sizes(const StageCounts& stages) const {
  const std::vector<int> sizes = micro_batches(stages);
  const double kinds = static_cast<double>(recomputes().size() * orders(stages).size());
  Schedules out;
  for (const ScheduleChoice& choice : schedules(stages.pipeline))
    for (const int size : sizes) {
      if (!takes(choice, stages.pipeline, base_.job.global_batch / stages.data / size)) continue;
      out.count += kinds;
      out.chunks += kinds * choice.virtual_pipeline * stages.pipeline;
    }
  return out;
}

SpaceExtent LayoutSpace::extent() {
  std::map<std::pair<int, int>, Schedules> inner;  // by stages and replicas
  const auto kinds = static_cast<double>(recomputes().size());
  SpaceExtent out;
  for (const InnerGroups& of_stage : groups()) {
    std::set<int> sizes;
    double apart = 0;  // rows of orders whose stages lie between the ranks of an expert group
    for (const StageCounts& stages : this->stages(of_stage)) {
      const auto [entry, fresh] = inner.try_emplace({stages.pipeline, stages.data});
      if (fresh) entry->second = schedules_and_sizes(stages);
      if (entry->second.count == 0) continue;
      out.layouts += entry->second.count * static_cast<double>(states(of_stage, stages).size());
      out.chunks += entry->second.chunks;
      const std::vector<int> of_stages = micro_batches(stages);
      sizes.insert(of_stages.begin(), of_stages.end());
      const bool spread = of_stage.expert * of_stage.expert_tensor > of_stage.tensor * of_stage.context;
      if (spread && orders(stages).size() > 1) apart += static_cast<double>(of_stages.size());
    }
    out.rows += (static_cast<double>(sizes.size()) + apart) * std::max(1.0, kinds - 1);  // two kinds share theirs
  }
  return out;
}

LeftOut LayoutSpace::thin_out(double most) {
  while (left_out_ < LeftOut::chunks && extent().work() > most)
    left_out_ = static_cast<LeftOut>(static_cast<int>(left_out_) + 1);
  return left_out_;
}

}  // namespace clusterwright
