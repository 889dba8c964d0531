// SPDX-License-Identifier: Apache-2.0
// The frontier of purchases against brute force, and what machines it chooses from.
#include "models/procurement/purchase_search.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "models/job/configs_directory.hpp"
#include "models/job/node_cluster.hpp"
#include "models/job/price_list.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/procurement/machine_line.hpp"
#include "models/site/sizing/job_site.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

PurchaseJob purchase_job() {
  return {pretraining_of(configs_directory() / "transformers" / "llama3-8b.json", 1e12), {"job.tokens=1e12"}};
}

PurchaseRequest small_question() {
  PurchaseRequest request;
  request.job = purchase_job();
  request.machines = {
      {"DGX H100", "H100-SXM", "bf16", 1}, {"DGX B200", "B200", "bf16", 1}, {"DGX A100", "A100-80-SXM", "bf16", 1}};
  for (int nodes = 4; nodes <= 40; nodes += 4) request.sizes.push_back(8 * nodes);
  return request;
}

std::set<std::string> names_of(const std::vector<PurchasePlan>& plans) {
  std::set<std::string> out;
  for (const PurchasePlan& plan : plans) out.insert(plan.machine.node + " " + std::to_string(plan.accelerators));
  return out;
}

/// Every machine at every size.
std::vector<PurchasePlan> all_plans(const PurchaseRequest& request) {
  std::vector<PurchasePlan> out;
  for (const MachineChoice& machine : request.machines) {
    MachineLine line(request.job, machine, request.sizes);
    for (std::size_t rung = 0; rung < line.sizes().size(); ++rung)
      if (const auto& plan = line.at(rung).plan) out.push_back(*plan);
  }
  return out;
}

/// Frontier of plans, without what is far beyond the least of what is asked for.
std::vector<PurchasePlan> looked_at(const std::vector<PurchasePlan>& meeting, const PurchaseRequest& request) {
  std::vector<PurchasePlan> out = frontier_of(meeting);
  std::erase_if(out, [&](const PurchasePlan& plan) {
    return !is_of_interest(plan.figures, meeting, request.limits, request.objective);
  });
  return out;
}

}  // namespace

TEST_CASE("the frontier of purchases is that of brute force", "[models][procurement]") {
  // With 32 sequences context groups pay from some size on, and smaller machines say little of larger ones.
  for (const char* batch : {"job.global_batch=512", "job.global_batch=32"}) {
    PurchaseRequest request = small_question();
    request.job.settings.emplace_back(batch);
    const std::vector<PurchasePlan> all = all_plans(request);
    CHECK(all.size() > 20);
    for (const double days : {20.0, 60.0, 200.0})
      for (const double money : {8e6, 20e6}) {
        request.limits.time = days * day, request.limits.money = money * dollar;
        std::vector<PurchasePlan> meeting = all;
        std::erase_if(meeting, [&](const PurchasePlan& plan) { return !meets(plan.figures, request.limits); });
        INFO(batch << ", " << days << " days, " << money << " dollars, " << meeting.size() << " meet them");
        CHECK(names_of(search_purchases(request).frontier) == names_of(frontier_of(meeting)));
      }
  }
}

TEST_CASE("a slower format of the same machine spares plans and changes no answer", "[models][procurement]") {
  PurchaseRequest request = small_question();
  request.machines.push_back({"DGX H100", "H100-SXM", "fp8", 1});
  request.machines.push_back({"DGX B200", "B200", "fp8", 1});
  const std::vector<PurchasePlan> all = all_plans(request);
  request.limits.time = 60 * day, request.limits.money = 20e6 * dollar;
  std::vector<PurchasePlan> meeting = all;
  std::erase_if(meeting, [&](const PurchasePlan& plan) { return !meets(plan.figures, request.limits); });
  for (const auto objective : {PurchaseObjective::cost, PurchaseObjective::time, PurchaseObjective::power}) {
    request.objective = objective;
    const PurchaseAnswer answer = search_purchases(request);
    CHECK(answer.planned < all.size());
    CHECK(names_of(answer.frontier) == names_of(looked_at(meeting, request)));
    CHECK(names_of(answer.by_accelerator) == names_of(best_by_accelerator(meeting, objective)));
  }
}

