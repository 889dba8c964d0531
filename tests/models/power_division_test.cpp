// SPDX-License-Identifier: Apache-2.0
// Division of a power budget among jobs with known curves.
#include "models/site/sizing/power_division.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

constexpr std::array every_division = {PowerDivision::by_job, PowerDivision::proportional, PowerDivision::equal};

/// Straight between the points; limits follow the power.
PowerCurve curve(double accelerators, std::vector<std::pair<double, double>> points, double weight = 1) {
  PowerCurve out{accelerators, weight, {}};
  for (const auto& [kilowatts, speed] : points)
    out.points.push_back({kilowatts * 10 * watt, kilowatts * kilowatt, speed});
  return out;
}

double useful(const std::vector<PowerCurve>& jobs, const std::vector<Watts>& budgets) {
  double sum = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& points = jobs[i].points;
    const auto above = std::ranges::find_if(points, [&](const PowerPoint& p) { return p.drawn >= budgets[i]; });
    double speed = points.back().speed;
    if (above == points.begin())
      speed = above->speed;
    else if (above != points.end()) {
      const PowerPoint& below = *(above - 1);
      speed = below.speed + (budgets[i] - below.drawn) / (above->drawn - below.drawn) * (above->speed - below.speed);
    }
    sum += jobs[i].weight * jobs[i].accelerators * speed;
  }
  return sum;
}

Watts sum_of(const std::vector<Watts>& budgets) {
  Watts sum;
  for (const Watts budget : budgets) sum += budget;
  return sum;
}

/// Concave, as of a step whose kernels follow the clock.
PowerCurve random_curve() {
  const double accelerators = *rc::gen::inRange(1, 2000), idle = *rc::gen::inRange(1, 50),
               full = idle + *rc::gen::inRange(1, 200);
  const double bend = *rc::gen::element(0.2, 0.5, 0.9);
  std::vector<std::pair<double, double>> points;
  for (int i = 1; i <= 8; ++i) points.push_back({idle + i / 8.0 * (full - idle), std::pow(i / 8.0, bend)});
  return curve(accelerators, points, *rc::gen::element(1.0, 1.0, 3.0));
}

}  // namespace

TEST_CASE("the example of the header", "[models][power]") {
  const std::vector<PowerCurve> jobs = {curve(8, {{7, 1}, {10, 1}}), curve(8, {{5, 0.5}, {10, 1}})};
  const std::vector<Watts> by_job = divided(jobs, 16 * kilowatt, PowerDivision::by_job);
  CHECK(by_job[0] == 7 * kilowatt);
  CHECK(by_job[1] == 9 * kilowatt);
  CHECK(useful(jobs, by_job) == Approx(15.2));
  for (const PowerDivision other : {PowerDivision::equal, PowerDivision::proportional}) {
    const std::vector<Watts> budgets = divided(jobs, 16 * kilowatt, other);
    CHECK(budgets[0].in(kilowatt) == Approx(8));
    CHECK(budgets[1].in(kilowatt) == Approx(8));
    CHECK(useful(jobs, budgets) == Approx(14.4));
  }
}

TEST_CASE("what a job does not need goes to the others", "[models][power]") {
  const std::vector<PowerCurve> jobs = {curve(8, {{1, 0.2}, {4, 1}}), curve(8, {{5, 0.5}, {20, 1}})};
  const std::vector<Watts> equal = divided(jobs, 16 * kilowatt, PowerDivision::equal);
  CHECK(equal[0].in(kilowatt) == Approx(4));
  CHECK(equal[1].in(kilowatt) == Approx(12));
}

TEST_CASE("a weight moves power to its job", "[models][power]") {
  const auto shared = [](double weight) {
    const std::vector<PowerCurve> jobs = {curve(8, {{5, 0.6}, {10, 1}}, weight), curve(8, {{5, 0.5}, {10, 1}})};
    return divided(jobs, 14 * kilowatt, PowerDivision::by_job)[0];
  };
  CHECK(shared(1) == 5 * kilowatt);
  CHECK(shared(2) == 9 * kilowatt);
}

TEST_CASE("points below the hull are passed over", "[models][power]") {
  const std::vector<PowerCurve> jobs = {curve(8, {{5, 0.1}, {6, 0.11}, {10, 1}}), curve(8, {{5, 0.9}, {10, 1}})};
  CHECK(divided(jobs, 15 * kilowatt, PowerDivision::by_job)[0] == 10 * kilowatt);
}

TEST_CASE("every division keeps to the budget and to what jobs can take, and none beats that by job",
          "[models][power]") {
  REQUIRE(rc::check("divisions", [] {
    const std::vector<PowerCurve> jobs = {random_curve(), random_curve(), random_curve()};
    Watts least, free;
    for (const PowerCurve& job : jobs) least += job.least(), free += job.free();
    const Watts budget = least + *rc::gen::inRange(0, 120) / 100.0 * (free - least);
    const double best = useful(jobs, divided(jobs, budget, PowerDivision::by_job));
    for (const PowerDivision division : every_division) {
      const std::vector<Watts> budgets = divided(jobs, budget, division);
      RC_ASSERT(sum_of(budgets) <= (1 + 1e-9) * budget);
      RC_ASSERT(sum_of(budgets) >= (1 - 1e-9) * std::min(budget, free));
      for (std::size_t i = 0; i < jobs.size(); ++i) {
        RC_ASSERT(budgets[i] >= jobs[i].least());
        RC_ASSERT(budgets[i] <= jobs[i].free());
      }
      RC_ASSERT(useful(jobs, budgets) <= (1 + 1e-9) * best);
    }
    // Any other way to spend the same.
    const Watts first = jobs[0].least() + *rc::gen::inRange(0, 101) / 100.0 * (jobs[0].free() - jobs[0].least());
    const Watts second = jobs[1].least() + *rc::gen::inRange(0, 101) / 100.0 * (jobs[1].free() - jobs[1].least());
    const Watts third = budget - first - second;
    if (third >= jobs[2].least() && third <= jobs[2].free())
      RC_ASSERT(useful(jobs, {first, second, third}) <= (1 + 1e-9) * best);
  }));
}

TEST_CASE("a limit lies between those of the points around it", "[models][power]") {
  const PowerCurve job = curve(8, {{5, 0.5}, {10, 1}});
  CHECK(limit_at(job, 7 * kilowatt).in(watt) == Approx(70));
  CHECK(limit_at(job, 1 * kilowatt) == 50 * watt);
  CHECK(limit_at(job, 30 * kilowatt) == 100 * watt);
}
