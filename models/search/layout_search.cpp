// SPDX-License-Identifier: Apache-2.0
#include "models/search/layout_search.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "models/memory/memory_levels.hpp"
#include "models/memory/memory_verdict.hpp"
#include "models/plan/resolve_plan.hpp"
#include "models/plan/site_crossing.hpp"
#include "models/search/replay_queue.hpp"
#include "models/settling/settle_input.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

/// Power limits of stages hold for as many stages as there are limits.
LayoutLimits with_stages_of(const Job& job, LayoutLimits limits) {
  const std::vector<Watts>& of_stages = job.parallel.stage_power_limits;
  if (!of_stages.empty()) limits.pipeline.only = {static_cast<int>(of_stages.size())};
  return limits;
}

}  // namespace

LayoutSearch::LayoutSearch(const Scenario& scenario, LayoutLimits limits, SearchRequest request)
    : space_(scenario, with_stages_of(scenario.job, std::move(limits))),
      request_(std::move(request)),
      sweep_(space_, request_.sweep) {}

LayoutSearch::~LayoutSearch() = default;

namespace {

InnerGroups groups_of(const Candidate& candidate) {
  const Layout& layout = candidate.layout;
  return {layout.tensor, layout.context, layout.expert, layout.expert_tensor, candidate.cluster};
}

}  // namespace

Scenario LayoutSearch::scenario_of(const Candidate& candidate) const {
  Scenario out = space_.scenario(groups_of(candidate));
  out.job = with_layout(out.job, candidate.layout);
  return out;
}

bool LayoutSearch::is_stopped(SearchResult& result) const {
  result.interrupted = result.interrupted || (request_.stop && request_.stop());
  return result.interrupted;
}

/// Bound under power limits. That of energy knows no clock.
double LayoutSearch::sharpened(const Candidate& candidate) {
  if (request_.sweep.objective == SearchObjective::energy) return candidate.bound;
  return std::max(candidate.bound, sweep_.costs(candidate.cluster).bound(candidate.layout));
}

/// Stores may be unknown, steps too long to simulate, and other fields of the job contradict the layout.
void LayoutSearch::count_refusal(const ConfigError& error, SearchResult& result) {
  const std::string& code = error.diagnostics().front().code;
  if (code == "E0327" || code == "E0328")
    ++result.short_of_host;
  else if (code == "E0502")
    ++result.too_long;
  else if (!illegal_)
    illegal_ = error;
}

/// End of a step from which on its power does not matter, which takes as long to compute as its times.
Picoseconds LayoutSearch::of_interest(const SearchResult& result) const {
  Picoseconds end = any_end;
  if (!request_.best_alone || request_.accepts || request_.sweep.objective == SearchObjective::energy) return end;
  for (const FoundLayout& found : result.found) end = std::min(end, found.step.end);
  return end;
}

std::optional<double> LayoutSearch::replay(const Candidate& candidate, SearchResult& result) {
  const Scenario scenario = scenario_of(candidate);
  FoundLayout found{candidate, {}, {}, 0, true};
  try {
    found.plan = resolve_plan(scenario).plan;
    if (!level_verdict(level_uses(scenario, found.plan)).empty()) {
      ++result.short_of_host;
      return {};
    }
    found.step = settle_input(scenario, found.plan, of_interest(result));
  } catch (const ConfigError& error) {
    count_refusal(error, result);
    return {};
  }
  ++result.replayed;
  found.value = request_.sweep.objective == SearchObjective::energy ? found.step.energy.in(joule)
                                                                    : to_seconds(found.step.end).in(second);
  found.accepted = !request_.accepts || request_.accepts(found.step);
  const double value = found.value;
  if (found.accepted)
    result.found.push_back(std::move(found));
  else
    ++result.refused;
  return value;
}

namespace {

bool is_better(const FoundLayout& a, const FoundLayout& b) {
  return a.value != b.value ? a.value < b.value : is_commoner(a.candidate.layout, b.candidate.layout);
}

bool is_thinned(const SearchResult& result) {
  return result.left_out != LeftOut::nothing || !result.counts.complete;
}

double best_value(const SearchResult& result) {
  double best = std::numeric_limits<double>::infinity();
  for (const FoundLayout& found : result.found) best = std::min(best, found.value);
  return best;
}

}  // namespace

/// Replays the candidate with the lowest bound. @return false if its bound only became sharper
bool LayoutSearch::replay_lowest(ReplayQueue& queue, SearchResult& result) {
  ReplayQueue::Entry entry = queue.pop();
  if (!entry.sharp) {
    entry.candidate.bound = sharpened(entry.candidate);
    entry.sharp = true;
    queue.push(entry);
    return false;
  }
  if (const auto value = replay(entry.candidate, result)) queue.learn(entry.candidate, *value);
  return true;
}