TEST_CASE("where nothing says how much may be spent, three times the least is the end", "[models][procurement]") {
  PurchaseRequest request = small_question();
  request.limits.time = 60 * day;
  const PurchaseAnswer open = search_purchases(request);
  std::vector<PurchasePlan> meeting = all_plans(request);
  std::erase_if(meeting, [&](const PurchasePlan& plan) { return !meets(plan.figures, request.limits); });
  CHECK(names_of(open.frontier) == names_of(looked_at(meeting, request)));
  CHECK(open.frontier.size() < frontier_of(meeting).size());
  const double least = open.frontier.front().figures.money.value.in(dollar);
  CHECK(open.frontier.back().figures.money.value.in(dollar) <= 3 * least);
  request.limits.money = 100 * least * dollar;
  CHECK(names_of(search_purchases(request).frontier) == names_of(frontier_of(meeting)));
}

TEST_CASE("sizes whose nodes alone exceed the budget are refused by their price", "[models][procurement]") {
  MachineLine line(purchase_job(), {"DGX H100", "H100-SXM", "bf16", 1}, {8, 64, 512});
  line.set_budget(3e6 * dollar);
  CHECK(line.at(1).plan);
  CHECK(line.at(2).obstacle == Obstacle::too_dear);
  CHECK(line.at(2).reason == "the nodes of 512 accelerators alone exceed the budget");
  line.set_budget({});
  REQUIRE(line.at(2).plan);
  CHECK(line.at(2).plan->figures.money.value > 3e6 * dollar);
}

TEST_CASE("degrees that are set stay at every size, and those of a document are open", "[models][procurement]") {
  PurchaseJob job = purchase_job();
  const MachineChoice machine{"DGX H100", "H100-SXM", "bf16", 1};
  const std::vector<std::string> open = MachineLine(job, machine, {64}).at(0).plan->settings;
  PurchaseJob stated = job;
  stated.scenario.find("job")->set("parallel", JsonValue::object({{"tensor", 8}, {"pipeline", 8}, {"context", 1}}));
  CHECK(MachineLine(stated, machine, {64}).at(0).plan->settings == open);
  for (const char* setting : {"job.parallel.tensor=2", "job.parallel.data=16", "job.recompute=full"})
    job.settings.emplace_back(setting);
  MachineLine line(job, machine, {64, 128});
  for (const std::size_t rung : {std::size_t{0}, std::size_t{1}}) {
    const auto& option = line.at(rung);
    INFO(option.reason);
    REQUIRE(option.plan);
    const Plan& plan = option.plan->sized->step->plan;
    CHECK(plan.tensor == 2);
    CHECK(plan.data == 16);
    CHECK(plan.recompute == Recompute::full);
  }
}

TEST_CASE("usual sizes are multiples of the degrees that are set", "[models][procurement]") {
  PurchaseJob job = purchase_job();
  const MachineChoice machine{"DGX H100", "H100-SXM", "bf16", 1};
  CHECK(MachineLine(job, machine, {}).sizes().front() == 8);
  job.settings.insert(job.settings.end(), {"job.parallel.tensor=8", "job.parallel.pipeline=16"});
  CHECK(MachineLine(job, machine, {}).sizes().front() == 128);
}

TEST_CASE("plans that are shown have the whole interval of their time", "[models][procurement]") {
  PurchaseRequest request = small_question();
  request.machines = {{"DGX H100", "H100-SXM", "bf16", 1}};
  request.limits.time = 60 * day;
  const PurchaseAnswer answer = search_purchases(request);
  REQUIRE_FALSE(answer.frontier.empty());
  MachineLine line(request.job, request.machines.front(), request.sizes);
  MachineLine typical(request.job, request.machines.front(), request.sizes, RunTimes::typical);
  for (const PurchasePlan& shown : answer.frontier) {
    const std::size_t rung = line.rung_of(shown.accelerators);
    const PurchasePlan& whole = *line.at(rung).plan;
    CHECK(shown.figures.time.low == whole.figures.time.low);
    CHECK(shown.figures.time.value == whole.figures.time.value);
    CHECK(shown.figures.time.high == whole.figures.time.high);
    CHECK(shown.sized->step->hashed_time == whole.sized->step->hashed_time);
    const PurchasePlan& first = *typical.at(rung).plan;
    CHECK_FALSE(first.sized->step->hashed_time);
    CHECK(first.figures.time.value == whole.figures.time.value);
    CHECK(first.figures.money.value == whole.figures.money.value);
    CHECK(first.figures.power == whole.figures.power);
  }
}

