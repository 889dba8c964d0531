// SPDX-License-Identifier: Apache-2.0
// Arithmetic of audits, against sums that can be done by hand, and verdicts by their thresholds.
#include "models/site/audit/audit_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "models/kernels/kernel_power.hpp"
#include "models/prediction/predict_step.hpp"
#include "models/prediction/prediction.hpp"
#include "models/site/audit/network_claims.hpp"
#include "models/site/audit/site_claims.hpp"
#include "models/site/audit/time_claims.hpp"
#include "support/catch.hpp"
#include "support/facilities.hpp"
#include "support/prices.hpp"
#include "support/small_scenario.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// A small model on three DGX H100: TP 8 x PP 2 leaves one node over.
Scenario three_nodes() {
  SmallCase c;
  c.tensor = 8;
  c.pipeline = 1;
  c.data = 3;
  Scenario s = small_scenario(c);
  ClusterSpec spec = s.cluster.spec;
  spec.node.part = "DGX H100";
  s.cluster = build_cluster(spec, parts(), s.source);
  s.job.parallel.pipeline = 2;
  s.job.parallel.data.reset();
  s.job.parallel.virtual_pipeline.reset();
  s.job.global_batch = 8;
  return s;
}

const PriceList& prices() {
  static const PriceList list = plain_prices(0.1, 5);
  return list;
}

AuditReport audited(const Blueprint& blueprint, const Scenario& s) {
  const Facility facility = air_facility(parts());
  return audit_blueprint({blueprint, s.cluster, parts(), facility, prices(), &s});
}

AuditReport audited_without_job(const Blueprint& blueprint, const Cluster& cluster, const Facility& facility) {
  return audit_blueprint({blueprint, cluster, parts(), facility, prices()});
}

ClaimFinding found(const AuditReport& report, ClaimKind kind) {
  for (const ClaimFinding& finding : report.findings)
    if (finding.claim == kind) return finding;
  FAIL("no such finding");
  return {};
}

StatedLayout stated(const std::string& words) {
  const std::optional<StatedLayout> layout = read_layout(words);
  REQUIRE(layout);
  return *layout;
}

double number(const ClaimFinding& finding) {
  return std::get<double>(finding.computed);
}

