// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/nearest_change.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "models/plan/site_crossing.hpp"
#include "models/prediction/changed_job.hpp"
#include "models/search/best_plan.hpp"
#include "models/search/layout_search.hpp"
#include "models/settling/settle_input.hpp"
#include "sim/plain_number.hpp"

namespace clusterwright {

namespace {

/// Largest groups that a change may ask for: those of a scale-up domain, or of the plan.
struct LargestGroups {
  int tensor = 1, context = 1;
};

/// Opens fields of a layout that a job states.
using Opening = void (*)(const LargestGroups&, LayoutLimits&);

void open_recompute(const LargestGroups& /*largest*/, LayoutLimits& limits) {
  limits.recompute = {};
  limits.recomputed_layers.reset();
}

void open_micro_batch(const LargestGroups& /*largest*/, LayoutLimits& limits) {
  limits.micro_batch = {};
}

void open_experts(const LargestGroups& /*largest*/, LayoutLimits& limits) {
  limits.expert = {};
  limits.expert_tensor = {};
}

void open_sharding(const LargestGroups& /*largest*/, LayoutLimits& limits) {
  limits.sharding = {};
  limits.shard_group.reset();
}

void open_schedule(const LargestGroups& /*largest*/, LayoutLimits& limits) {
  limits.schedule = {};
  limits.virtual_pipeline = {};
}

/// Groups beyond a scale-up domain would fit, but nobody would run them.
void open_tensor(const LargestGroups& largest, LayoutLimits& limits) {
  limits.tensor = {};
  limits.tensor.most = largest.tensor;
}

void open_pipeline(const LargestGroups& largest, LayoutLimits& limits) {
  limits.pipeline = {};
  open_schedule(largest, limits);
}

void open_context(const LargestGroups& largest, LayoutLimits& limits) {
  limits.context = {};
  limits.context.most = largest.context;
}

void open_offload(const LargestGroups& /*largest*/, LayoutLimits& limits) {
  limits.offload_weights = {};
  limits.offload_optimizer = {};
  limits.offload_activations = {};
  limits.keep_offloads = true;
}

void open_activations(const LargestGroups& largest, LayoutLimits& limits) {
  open_recompute(largest, limits);
  open_micro_batch(largest, limits);
}

void open_degrees(const LargestGroups& largest, LayoutLimits& limits) {
  open_activations(largest, limits);
  open_experts(largest, limits);
  open_sharding(largest, limits);
  open_tensor(largest, limits);
  open_pipeline(largest, limits);
}

void open_contexts_too(const LargestGroups& largest, LayoutLimits& limits) {
  open_degrees(largest, limits);
  open_context(largest, limits);
}

void open_all(const LargestGroups& largest, LayoutLimits& limits) {
  open_contexts_too(largest, limits);
  open_offload(largest, limits);
}

/// In the order in which they disturb a job least.
constexpr std::array<Opening, 13> openings = {
    open_recompute, open_micro_batch, open_experts, open_sharding,     open_schedule, open_tensor, open_pipeline,
    open_context,   open_activations, open_degrees, open_contexts_too, open_offload,  open_all};

/// Limits that keep what the job states, except for the replicas, which follow from the others.
LayoutLimits stated_limits(const Scenario& given) {
  LayoutLimits limits = limits_of(given);
  limits.data = {};
  limits.same_blocks = true;
  if (!limits.order.given()) limits.order.add(usual_order(given));  // another one frees no memory
  if (!given.job.parallel.context) limits.context.only = {1};
  return limits;
}

SearchRequest bounded_request() {
  SearchRequest request;
  request.sweep.most_layouts = 50'000;
  request.most_replays = 1;  // those of long steps take seconds
  return request;
}

/// Search of a space. Where no layout of it fits, whose memory takes a fraction of the time of a step to find, nothing
/// is replayed.
SearchResult search_of(const Scenario& given, const LayoutLimits& limits) {
  SearchRequest request = bounded_request();
  request.sweep.memory_only = true;
  request.most_replays = 0;
  SearchResult leanest = LayoutSearch(given, limits, request).run();
  const bool any = leanest.counts.feasible > 0 || leanest.counts.beyond_stack > 0;
  return any ? LayoutSearch(given, limits, bounded_request()).run() : leanest;
}

std::string text_of(const std::vector<std::string>& settings) {
  return fmt::format("{}", fmt::join(settings, " and "));
}

/// Sentence on a change, with what `run` predicts under it. Open fields are named too where the search of `run` for
/// them would miss that layout.
std::string sentence_of(const Scenario& given, const Layout& layout) {
  const Bytes capacity = memory_capacity(given.cluster.accelerator);
  Scenario changed = given;
  changed.job = changed_job(given.job, layout);
  std::string settings = text_of(settings_to(given, layout));
  DecidedPlan decided = decide_plan(changed, OpenFields::best);
  if (decided.chosen.memory.total() > capacity) {
    changed.job = with_layout(given.job, layout);
    settings = text_of(settings_of(given, layout));
    decided = decide_plan(changed, OpenFields::best);
  }
  const StepSummary step = decided.step ? *decided.step : settle_input(decided.chosen.scenario, decided.chosen.plan);
  return fmt::format("with {} it fits: {:.1f} of {:.1f} GB, step {} s", settings,
                     decided.chosen.memory.total().in(gigabyte), capacity.in(gigabyte),
                     plain_number(to_seconds(step.end).in(second), 3));
}

/// Beginning of a sentence on a search that found nothing.
std::string no_layout(const SearchResult& result) {
  if (result.counts.complete && result.left_out == LeftOut::nothing) return "no layout";
  return fmt::format("none of {} layouts looked at", result.counts.evaluated);
}

/// Sentence on the layout that comes closest.
std::string miss_of(const Scenario& given, const SearchResult& result) {
  const double capacity = memory_capacity(given.cluster.accelerator).in(gigabyte);
  const int gpus = given.cluster.spec.accelerators;
  if (result.counts.evaluated == 0 || result.counts.least_memory / 1e9 <= capacity) {
    const std::string none =
        fmt::format("{} that stack {} can run fits on {} accelerators", no_layout(result), given.stack.name, gpus);
    if (result.short_of_host > 0) return none + "; offloaded tensors exceed the memory of its hosts";
    if (result.counts.beyond_stack == 0) return none;
    return fmt::format("{}; beyond it one with {} would", none,
                       text_of(settings_to(given, result.counts.best_beyond.layout)));
  }
  return fmt::format("{} fits on {} accelerators: the leanest, with {}, needs {:.1f} of {:.1f} GB", no_layout(result),
                     gpus, text_of(settings_to(given, result.counts.leanest.layout)), result.counts.least_memory / 1e9,
                     capacity);
}

}  // namespace

std::string nearest_change(const Scenario& given, const Plan& plan) {
  const LargestGroups largest{std::max(plan.tensor, given.cluster.node_ranks()),
                              std::max(plan.context, given.cluster.node_ranks())};
  SearchResult result;
  for (const Opening open : openings) {
    LayoutLimits limits = stated_limits(given);
    open(largest, limits);
    result = search_of(given, limits);
    if (!result.found.empty()) return sentence_of(given, result.found.front().candidate.layout);
  }
  return miss_of(given, result);
}

}  // namespace clusterwright