TEST_CASE("the step of a search is that of a prediction in the same hall", "[models][procurement]") {
  MachineLine line(purchase_job(), {"DGX H100", "H100-SXM", "bf16", 1}, {128});
  const PurchasePlan plan = *line.at(0).plan;
  ScenarioOptions options;
  options.node = plan.machine.node;
  options.accelerators = plan.accelerators;
  options.settings = {"job.tokens=1e12", "job.precision=bf16"};
  options.settings.insert(options.settings.end(), plan.settings.begin(), plan.settings.end());
  const Scenario scenario = scenario_of_document(purchase_job().scenario, options);
  std::vector<InputFile> inputs;
  const JobSite site(scenario, inputs);
  const SizedCluster sized = site.size(scenario, load_prices(scenario.source, site.catalog(), inputs));
  CHECK(sized.step->step_time == plan.sized->step->step_time);
  CHECK(sized.step->high == plan.sized->step->high);
  CHECK(sized.step->power.nodes_mean == plan.sized->step->power.nodes_mean);
  CHECK(sized.plan.mean.facility == plan.sized->plan.mean.facility);
  CHECK(sized.run->total.value == plan.sized->run->total.value);
}

TEST_CASE("where nothing meets all targets, the best without one of them is named", "[models][procurement]") {
  PurchaseRequest request = small_question();
  request.limits.time = 15 * day, request.limits.money = 4e6 * dollar;
  const PurchaseAnswer answer = search_purchases(request);
  REQUIRE(answer.frontier.empty());
  REQUIRE(answer.misses.size() == 2);
  const std::vector<PurchasePlan> all = all_plans(request);
  for (const NearestMiss& miss : answer.misses) {
    const PurchaseLimits rest = without(request.limits, miss.dropped);
    CHECK(meets(miss.plan.figures, rest));
    for (const PurchasePlan& plan : all)
      if (meets(plan.figures, rest))
        CHECK(used_share(miss.plan.figures, request.limits, miss.dropped) <=
              used_share(plan.figures, request.limits, miss.dropped));
  }
}

TEST_CASE("the best without a target does not depend on what the target was", "[models][procurement]") {
  PurchaseRequest request = small_question();
  request.limits.time = 15 * day;
  const PurchaseAnswer open = search_purchases(request);
  REQUIRE_FALSE(open.frontier.empty());
  const PurchasePlan& cheapest = open.frontier.front();
  for (const double money : {0.2e6, 2e6, 4e6}) {
    request.limits.money = money * dollar;
    const PurchaseAnswer answer = search_purchases(request);
    INFO(money << " dollars");
    REQUIRE(answer.frontier.empty());
    const auto miss = std::ranges::find(answer.misses, PurchaseLimit::money, &NearestMiss::dropped);
    REQUIRE(miss != answer.misses.end());
    CHECK(miss->plan.machine == cheapest.machine);
    CHECK(miss->plan.accelerators == cheapest.accelerators);
    CHECK(miss->plan.figures.time.low == cheapest.figures.time.low);
  }
  // The smallest size is four nodes, which 200,000 dollars do not buy: the days are not all that is missed.
  request.limits.money = 0.2e6 * dollar;
  CHECK(search_purchases(request).misses.size() == 1);
}

TEST_CASE("of plans without a target of racks the one with the fewest is named", "[models][procurement]") {
  PurchaseRequest request = small_question();
  request.limits.time = 15 * day, request.limits.racks = 1;
  const PurchaseAnswer answer = search_purchases(request);
  REQUIRE(answer.frontier.empty());
  const auto miss = std::ranges::find(answer.misses, PurchaseLimit::racks, &NearestMiss::dropped);
  REQUIRE(miss != answer.misses.end());
  for (const PurchasePlan& plan : all_plans(request))
    if (plan.figures.time.value <= 15 * day) CHECK(miss->plan.figures.racks <= plan.figures.racks);
}

