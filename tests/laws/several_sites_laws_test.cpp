// SPDX-License-Identifier: Apache-2.0
// Steps over lines between sites: bytes over the line by hand, reductions by site against flat ones, and groups that
// train apart.
#include <cstdlib>
#include <string>
#include <vector>

#include "models/job/scenario_loader.hpp"
#include "models/plan/resolve_plan.hpp"
#include "models/settling/local_steps.hpp"
#include "models/settling/step_simulation.hpp"
#include "models/settling/step_what_ifs.hpp"
#include "support/catch.hpp"
#include "support/shipped_folders.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

using Changes = std::vector<std::string>;

/// Llama 3 8B, 8.03e9 parameters, on 64 H100 at two sites of 32, one replica for each GPU unless changed.
Scenario over_line(double gbit_per_s, double latency_ms, const Changes& more) {
  ::setenv("CLUSTERWRIGHT_CONFIGS", CLUSTERWRIGHT_CONFIGS, 1);
  ScenarioOptions options;
  options.settings = {R"(cluster.fabric={"tiers":[{"name":"leaf","accelerators":32}],"sites":{"count":2,
                         "rate_gbit_per_s":)" +
                          std::to_string(gbit_per_s) + R"(,"latency_ms":)" + std::to_string(latency_ms) + "}}",
                      "job.sharding=zero1", "job.stack=megatron-2024", "job.recompute=full",
                      "job.parallel.across_sites=data"};
  options.settings.insert(options.settings.end(), more.begin(), more.end());
  return load_scenario(configs / "scenarios" / "llama3-8b-h100-64.json", options);
}

double seconds_over_line(double gbit_per_s, double latency_ms, const Changes& more) {
  const Scenario s = over_line(gbit_per_s, latency_ms, more);
  return to_seconds(time_step(s, resolve_plan(s).plan).end).in(second);
}

const std::string in_levels = "job.site_reduction=hierarchical", in_one_ring = "job.site_reduction=flat";
constexpr double parameters = 8.03e9, slow_line = 1e9 / 8;  // bytes per second of 1 Gbit/s
constexpr double slack = 1.0005;  // capacities stand that far above data sheets at most (lowering/link_timings.cpp)

std::string steps_apart(int steps) {
  return "job.local_steps=" + std::to_string(steps);
}

}  // namespace

TEST_CASE("a slow line takes the bytes of the gradients over its rate", "[laws][several_sites]") {
  // By site: each of 32 ranks reduces its 1/32 with the one on the other site. Of an all-reduce over two each sends
  // its part once: 8.03e9 x 4 bytes = 32.1 GB each way, 257 s at 1 Gbit/s.
  const double levels = seconds_over_line(1, 0, {in_levels});
  const double all = parameters * 4 / slow_line;
  CHECK(levels > all / slack);
  CHECK(levels < 1.15 * all + 5);
  // Flat: the ring crosses the line once each way, with 63/64 of 4-byte gradients and of 2-byte weights: 48.2 GB x
  // 63/64 = 47.4 GB, 379 s.
  const double ring = parameters * (4 + 2) * 63 / 64 / slow_line;
  const double flat = seconds_over_line(1, 0, {in_one_ring});
  CHECK(flat > ring / slack);
  CHECK(flat < 1.15 * ring + 5);
}

TEST_CASE("an all-reduce between two sites waits for the line twice", "[laws][several_sites]") {
  // The outer exchange of groups that train apart is one all-reduce, exposed: there and back, 2 x 500 ms. The factor of
  // communication in steps of this stack is that of software, which does not speed light up.
  const auto last = [](double latency_ms) {
    const Scenario s = over_line(1000, latency_ms, {steps_apart(2)});
    return to_seconds(time_step(s, resolve_plan(s).plan).kinds->last).in(second);
  };
  CHECK(last(500) - last(0) == Approx(2 * 0.5).epsilon(0.01));
}

