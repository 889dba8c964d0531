// SPDX-License-Identifier: Apache-2.0
#include "models/search/best_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "models/plan/resolve_plan.hpp"
#include "models/plan/site_crossing.hpp"
#include "models/search/layout_search.hpp"

namespace clusterwright {

namespace {

/// Whether a field of the job is stated as open. Most that are missing have a default.
bool says_auto(const Scenario& s, const std::string& path) {
  const JsonValue* value = s.source.at_pointer("/job/" + path);
  return value && value->is(JsonKind::text) && value->as_text() == "auto";
}

bool is_open(const Scenario& s) {
  const ParallelSpec& p = s.job.parallel;
  const bool chunks = p.pipeline.value_or(2) > 1 && p.schedule == PipelineSchedule::one_forward_one_backward;
  const bool experts = s.transformer.experts && (!p.expert || !p.expert_tensor);
  return !s.job.sharding || (!p.order && says_auto(s, "parallel/order")) || !p.tensor || !p.context || !p.pipeline ||
         (chunks && !p.virtual_pipeline) || experts || !s.job.micro_batch || !s.job.recompute;
}

void note_choices(const Scenario& given, const Layout& layout, const std::string& why,
                  std::vector<Assumption>& assumptions) {
  const auto note = [&](bool open, const char* what, SearchedField field) {
    if (open) assumptions.push_back({what, value_text(field, layout), "default", "auto: " + why});
  };
  const ParallelSpec& p = given.job.parallel;
  note(!p.tensor, "tensor group", SearchedField::tensor);
  note(!p.context && layout.context > 1, "context group", SearchedField::context);
  note(!p.pipeline, "pipeline stages", SearchedField::pipeline);
  note(!p.virtual_pipeline && layout.pipeline > 1, "virtual pipeline stages", SearchedField::virtual_pipeline);
  note(!p.order && layout.order != usual_order(given), "order of ranks", SearchedField::order);
  note(given.transformer.experts && !p.expert, "expert group", SearchedField::expert);
  note(given.transformer.experts && !p.expert_tensor, "expert tensor group", SearchedField::expert_tensor);
  note(!given.job.sharding, "sharding", SearchedField::sharding);
  note(!given.job.micro_batch, "micro-batch", SearchedField::micro_batch);
  note(!given.job.recompute, "recomputation", SearchedField::recompute);
}

std::string why(const SearchResult& result) {
  return fmt::format("the shortest step of {} layouts{}", result.counts.evaluated + result.nearby,
                     result.proven() ? "" : ", not proven; `search` goes on");
}

/// What is offered where the sharding is open.
enum class OfferedLayouts {
  usual_in_domains,  ///< the usual sharding of the stack, and tensor groups inside a scale-up domain
  any                ///< without stages those that shard more too, and any tensor group
};

/// Fully sharded jobs lose about 1 % for each doubling of accelerators that is not modelled (docs/limits.md), as much
/// as most of them seem to gain: they are offered where nothing else fits.
void offer(OfferedLayouts offered, const Scenario& given, LayoutLimits& limits) {
  const auto& layouts = given.stack.layouts;
  const Sharding usual = usual_sharding(layouts);
  limits.sharded_stages = shards_weights(usual);
  limits.sharding.allow(usual);
  if (offered == OfferedLayouts::usual_in_domains) {
    if (!given.job.parallel.tensor) limits.tensor.most = std::max(1, given.cluster.node_ranks());
    return;
  }
  if (may_shard(layouts, Sharding::zero2)) limits.sharding.allow(Sharding::zero2);
  if (const auto weights = weight_sharding(layouts)) limits.sharding.allow(*weights);
}

/// Whether sequences are long, or few for the nodes, so that context groups are likely: with four sequences for a node
/// no layout of Llama 3 70B on H100 gains much by them, with two 1 %, with one 4 %.
bool few_or_long(const Scenario& s) {
  constexpr std::int64_t long_sequence = 32'768, few_for_a_node = 4;
  const std::int64_t nodes = s.cluster.spec.accelerators / std::max(1, s.cluster.node_ranks());
  return s.job.sequence >= long_sequence || s.job.global_batch < few_for_a_node * nodes;
}

/// Request and limits of a search over the open fields.
struct OpenSearch {
  LayoutLimits limits;
  SearchRequest request;
};

OpenSearch open_search(const Scenario& given, const SearchEffort& effort, OfferedLayouts offered) {
  OpenSearch out{limits_of(given), {}};
  SearchRequest& request = out.request;
  request.sweep.most_layouts = effort.layouts;
  request.most_replays = effort.replays;
  request.best_alone = request.sweep.feasible_alone = true;
  request.refine = effort.look_around;
  request.any_centre = effort.thorough;
  if (effort.thorough) request.each_value = {SearchedField::pipeline};
  if (effort.longest) request.longest = effort.longest->in(second);
  out.limits.same_blocks = true;
  request.sweep.asked = out.limits;
  if (!given.job.sharding) offer(offered, given, out.limits);
  const bool short_of_time = !effort.context_space;
  out.limits.keep_small_sizes = !short_of_time;
  if (given.job.parallel.context) return out;
  if (short_of_time && few_or_long(given)) {
    request.any_centre = true;
    return out;
  }
  LayoutLimits all = out.limits;
  out.limits.context.only = {1};
  if (given.stack.layouts && !given.stack.layouts->context) return out;
  request.around = all;
  if (short_of_time) return out;
  request.beyond = std::move(all);
  request.beyond->context.least = 2;
  return out;
}

struct SearchedPlan {
  std::optional<DecidedPlan> plan;  ///< nothing where no layout fits
  bool states_fit = false;          ///< of some layout: activations decide, which context groups share
};

SearchedPlan searched_plan(const Scenario& given, const SearchEffort& effort, OfferedLayouts offered) {
  OpenSearch open = open_search(given, effort, offered);
  const double longest = open.request.longest;
  LayoutSearch search(given, std::move(open.limits), std::move(open.request));
  SearchResult result = search.run();
  if (result.found.empty() && std::isfinite(result.least_open) && result.least_open > longest)
    return {DecidedPlan{{given, {}, {}, {}}, {}, true, result.least_open * second}};
  if (result.found.empty()) return {{}, result.counts.evaluated > 0};
  FoundLayout& best = result.found.front();
  DecidedPlan out{{search.scenario_of(best.candidate), {}, {}, {}}, {}, true};
  ResolvedPlan resolved = resolve_plan(out.chosen.scenario);
  out.chosen.plan = best.plan;
  set_memory(out.chosen);
  out.chosen.assumptions = std::move(resolved.assumptions);
  note_choices(given, best.candidate.layout, why(result), out.chosen.assumptions);
  out.step = std::move(best.step);
  return {std::move(out), true};
}

/// With context groups too where nothing fits without, if it is they that may help.
SearchedPlan fitting_plan(const Scenario& given, SearchEffort effort, OfferedLayouts offered) {
  SearchedPlan found = searched_plan(given, effort, offered);
  if (found.plan || !found.states_fit || effort.context_space) return found;
  effort.context_space = true;
  return searched_plan(given, effort, offered);
}

/// @throws ConfigError as check_stated: a layout of a search has no place for fields that do not suit it
std::optional<DecidedPlan> searched_plan(const Scenario& given, const SearchEffort& effort) {
  check_stated(given);
  SearchedPlan found = fitting_plan(given, effort, OfferedLayouts::usual_in_domains);
  if (found.plan || given.job.sharding) return std::move(found.plan);
  SearchEffort short_of_time = effort;
  short_of_time.context_space = false;  // groups over nodes take long to replay, and memory is what they lack
  return std::move(fitting_plan(given, short_of_time, OfferedLayouts::any).plan);
}

}  // namespace

DecidedPlan decide_plan(const Scenario& scenario, OpenFields open, const SearchEffort& effort) {
  const bool alike = scenario.cluster.kinds() == 1;  // the bounds of a search know one kind of nodes
  if (open == OpenFields::best && alike && is_open(scenario) && is_searchable(scenario.job))
    if (auto found = searched_plan(scenario, effort)) return *std::move(found);
  return {choose_plan(scenario), {}, false};
}

bool is_set_in_job(const Scenario& scenario, const std::string& path) {
  const JsonValue* value = scenario.source.at_pointer("/job/" + path);
  return value && value->source && value->source->name().starts_with("--set");
}

namespace {

/// Every field of the layout that a search may decide, with its path below the job.
template <class Visit>
void for_each_open_field(Job& job, const Visit& visit) {
  ParallelSpec& p = job.parallel;
  visit("parallel/tensor", p.tensor);
  visit("parallel/context", p.context);
  visit("parallel/pipeline", p.pipeline);
  visit("parallel/virtual_pipeline", p.virtual_pipeline);
  visit("parallel/expert", p.expert);
  visit("parallel/expert_tensor", p.expert_tensor);
  visit("parallel/data", p.data);
  visit("parallel/stage_layers", p.stage_layers);
  visit("parallel/stage_power_limits_w", p.stage_power_limits);
  visit("micro_batch", job.micro_batch);
  visit("recompute", job.recompute);
  visit("recomputed_layers", job.recomputed_layers);
}

}  // namespace

Job with_open_layout(Job job) {
  for_each_open_field(job, [](const char*, auto& field) { field = {}; });
  return job;
}

Job with_unset_layout_open(const Scenario& scenario) {
  Job job = scenario.job;
  for_each_open_field(job, [&](const char* path, auto& field) {
    if (!is_set_in_job(scenario, path)) field = {};
  });
  // The number of layers means nothing without the kind of recomputation that it counts.
  if (job.recomputed_layers) job.recompute = scenario.job.recompute;
  return job;
}

}  // namespace clusterwright
