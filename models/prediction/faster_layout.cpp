// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/faster_layout.hpp"

#include "models/search/layout_search.hpp"

namespace clusterwright {

namespace {

/// A look that takes a fraction of a second, of a box that is thinned out to its work.
SearchRequest short_look(Seconds step_time) {
  SearchRequest request;
  request.sweep.most_layouts = 10'000;
  request.sweep.feasible_alone = true;
  request.sweep.asked.emplace();  // nothing: the box around the plan is no wish beyond what the stack runs
  request.most_replays = 3;
  request.best_alone = true;
  request.longest = (1 - worth_a_change) * step_time.in(second);
  return request;
}

}  // namespace

LayoutsAround layouts_around(const Scenario& scenario, const Plan& plan, Seconds step_time) {
  const Layout centre = layout_of(plan, scenario.job.offload);
  LayoutLimits all;
  all.same_blocks = true;
  LayoutsAround out;
  Seconds best = step_time * (1 - worth_a_change);
  for (const VariedDegrees varied : every_varied_degrees) {
    if (varied == VariedDegrees::experts && !scenario.transformer.experts) continue;
    const SearchResult result = LayoutSearch(scenario, limits_near(all, centre, varied), short_look(best)).run();
    out.evaluated += result.counts.evaluated;
    if (result.found.empty() || result.found.front().value >= best.in(second)) continue;
    best = result.found.front().value * second;
    out.best = result.found.front().candidate.layout;
  }
  return out;
}

}  // namespace clusterwright