TEST_CASE("where no time is asked for, the smallest machine that holds the job is the nearest",
          "[models][procurement]") {
  PurchaseRequest request = small_question();
  request.limits.money = 1000 * dollar;
  const PurchaseAnswer answer = search_purchases(request);
  REQUIRE(answer.misses.size() == 1);
  CHECK(answer.misses.front().dropped == PurchaseLimit::money);
  CHECK(answer.misses.front().plan.accelerators == 32);  // the least of the sizes; 8B parameters fit on one node
}

TEST_CASE("a search keeps nothing of an earlier one but what it would plan in the same way", "[models][procurement]") {
  MachineLine line(purchase_job(), {"DGX H100", "H100-SXM", "bf16", 1}, {64, 512});
  line.start_over({}, 3e6 * dollar);
  CHECK(line.at(1).obstacle == Obstacle::too_dear);
  const PurchasePlan small = *line.at(0).plan;
  line.start_over({}, {});
  CHECK(line.plans().empty());
  CHECK(line.planned() == 1);
  CHECK(line.at(0).plan->sized == small.sized);  // not planned again
  CHECK(line.at(1).plan);
  line.start_over({}, 3e6 * dollar);
  CHECK(line.at(1).obstacle == Obstacle::too_dear);
  const Seconds limit = 8 * day;
  line.start_over(LongestRun{limit, limit, "the 8 days"}, {});
  CHECK(line.at(1).plan);
  line.start_over(LongestRun{2 * limit, 2 * limit, "the 16 days"}, {});
  CHECK(line.plans().empty());
}

TEST_CASE("a schedule of several stages is kept for layouts that have them", "[models][procurement]") {
  const JsonValue scenario = read_json_file(configs_directory() / "scenarios" / "deepseek-v3-h800.json");
  const PurchaseJob job{scenario, {}};
  MachineLine line(job, {"HGX H800 8-GPU", "H800", "fp8", 1}, {8, 2048});
  const SizedOption& small = line.at(0);  // 671 B parameters on 8 x 80 GB
  CHECK_FALSE(small.plan);
  CHECK(small.reason.find("schedule") == std::string::npos);
  const SizedOption& built = line.at(1);
  REQUIRE(built.plan);
  CHECK(built.plan->sized->step->plan.schedule == PipelineSchedule::dualpipe);
  CHECK(built.plan->sized->step->plan.pipeline % 2 == 0);
}

TEST_CASE("a run whose bound is beyond the longest is refused, and planned without a limit", "[models][procurement]") {
  MachineLine line(purchase_job(), {"DGX H100", "H100-SXM", "bf16", 1}, {64, 512});
  const Seconds limit = 8 * day;
  line.set_longest(LongestRun{limit, limit, "the 8 days"});
  CHECK(line.at(1).plan);
  const SizedOption& slow = line.at(0);
  REQUIRE(slow.least_time);
  CHECK_FALSE(slow.plan);
  CHECK(*slow.least_time > limit);
  CHECK(slow.reason.starts_with("even without any wait inside a step 64 accelerators take "));
  CHECK(slow.reason.ends_with(" the 8 days"));
  const Seconds least = *slow.least_time;
  line.set_longest({});
  REQUIRE(line.at(0).plan);
  CHECK(line.at(0).plan->figures.time.value >= least);
}

TEST_CASE("the shortest run needs no plans of machines that are far slower", "[models][procurement]") {
  PurchaseRequest request = small_question();
  request.sizes.clear();
  request.machines = {{"8 x RTX-4090 server", "RTX-4090", "bf16", 1}, {"DGX B200", "B200", "bf16", 1}};
  request.limits.money = 20e6 * dollar;
  request.objective = PurchaseObjective::time;
  const PurchaseAnswer answer = search_purchases(request);
  request.keep_slow = true;
  const PurchaseAnswer whole = search_purchases(request);
  CHECK(answer.planned <= whole.planned);
  CHECK(whole.by_accelerator.size() == 2);
  CHECK(names_of(answer.frontier) == names_of(whole.frontier));
}

