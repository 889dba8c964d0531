// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/power_choice.hpp"

#include <rapidcheck.h>

#include <algorithm>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

using Jobs = std::vector<std::vector<PowerChoice>>;

/// Most work of jobs from `job` on, by trying all ways; -1 where none is within the budget.
double by_trying(const Jobs& jobs, Watts budget, std::size_t job = 0) {
  if (budget < Watts{}) return -1;
  if (job == jobs.size()) return 0;
  double best = -1;
  for (const PowerChoice& way : jobs[job])
    if (const double rest = by_trying(jobs, budget - way.drawn, job + 1); rest >= 0)
      best = std::max(best, way.work + rest);
  return best;
}

}  // namespace

TEST_CASE("ways of two jobs within a power", "[models][power]") {
  const Jobs jobs = {{{5 * kilowatt, 4}, {10 * kilowatt, 6}}, {{6 * kilowatt, 5}}};
  CHECK(most_work(jobs, 11.1 * kilowatt) == std::vector<std::size_t>{0, 0});
  CHECK(most_work(jobs, 16.1 * kilowatt) == std::vector<std::size_t>{1, 0});
  CHECK(most_work(jobs, 10 * kilowatt).empty());
}

TEST_CASE("no choice of ways does more work than the one that is found", "[models][power]") {
  REQUIRE(rc::check("choice == all tried", [] {
    Jobs jobs(static_cast<std::size_t>(*rc::gen::inRange(1, 4)));
    for (auto& ways : jobs)
      for (int i = *rc::gen::inRange(1, 6); i > 0; --i)
        ways.push_back({*rc::gen::inRange(1, 64) * kilowatt, 1.0 * *rc::gen::inRange(1, 1000)});
    const Watts budget = 128 * kilowatt;  // of which ways take whole grains
    const std::vector<std::size_t> found = most_work(jobs, budget);
    double work = 0;
    Watts drawn;
    for (std::size_t i = 0; i < found.size(); ++i) work += jobs[i][found[i]].work, drawn += jobs[i][found[i]].drawn;
    const double best = by_trying(jobs, budget);
    RC_ASSERT(found.empty() == (best < 0));
    RC_ASSERT(drawn <= budget);
    RC_ASSERT(found.empty() || work == best);
  }));
}