TEST_CASE("a reduction by site is never slower than one ring where the line is slow", "[laws][several_sites]") {
  for (const double rate : {1.0, 10.0, 100.0})
    for (const double latency : {0.0, 1.0, 10.0})
      for (const Changes& layout : {Changes{}, Changes{"job.parallel.tensor=8", "job.parallel.pipeline=2"}}) {
        INFO(rate << " Gbit/s, " << latency << " ms, " << layout.size());
        const auto with = [&](const std::string& way) {
          Changes changes = layout;
          changes.push_back(way);
          return seconds_over_line(rate, latency, changes);
        };
        CHECK(with(in_levels) <= with(in_one_ring));
      }
}

TEST_CASE("folded steps over sites equal unfolded ones", "[laws][several_sites]") {
  const Changes small = {"transformer.layers=4", "job.parallel.tensor=4", "job.parallel.pipeline=2",
                         "job.global_batch=32"};
  for (const std::string& way : {in_levels, in_one_ring, steps_apart(4)})
    for (const std::string& sharding : {std::string("job.sharding=zero1"), std::string("job.sharding=none")}) {
      INFO(way << " " << sharding);
      Changes changes = small;
      changes.push_back(way);
      changes.push_back(sharding);
      const Scenario s = over_line(10, 1, changes);
      const Plan plan = resolve_plan(s).plan;
      const auto both = [&](const Plan& p) {
        CHECK(simulate_step(s, p, Folding::folded).result.end == simulate_step(s, p, Folding::apart).result.end);
      };
      both(plan);
      if (const auto local = local_plan(plan)) both(*local);
    }
}

TEST_CASE("groups that train apart synchronise once in H steps", "[laws][several_sites]") {
  // 8.03e9 x 4 bytes of outer gradients: 257 s at 1 Gbit/s in one of H steps, behind everything else.
  const auto mean = [](int steps) { return seconds_over_line(1, 5, {steps_apart(steps)}); };
  const Scenario s = over_line(1, 5, {steps_apart(10)});
  const StepTime ten = time_step(s, resolve_plan(s).plan);
  const double local = to_seconds(ten.kinds->local).in(second), last = to_seconds(ten.kinds->last).in(second);
  const double exchange = parameters * 4 / slow_line;
  CHECK(last > exchange / slack);
  CHECK(last - local > 0.999 * exchange);  // the local step ends with a gather inside the site, which the line hides
  CHECK(last - local < 1.15 * exchange);
  CHECK(to_seconds(ten.end).in(second) == Approx((9 * local + last) / 10));  // e.g. (9 x 2 + 260) / 10
  double before = mean(2);
  for (const int steps : {3, 10, 100, 10000}) {
    const double now = mean(steps);
    CHECK(now < before);
    before = now;
  }
  CHECK(mean(1000000) == Approx(local).epsilon(1e-3));
  CHECK(mean(1) == seconds_over_line(1, 5, {}));
}

TEST_CASE("a step in which groups train apart does not depend on the line", "[laws][several_sites]") {
  const auto local = [](double rate, double latency) {
    const Scenario s = over_line(rate, latency, {steps_apart(10)});
    return time_step(s, resolve_plan(s).plan).kinds->local;
  };
  CHECK(local(1, 20) == local(1000, 0));
}

TEST_CASE("the breakdown of steps that train apart is that of their mean", "[laws][several_sites]") {
  const Scenario s = over_line(10, 5, {steps_apart(7), "job.parallel.tensor=8", "job.parallel.pipeline=2"});
  const Plan plan = resolve_plan(s).plan;
  const StepTime mean = time_step(s, plan);
  Seconds sum;
  for (const Seconds part : mean.breakdown) sum += part;
  CHECK(sum.in(second) == Approx(to_seconds(mean.end).in(second)).epsilon(1e-9));
  StepWhatIfs asked(s, plan);
  CHECK(asked.base().end == mean.end);
  CHECK(asked.time_under(s).end == mean.end);
}