TEST_CASE("batches are shared evenly and stay near what was asked for", "[models][procurement]") {
  CHECK(fitted_batch(2048, 1024) == 2048);
  CHECK(fitted_batch(2048, 1792) == 2016);  // 9 x 224
  CHECK(fitted_batch(2048, 2560) == 1920);  // 6 x 320, so that 320 replicas share it
  CHECK(fitted_batch(2048, 72) == 2016);    // 28 x 72
  for (int accelerators = 8; accelerators < 5000; accelerators += 72) {
    const int batch = fitted_batch(2048, accelerators);
    CHECK(std::abs(batch - 2048) <= 0.08 * 2048);
  }
  CHECK(usual_batch(15e12, 8192) == 2048);
  CHECK(usual_batch(1e12, 8192) == 512);
}

TEST_CASE("a model alone is trained on sequences that it can take", "[models][procurement]") {
  const auto sequence = [](const char* model) {
    const auto file = configs_directory() / "transformers" / (std::string(model) + ".json");
    return pretraining_of(file, 0).at("job").at("sequence").as_number();
  };
  CHECK(sequence("llama3-8b") == 8192);
  CHECK(sequence("gpt3-175b") == 2048);
}

TEST_CASE("sizes of machines fill units in small steps", "[models][procurement]") {
  const std::vector<int> sizes = usual_sizes(72);
  CHECK(sizes.front() == 72);
  CHECK(sizes.back() <= 1 << 20);
  CHECK(std::ranges::is_sorted(sizes));
  for (std::size_t i = 8; i < sizes.size(); ++i) CHECK(sizes[i] <= 1.126 * sizes[i - 1]);
}

TEST_CASE("the chance to be in time follows from the interval", "[models][procurement]") {
  const Interval<Seconds> time{50 * day, 80 * day, 128 * day};  // 90 %: a factor of 1.6 each way
  CHECK(chance_in_time(time, 80 * day) == Approx(0.5));
  CHECK(chance_in_time(time, 128 * day) == Approx(0.95).epsilon(1e-3));
  CHECK(time_at_chance(time, 0.95).in(day) == Approx(128).epsilon(1e-3));
  CHECK(time_at_chance(time, 0.05).in(day) == Approx(50).epsilon(1e-3));
  CHECK(time_at_chance(time, 0.5) == time.value);
  for (const double chance : {0.1, 0.6, 0.9})
    CHECK(chance_in_time(time, time_at_chance(time, chance)) == Approx(chance));
}

TEST_CASE("the chance to fit follows from the bytes that are not counted", "[models][procurement]") {
  MemoryUse use;
  use.weights = 100 * gigabyte, use.activations = 100 * gigabyte;  // one half counted, one half not
  const double sigma = 0.2, reach = std::exp(1.645 * sigma);
  const MemoryRange range{(100 + 100 / reach) * gigabyte, (100 + 100 * reach) * gigabyte};
  CHECK(chance_to_fit(use, range, 200 * gigabyte) == Approx(0.5));
  CHECK(chance_to_fit(use, range, (100 + 100 * std::exp(sigma)) * gigabyte) == Approx(0.8413).epsilon(1e-4));
  CHECK(chance_to_fit(use, range, (100 + 100 * reach) * gigabyte) == Approx(0.95).epsilon(1e-3));
  CHECK(chance_to_fit(use, range, 100 * gigabyte) == 0);
  CHECK(chance_to_fit(use, {200 * gigabyte, 200 * gigabyte}, 200 * gigabyte) == 1);
}

TEST_CASE("runs to the break-even are the time in use over that of a run", "[models][procurement]") {
  // 24 months are 730.5 days, half of them in use 365.25, and a run takes a quarter of these.
  CHECK(runs_to_break_even(24, 0.5, 91.3125 * day) == Approx(4));
}

TEST_CASE("a plan is dominated by one that is better in all", "[models][procurement]") {
  const auto figures = [](double days, double money, double power) {
    PurchaseFigures out;
    out.time.value = days * day;
    out.money.value = money * dollar;
    out.power = power * megawatt;
    return out;
  };
  CHECK(dominates(figures(1, 1, 1), figures(1, 1, 2)));
  CHECK_FALSE(dominates(figures(1, 1, 1), figures(1, 1, 1)));
  CHECK_FALSE(dominates(figures(1, 2, 1), figures(2, 1, 2)));
}