/// Replays the candidate that promises most, by what bounds of its class missed so far.
void LayoutSearch::replay_most_promising(ReplayQueue& queue, SearchResult& result) {
  ReplayQueue::Entry* entry = queue.most_promising();
  while (entry && !entry->sharp) {
    ReplayQueue::Entry sharp = *entry;
    entry->taken = true;
    sharp.candidate.bound = sharpened(sharp.candidate);
    sharp.sharp = true;
    queue.push(sharp);
    entry = queue.most_promising();
  }
  if (!entry) return;
  entry->taken = true;
  const Candidate candidate = entry->candidate;
  if (const auto value = replay(candidate, result)) queue.learn(candidate, *value);
}

/// Bounds of a thinned space say nothing of what is left out of it, which a search that looks around may reach.
bool LayoutSearch::needs_centre(const SearchResult& result) const {
  return request_.refine && request_.any_centre && result.found.empty() && is_thinned(result);
}

/// Replays in turn what has the lowest bound, which proves, and what promises most, which finds.
void LayoutSearch::replay_queue(SearchResult& result) {
  ReplayQueue queue(sweep_.candidates().take());
  for (const FoundLayout& found : result.found) queue.leave_out(found.candidate.layout);
  const double dropped = sweep_.candidates().lowest_dropped();
  for (bool proving = true; result.replayed < request_.most_replays && !is_stopped(result);) {
    const double lowest = queue.lowest();
    const bool proven = std::min(lowest, dropped) >= best_value(result);
    if (std::isinf(lowest) || (lowest > request_.longest && !needs_centre(result))) break;
    if (proven && result.replayed >= request_.least_replays) break;
    if (!proving && !proven)
      replay_most_promising(queue, result), proving = true;
    else
      proving = !replay_lowest(queue, result);
  }
  result.least_open = std::min(dropped, queue.lowest());
}

/// A search is never worse than what its user knows, even if it ends early.
void LayoutSearch::replay_known(SearchResult& result) {
  for (const Layout& layout : request_.known) {
    if (!allows(space_.limits(), layout) || !sweep_.ability().runs(layout)) continue;
    for (const InnerGroups& groups : space_.groups()) {
      if (groups.tensor != layout.tensor || groups.context != layout.context || groups.expert != layout.expert ||
          groups.expert_tensor != layout.expert_tensor)
        continue;
      Candidate candidate{0, groups.cluster, layout};
      LayoutCosts& costs = sweep_.costs_of(groups);
      if (costs.memory(layout) > space_.capacity(costs.scenario())) continue;
      candidate.bound = sharpened(candidate);
      replay(candidate, result);
    }
  }
}

/// The most promising layout with each value that no replayed layout has.
void LayoutSearch::replay_values(SearchResult& result) {
  for (const SearchedField field : request_.each_value)
    for (const FieldValue& value : result.values.of(field)) {
      const auto has_value = [&](const FoundLayout& found) {
        return value_text(field, found.candidate.layout) == value_text(field, value.best.layout);
      };
      if (value.fitting == 0 || std::any_of(result.found.begin(), result.found.end(), has_value)) continue;
      if (is_stopped(result)) return;
      replay(value.best, result);
    }
}

namespace {

/// Share of the time that a step must gain for a search to go on around it.
constexpr double worth_going_on = 0.002;
/// Share of what the bound of the centre misses that bounds near it are taken to miss at least.
constexpr double looseness_in_common = 0.5;
/// Steps so many times too long are not improved to what the search was asked for.
constexpr double far_too_long = 3;
/// Layouts of one look around, of a box that is thinned out to them, and replays.
constexpr std::int64_t most_layouts_near = 50'000;
constexpr int most_replays_near = 3;

const FoundLayout* best_of(const SearchResult& result) {
  const auto best = std::ranges::min_element(result.found, is_better);
  return best == result.found.end() ? nullptr : &*best;
}

/// Bound above which a layout near another is not expected to be better.
double promising_bound(const FoundLayout& centre) {
  const double bound = centre.candidate.bound;
  const double missed = bound > 0 && std::isfinite(bound) ? centre.value / bound - 1 : 0;
  return centre.value / (1 + looseness_in_common * missed);
}

}  // namespace

