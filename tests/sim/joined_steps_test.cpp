// SPDX-License-Identifier: Apache-2.0
#include "sim/joined_steps.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/replay.hpp"
#include "support/catch.hpp"
#include "support/random_step.hpp"
#include "support/small_step.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Computes for 10 us, then sends 10 us long over a link of `rate` bytes per us: 20 us alone.
StepGraph sender(std::uint64_t rate = 10) {
  SmallStep step;
  const RankClassId rank = step.rank("gpu");
  const ResourceId link = step.link(rate);
  const OpId compute = step.compute(step.compute_lane(rank), 10);
  step.builder.depends(compute, step.join(step.network_lane(rank), step.transfer(10 * rate, rate, link)));
  return std::move(step.builder).build();
}

/// Two steps, whose first `common` resources are the same.
JoinedSteps joined(const StepGraph& a, const StepGraph& b, std::size_t common) {
  StepJoiner joiner;
  joiner.add({a.structure, a.timing}, CommonResources(a.structure.resource_names.size()));
  CommonResources same(b.structure.resource_names.size());
  for (std::size_t i = 0; i < common; ++i) same[ResourceId(i)] = ResourceId(i);
  joiner.add({b.structure, b.timing}, same);
  return std::move(joiner).take();
}

RoundTimes rounds_of(const JoinedSteps& steps, Picoseconds second_start, std::size_t rounds) {
  return Replayer(steps.graph.structure)
      .run_rounds(steps.graph.timing, {steps.ends, {Picoseconds{}, second_start}, rounds});
}

std::vector<Picoseconds> first(const std::vector<Picoseconds>& times, std::size_t count) {
  return {times.begin(), times.begin() + static_cast<std::ptrdiff_t>(count)};
}

}  // namespace

TEST_CASE("steps that begin together share their link in every round", "[sim]") {
  // Both compute until 10 us, then send at 5 bytes per us until 30 us, and begin again.
  const RoundTimes times = rounds_of(joined(sender(), sender(), 1), us(0), 3);
  for (const auto& job : times) CHECK(first(job, 3) == std::vector<Picoseconds>(3, us(30)));
}

TEST_CASE("steps that begin half a step apart never meet", "[sim]") {
  const RoundTimes times = rounds_of(joined(sender(), sender(), 1), us(10), 3);
  for (const auto& job : times) CHECK(first(job, 3) == std::vector<Picoseconds>(3, us(20)));
}

TEST_CASE("what one step loses moves its next ones", "[sim]") {
  // 0 to 10 and 4 to 14 us compute. The first sends alone until 14 (40 bytes), both at half rate until it ends at 26,
  // the second sends its last 40 bytes alone until 30. They begin again 4 us apart.
  const RoundTimes times = rounds_of(joined(sender(), sender(), 1), us(4), 3);
  CHECK(first(times[0], 3) == std::vector<Picoseconds>(3, us(26)));
  CHECK(first(times[1], 3) == std::vector<Picoseconds>(3, us(26)));
}

TEST_CASE("a shorter step ends more rounds, and links of their own hold up nobody", "[sim]") {
  SmallStep step;
  step.compute(step.compute_lane(step.rank("gpu")), 5);
  const RoundTimes times = rounds_of(joined(sender(), std::move(step.builder).build(), 0), us(0), 2);
  CHECK(first(times[0], 2) == std::vector<Picoseconds>(2, us(20)));
  REQUIRE(times[1].size() >= 7);
  CHECK(first(times[1], 7) == std::vector<Picoseconds>(7, us(5)));
}

// The transport of the other step gets twice, or four fifths, as many bytes through the link in its time.
TEST_CASE("a common link with two capacities takes of each step the time that it takes alone", "[sim]") {
  for (const std::uint64_t rate : {20U, 8U}) {
    const JoinedSteps steps = joined(sender(), sender(rate), 1);
    const RoundTimes apart = rounds_of(steps, us(10), 3);
    for (const auto& job : apart)
      for (const Picoseconds time : first(job, 3))
        CHECK(to_seconds(time) / to_seconds(us(20)) == Approx(1).epsilon(1e-5));
    // 10 us of computing, then 10 us of the link for each, which both keep busy until the later one ends.
    const RoundTimes together = rounds_of(steps, us(0), 1);
    const Picoseconds last = std::max(together[0].front(), together[1].front());
    CHECK(to_seconds(last) / to_seconds(us(30)) == Approx(1).epsilon(1e-4));
  }
}

TEST_CASE("a common link with capacities too far apart is refused", "[sim]") {
  StepGraph other = sender();
  other.timing.capacity[ResourceId(0)] = 1;
  CHECK_THROWS_AS(joined(sender(1'000'000), other, 1), std::logic_error);
}

TEST_CASE("steps without common resources take the time that they take alone, in every round", "[sim]") {
  CHECK(rc::check("apart", [] {
    const StepGraph a = SymmetricMachine(random_program(), true).build(),
                    b = SymmetricMachine(random_program(), true).build();
    const Picoseconds start{*rc::gen::inRange<std::int64_t>(0, 50'000'000)};
    const RoundTimes times = rounds_of(joined(a, b, 0), start, 3);
    for (const Picoseconds time : times[0]) RC_ASSERT(time.count == replay(a).end.count);
    for (const Picoseconds time : times[1]) RC_ASSERT(time.count == replay(b).end.count);
  }));
}