bool says(const ClaimFinding& finding, const std::string& words) {
  return finding.arithmetic.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("the days of a blueprint are those of its training run", "[models][audit]") {
  Scenario s = three_nodes();
  Blueprint blueprint;
  blueprint.claims = {{ClaimKind::training_days, 30.0, ""}};
  blueprint.training_tokens = 1e9;
  const AuditReport by_blueprint = audited(blueprint, s);
  const ClaimFinding days = found(by_blueprint, ClaimKind::training_days);
  // One node of the three is idle; steps of 8 sequences are whole, so 1e9 tokens take less than one step more.
  const double per_step = 8.0 * s.job.sequence, steps = std::ceil(1e9 / per_step);
  const double pure = steps * by_blueprint.step->step_time.in(day);
  CHECK(number(days) >= pure);  // failures and checkpoints of three nodes cost little
  CHECK(number(days) == Approx(pure).epsilon(0.001));
  // Tokens and accelerators are proportional to the time.
  CHECK(says(days, fmt::format("30 days suffice for {:.2f}T tokens", steps * per_step * 30 / number(days) / 1e12)));
  blueprint.training_tokens.reset();
  s.job.tokens = 1'000'000'000;
  const AuditReport by_job = audited(blueprint, s);
  CHECK(number(found(by_job, ClaimKind::training_days)) == number(days));
}

TEST_CASE("failures: time to interrupt, the interval that loses least, the waste", "[models][audit]") {
  const Seconds mean = mean_time_to_interrupt(3.79, 150);
  CHECK(mean.in(hour) == Approx(42.2).epsilon(0.002));  // 1000 x 24 / (3.79 x 150)
  CHECK(30 * day / mean == Approx(17).epsilon(0.01));
  // Young: sqrt(2 x 117 s x 42.2 h) = 1.66 h; Daly's next terms take half a write off it
  const Seconds interval = checkpoint_interval(117 * second, mean);
  CHECK(interval.in(hour) == Approx(1.65).epsilon(0.02));
  const CheckpointWaste waste = checkpoint_waste(117 * second, interval, {}, mean);
  CHECK(waste.total() == Approx(0.039).epsilon(0.02));
  CHECK(waste.writing == Approx(waste.lost_work).epsilon(0.05));  // balanced at the best interval
  // Young has 1,155 s for 60 s of writing at 3.09 h; Daly 1,155 (1 + 0.0519 / 3 + 0.0027 / 9) - 60 = 1,116 s.
  CHECK(checkpoint_interval(60 * second, 3.09 * hour).in(second) == Approx(1116).epsilon(0.001));
  // A write that takes longer than two mean times leaves nothing to choose.
  CHECK(checkpoint_interval(3 * hour, 1 * hour) == 1 * hour);
}

TEST_CASE("the best interval is better than its neighbours", "[models][audit]") {
  for (const double write : {1.0, 30.0, 300.0}) {
    const Seconds mean = 5 * hour, best = checkpoint_interval(write * second, mean);
    const double least = checkpoint_waste(write * second, best, {}, mean).total();
    CHECK(least < checkpoint_waste(write * second, 1.5 * best, {}, mean).total());
    CHECK(least < checkpoint_waste(write * second, best / 1.5, {}, mean).total());
  }
}

TEST_CASE("switches for 1,200 endpoints, joined and as rail planes", "[models][audit]") {
  CHECK(two_tier_limit(40) == 800);
  CHECK(joined_switches(1200, 40).tiers == std::vector<long long>{60, 60, 30});
  CHECK(joined_switches(800, 40).tiers == std::vector<long long>{40, 20});
  CHECK(joined_switches(40, 40).total() == 1);
  const NetworkSize size{150, 8, 8, 200 * gigabit_per_second};
  CHECK(plane_switches(size, 40).total() == 96);                     // 8 x (8 + 4)
  CHECK(plane_switches(size, 64).total() == 72);                     // 8 x (5 + 4)
  CHECK(plane_switches({3, 8, 8, size.nic_rate}, 64).total() == 8);  // a leaf for each rail
  CHECK(plane_switches({2049, 8, 8, size.nic_rate}, 64).total() == 0);
  CHECK(joined_switches(16384, 64).total() == 1280);  // published
}

TEST_CASE("verdicts by tolerance and by which side is good", "[models][audit]") {
  const AuditTolerance t;
  CHECK(judge(100, 105, ClaimSense::equal, t) == Holds::yes);
  CHECK(judge(100, 94, ClaimSense::equal, t) == Holds::partly);
  CHECK(judge(100, 80, ClaimSense::equal, t) == Holds::no);
  CHECK(judge(100, 20, ClaimSense::at_most, t) == Holds::yes);
  CHECK(judge(100, 116, ClaimSense::at_most, t) == Holds::no);
  CHECK(judge(100, 200, ClaimSense::at_least, t) == Holds::yes);
  CHECK(judge(100, 50, ClaimSense::at_least, t) == Holds::no);
  CHECK(judge(100, 50, ClaimSense::at_least, t, true) == Holds::partly);
  CHECK(judge(100, 116, ClaimSense::at_most, {0.2, 0.3}) == Holds::yes);
}

TEST_CASE("a layout that does not divide leaves accelerators idle", "[models][audit]") {
  const LayoutUse use{8, 4, 1, 1200, 37};
  CHECK(use.used() == 1184);
  CHECK(use.idle() == 16);
  const std::vector<int> whole = whole_pipelines(use, 120);
  REQUIRE_FALSE(whole.empty());
  CHECK(whole.front() == 5);  // as near as 3, and needs less memory
  for (const int stages : whole) CHECK(1200 % (8 * stages) == 0);

  const Scenario s = three_nodes();
  const LayoutUse found = layout_use(s, stated("TP8 x PP2"));
  CHECK(found.replicas == 1);
  CHECK(found.idle() == 8);
  const UsedScenario used = used_part(s, found);
  CHECK(used.scenario.cluster.spec.accelerators == 16);
  CHECK(used.scenario.cluster.nodes() == 2);
  CHECK(predict_step(used.scenario).accelerators == 16);
}

TEST_CASE("a batch that replicas do not divide goes to the nearest that they do", "[models][audit]") {
  Scenario s = three_nodes();
  s.job.parallel.pipeline = 1;
  const UsedScenario used = used_part(s, layout_use(s, {}));
  CHECK(used.scenario.job.global_batch == 9);  // 8 over 3 replicas
  CHECK(used.changes.size() == 1);
}

TEST_CASE("replicas fill whole nodes", "[models][audit]") {
  Scenario s = three_nodes();
  s.job.parallel.tensor = 2;
  s.job.parallel.pipeline = 3;
  // 24 / 6 = 4 replicas; 1, 2 or 3 of them would end inside a node
  CHECK(layout_use(s, {}).replicas == 4);
  s.job.parallel.data = 3;
  CHECK_THROWS_AS(layout_use(s, {}), ConfigError);
}

TEST_CASE("the claimed layout must be the described one, and fit", "[models][audit]") {
  Scenario s = three_nodes();
  for (const char* words : {"TP8, PP 2", "tensor 8", "TP8 x PP2 x DP1", "PP 2, EP 1"})
    CHECK_NOTHROW(layout_use(s, stated(words)));
  for (const char* words : {"TP8 x PP4", "8-way tensor, 4-way pipeline", "TP8 x DP3", "CP 2", "EP 8"})
    CHECK_THROWS_AS(layout_use(s, stated(words)), ConfigError);
  s.job.parallel.pipeline = 4;
  CHECK_THROWS_AS(layout_use(s, {}), ConfigError);
}

TEST_CASE("a stated layout is read whole, in any of its forms", "[models][audit]") {
  for (const char* words :
       {"TP8 x PP4", "TP8xPP4", "TP 8 \u00d7 PP 4", "tp=8, pp=4", "TP-8/PP-4", "8-way tensor, 4-way pipeline",
        "tensor 8 pipeline 4", "tensor parallel 8, and pipeline parallel 4",
        "4 pipeline stages and 8-way tensor-parallelism", "TP8PP4"}) {
    INFO(words);
    const StatedLayout layout = stated(words);
    CHECK(layout.tensor == 8);
    CHECK(layout.pipeline == 4);
    CHECK_FALSE(layout.context);
    CHECK_FALSE(layout.data);
    CHECK_FALSE(layout.expert);
  }
  const StatedLayout all = stated("TP1 x PP2 x CP3 x DP4 x EP5"), in_words = stated("context 3, 4-way data, experts 5");
  for (const StatedLayout& layout : {all, in_words}) {
    CHECK(layout.context == 3);
    CHECK(layout.data == 4);
    CHECK(layout.expert == 5);
  }
  CHECK(all.tensor == 1);
  CHECK(all.pipeline == 2);
  for (const char* words : {"", " ", "as usual", "x", "8 x 4", "TP", "8", "TP8 x", "x TP8", "TP8 x PP", "TP8 x TP8",
                            "TP0", "TP8.5", "TP 99999999999", "TP8 x PP4 or so", "way 8 tensor", "8 tensor-pipeline"}) {
    INFO(words);
    CHECK_FALSE(read_layout(words));
  }
}

TEST_CASE("a claim inside the interval of the step holds in part", "[models][audit]") {
  Scenario s = three_nodes();
  Blueprint blueprint;
  blueprint.tolerance = {0.001, 0.001};
  blueprint.training_tokens = 1e9;
  const auto finding = [&](ClaimKind kind, double claimed) {
    blueprint.claims = {{kind, claimed, ""}};
    return found(audited(blueprint, s), kind);
  };
  const ClaimFinding mfu = finding(ClaimKind::utilisation, 0.9), days = finding(ClaimKind::training_days, 1e-6);
  CHECK(mfu.holds == Holds::no);
  CHECK(days.holds == Holds::no);
  for (const ClaimFinding& one : {mfu, days}) {
    REQUIRE((one.low && one.high));
    CHECK(*one.low < 0.99 * number(one));
    CHECK(*one.high > 1.01 * number(one));
    CHECK(says(one, "by the interval of the step"));
  }
  CHECK(finding(ClaimKind::utilisation, (number(mfu) + *mfu.high) / 2).holds == Holds::partly);
  CHECK(finding(ClaimKind::utilisation, 1.01 * *mfu.high).holds == Holds::no);
  CHECK(finding(ClaimKind::utilisation, *mfu.low).holds == Holds::yes);
  CHECK(finding(ClaimKind::training_days, (number(days) + *days.low) / 2).holds == Holds::partly);
  CHECK(finding(ClaimKind::training_days, 0.99 * *days.low).holds == Holds::no);
  CHECK_FALSE(finding(ClaimKind::nic_gbit_per_s, 400).low);
}

TEST_CASE("a cap slows multiplies as clocks follow watts, and the step less", "[models][audit]") {
  const Scenario s = used_part(three_nodes(), layout_use(three_nodes(), {})).scenario;
  const StepPrediction step = predict_step(s);
  const auto at_400 = speed_at_cap(s, step, 400 * watt), at_700 = speed_at_cap(s, step, 700 * watt);
  REQUIRE(at_400);
  REQUIRE(at_700);
  CHECK(at_700->gemm == Approx(1));
  CHECK(at_700->step == Approx(1).epsilon(1e-6));
  const DevicePowerParameters& power = s.parameters.power;
  const double idle = power.idle->value.in(watt);
  const double above_idle =
      power.tensor_weight.value *
      power_range(s.cluster.accelerator, power, s.parameters.gemm.at("bf16").density_reference.value).die.in(watt);
  const auto clock_at = [&](double limit) { return power.voltage().clock((limit - idle) / above_idle); };
  CHECK(at_400->gemm == Approx(clock_at(400) / clock_at(700)).epsilon(1e-3));
  CHECK(at_400->step > at_400->gemm);
  CHECK(at_400->step <= 1 + 1e-9);
  CHECK_FALSE(speed_at_cap(s, step, 200 * watt));  // the least that can be set
}

TEST_CASE("racks and site from nodes, with the blueprint's own numbers first", "[models][audit]") {
  const Scenario s = three_nodes();
  const StepPrediction step = predict_step(used_part(s, layout_use(s, {})).scenario);
  Facility facility = air_facility(parts());
  Blueprint blueprint;
  const SiteFigures usual = site_figures({blueprint, s.cluster, parts(), facility, prices(), &s}, &step);
  CHECK(usual.nodes == 3);
  CHECK(usual.node_rated.in(kilowatt) == Approx(10.2));
  CHECK(usual.node_mean.in(watt) == Approx(step.power.nodes_mean.in(watt) / 2));
  CHECK(usual.it_rated.in(kilowatt) > 3 * 10.2);
  CHECK(usual.site_rated.in(kilowatt) == Approx(usual.it_rated.in(kilowatt)*usual.pue));
  blueprint.racks = 2;
  facility.power_usage_effectiveness = 1.5;
  const SiteFigures own = site_figures({blueprint, s.cluster, parts(), facility, prices(), &s}, &step);
  CHECK(own.nodes_per_rack == 2);
  CHECK(own.rack_mean().in(kilowatt) == Approx(2 * own.node_mean.in(kilowatt)));
  CHECK(own.pue == Approx(1.5));
}

TEST_CASE("claims that are missing are added without a verdict", "[models][audit]") {
  const Scenario s = three_nodes();
  Blueprint blueprint;
  blueprint.claims = {{ClaimKind::scale_up, std::string("nvlink-4"), ""}, {ClaimKind::utilisation, 0.9, ""}};
  const AuditReport report = audited(blueprint, s);
  CHECK(report.findings.size() == 4);
  CHECK(report.missing() == 2);
  CHECK(found(report, ClaimKind::scale_up).holds == Holds::yes);
  CHECK(found(report, ClaimKind::utilisation).holds == Holds::no);
  CHECK(number(found(report, ClaimKind::utilisation)) == report.step->mfu);
  CHECK(says(found(report, ClaimKind::utilisation), "80.3 %"));  // 794.5 of 989
  CHECK_FALSE(found(report, ClaimKind::fits).holds);
  CHECK(report.first_to_mend()->claim == ClaimKind::utilisation);
}

// 127 nodes stand on 32 leaves and 16 spines with 1,016 + 1,024 + 4 cables, as published.
TEST_CASE("claims about machines, switches, cables, PUE and energy are those of the plan", "[models][audit]") {
  const Scenario s = three_nodes();
  Blueprint blueprint;
  blueprint.claims = {{ClaimKind::it_mw, 1.0, ""},
                      {ClaimKind::it_mw_in_use, 1.0, ""},
                      {ClaimKind::racks, 4.0, ""},
                      {ClaimKind::switches, 4.0, ""},
                      {ClaimKind::cables, 4.0, ""},
                      {ClaimKind::pue, 9.0, ""},
                      {ClaimKind::price_million_usd, 100.0, ""},
                      {ClaimKind::energy_gwh_per_year, 100.0, ""}};
  const Facility facility = air_facility(parts());
  const AuditCase audit({blueprint, s.cluster, parts(), facility, prices(), &s});
  const AuditReport report = audited(blueprint, s);
  const auto computed = [&](ClaimKind kind) { return number(found(report, kind)); };
  CHECK(computed(ClaimKind::it_mw) == Approx(audit.site.it_rated.in(megawatt)));
  CHECK(computed(ClaimKind::it_mw_in_use) == Approx(audit.site.it_mean.in(megawatt)));
  CHECK(computed(ClaimKind::racks) == audit.site.all_racks);
  CHECK(computed(ClaimKind::switches) == static_cast<double>(audit.site.switches));
  CHECK(computed(ClaimKind::cables) == static_cast<double>(audit.site.links));
  CHECK(computed(ClaimKind::pue) == Approx(audit.site.site_mean / audit.site.it_mean));
  CHECK(computed(ClaimKind::price_million_usd) == Approx(audit.site.cost.capex_total.in(dollar) / 1e6));
  CHECK(computed(ClaimKind::energy_gwh_per_year) == Approx(audit.site.site_mean.in(megawatt)*8.766));
}

TEST_CASE("a machine without a job: its claims are checked, with typical power", "[models][audit]") {
  const Scenario s = three_nodes();
  const Facility facility = air_facility(parts());
  Blueprint blueprint;
  for (std::size_t kind = 0; kind < claim_kind_count; ++kind) {
    const auto claim = static_cast<ClaimKind>(kind);
    if (needs_job(claim)) continue;
    const bool cooling = claim == ClaimKind::cooling;
    if (stated_in_words(claim))
      blueprint.claims.push_back({claim, std::string(cooling ? "contained air" : "NVLink 4"), ""});
    else
      blueprint.claims.push_back({claim, 1.0, ""});
  }
  const AuditReport report = audited_without_job(blueprint, s.cluster, facility);
  CHECK(report.findings.size() == blueprint.claims.size());
  CHECK(report.missing() == 0);
  CHECK_FALSE(report.step);
  // The mean of DGX H100 without a job is the measured share of its rating: 0.76 x 10.2 kW.
  CHECK(says(found(report, ClaimKind::it_mw_in_use), "3 nodes x 7.75 kW"));
  CHECK(says(found(report, ClaimKind::failures), "h between interruptions"));
  // Half of 24 accelerators send 12 x 50 GB/s.
  CHECK(number(found(report, ClaimKind::bisection_tb_per_s)) == Approx(0.6));
}

TEST_CASE("a claim may be held to a deviation of its own", "[models][audit]") {
  const Scenario s = three_nodes();
  const Facility facility = air_facility(parts());
  Blueprint blueprint;
  const auto verdict = [&](double stated, std::optional<double> within) {
    blueprint.claims = {{ClaimKind::nic_gbit_per_s, stated, "", within}};
    return audited_without_job(blueprint, s.cluster, facility).findings.front().holds;
  };
  CHECK(verdict(390, {}) == Holds::yes);  // 2.6 % off, 5 % allowed
  CHECK(verdict(390, 0) == Holds::partly);
  CHECK(verdict(400, 0) == Holds::yes);
  CHECK(verdict(320, 0.3) == Holds::yes);
}