/// Searches other layouts for what beats the best. @return whether one does, by what is worth it
bool LayoutSearch::find_better(const LayoutLimits& limits, SearchRequest request, SearchResult& result) {
  const FoundLayout* const centre = best_of(result);
  const double before = centre ? centre->value : std::numeric_limits<double>::infinity();
  request.refine = false;
  request.beyond = request.around = {};
  request.each_value.clear();
  request.known.clear();
  request.least_replays = 0;
  request.sweep.asked = request_.sweep.asked.value_or(request_.around.value_or(space_.limits()));
  LayoutSearch other(space_.given(), limits, request);
  SearchResult others = other.search();
  result.nearby += others.counts.evaluated;
  result.replayed += others.replayed;
  result.refused += others.refused;
  result.short_of_host += others.short_of_host;
  result.too_long += others.too_long;
  result.interrupted = result.interrupted || others.interrupted;
  if (!centre) result.least_open = std::min(result.least_open, others.least_open);
  for (FoundLayout& found : others.found) {
    const auto same = [&](const FoundLayout& known) { return known.candidate.layout == found.candidate.layout; };
    if (std::ranges::any_of(result.found, same)) continue;
    found.candidate.cluster = space_.cluster_of(groups_of(found.candidate));
    result.found.push_back(std::move(found));
  }
  const FoundLayout* const best = best_of(result);
  return best && best->value < before * (1 - worth_going_on);
}

bool LayoutSearch::find_better_near_best(VariedDegrees varied, SearchResult& result) {
  SearchRequest request = request_;
  request.sweep.most_layouts = std::clamp<std::int64_t>(request_.sweep.most_layouts / 4, 1, most_layouts_near);
  request.longest = promising_bound(*best_of(result));  // a step on the way may be longer than the longest
  request.most_replays = std::clamp(request_.most_replays / 3, 1, most_replays_near);
  const LayoutLimits& all = request_.around ? *request_.around : space_.limits();
  return find_better(limits_near(all, best_of(result)->candidate.layout, varied), request, result);
}

void LayoutSearch::search_beyond(SearchResult& result) {
  if (!request_.beyond || is_stopped(result)) return;
  SearchRequest request = request_;
  if (const FoundLayout* const best = best_of(result)) {
    request.longest = best->value;
    request.most_replays = std::max(1, request_.most_replays / 2);
  }
  find_better(*request_.beyond, std::move(request), result);
}

/// Whether there is more around the best layout than the sweep has seen.
bool LayoutSearch::goes_on(const SearchResult& result) const {
  return request_.refine && (request_.around || is_thinned(result));
}

/// Goes from the best layout to better ones nearby, as long as there are any.
void LayoutSearch::refine(SearchResult& result) {
  std::vector<VariedDegrees> turns(every_varied_degrees.begin(), every_varied_degrees.end());
  if (!space_.given().transformer.experts) std::erase(turns, VariedDegrees::experts);
  std::size_t without_gain = 0;
  for (std::size_t turn = 0; without_gain < turns.size() && best_of(result); ++turn) {
    if (is_stopped(result) || best_of(result)->value > far_too_long * request_.longest) return;
    const bool better = find_better_near_best(turns[turn % turns.size()], result);
    without_gain = better ? 0 : without_gain + 1;
  }
}

SearchResult LayoutSearch::run() {
  SearchResult result = search();
  const bool tried = result.replayed > 0 || result.short_of_host > 0 || result.too_long > 0;
  if (illegal_ && !tried) throw ConfigError(*illegal_);
  return result;
}

SearchResult LayoutSearch::search() {
  SearchResult result;
  result.space = space_.size();
  result.wider = request_.around || request_.beyond;
  result.left_out = space_.thin_out(static_cast<double>(request_.sweep.most_layouts));
  sweep_.run(request_.stop);
  result.counts = sweep_.counts();
  result.values = sweep_.values();
  replay_known(result);
  replay_queue(result);
  replay_values(result);
  search_beyond(result);
  if (goes_on(result)) refine(result);
  std::stable_sort(result.found.begin(), result.found.end(), is_better);
  return result;
}

bool is_searchable(const Job& job) {
  return job.parallel.stage_layers.empty() && job.parallel.stage_power_limits.empty();
}

LayoutLimits limits_of(const Scenario& s) {
  const Job& job = s.job;
  LayoutLimits limits;
  const auto pin = [](NumberLimit& limit, const std::optional<int>& value) {
    if (value) limit.only = {*value};
  };
  pin(limits.tensor, job.parallel.tensor);
  pin(limits.context, job.parallel.context);
  pin(limits.expert, job.parallel.expert);
  pin(limits.expert_tensor, job.parallel.expert_tensor);
  pin(limits.pipeline, job.parallel.pipeline);
  pin(limits.data, job.parallel.data);
  pin(limits.micro_batch, job.micro_batch);
  pin(limits.virtual_pipeline, job.parallel.virtual_pipeline);
  if (job.recompute) limits.recompute.add(*job.recompute);
  limits.recomputed_layers = job.recomputed_layers;
  if (job.sharding) limits.sharding.add(*job.sharding);
  limits.shard_group = job.shard_group;
  limits.schedule.add(job.parallel.schedule);
  if (job.parallel.order) limits.order.add(*job.parallel.order);
  limits.offload_weights.add(job.offload.weights);
  limits.offload_optimizer.add(job.offload.optimizer);
  limits.offload_activations.add(job.offload.activations);
  return limits;
}

}  // namespace clusterwright
