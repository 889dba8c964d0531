// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/flow_tail.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// Mean over draws of the slowest of so many flows, over the mean of one.
double drawn_slowest(const FlowTail& tail, int flows, int draws) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  double sum = 0;
  for (int i = 0; i < draws; ++i) {
    double least = 1;  // share of flows that take longer
    for (int flow = 0; flow < flows; ++flow) least = std::min(least, 1 - uniform(random));
    sum += tail.quantile(least);
  }
  return sum / draws / tail.mean();
}

}  // namespace

TEST_CASE("a tail goes through its quantiles", "[topology]") {
  const FlowTail tail({1.5, 6.0});
  CHECK(tail.quantile(0.9) == 1);
  CHECK(tail.quantile(0.01) == Approx(1.5));
  CHECK(tail.quantile(0.001) == Approx(6));
  CHECK(tail.quantile(0.0001) == Approx(24));  // goes on as between the last two
  CHECK(FlowTail({1.5, {}}).quantile(0.0001) == Approx(std::pow(5000, std::log(1.5) / std::log(50))));
  CHECK(tail.stated_flows() == 1000);
}

TEST_CASE("the slowest of many flows takes what draws say", "[topology]") {
  for (const TailSpec& spec : {TailSpec{1.2, {}}, TailSpec{1.5, {}}, TailSpec{1.5, 3.0}, TailSpec{3, {}}}) {
    const FlowTail tail(spec);
    INFO("p99 " << spec.p99 << ", p999 " << spec.p999.value_or(0));
    CHECK(tail.slowest(1) == Approx(1).epsilon(1e-6));
    CHECK(tail.slowest(64) == Approx(drawn_slowest(tail, 64, 40'000)).epsilon(0.02));
  }
  // Written out: 0.5 + 0.5 / (1 - ln 1.5 / ln 50) = 1.0578; 400,000 draws of the slowest of 1,024 have a mean of 2.046.
  CHECK(FlowTail({1.5, {}}).mean() == Approx(1.0578).epsilon(1e-4));
  CHECK(FlowTail({1.5, {}}).slowest(1024) == Approx(1.934).epsilon(2e-3));
}

TEST_CASE("equal flows have no slowest one, and parts of a tail are the whole", "[topology]") {
  CHECK(FlowTail({1, {}}).slowest(100'000) == Approx(1).epsilon(1e-6));
  const FlowTail tail({2, 5.0});
  for (const double flows : {1.0, 8.0, 1000.0, 100'000.0}) {
    const double whole = 0.5 * tail.slowest(flows, {0, 0.5}) + 0.49 * tail.slowest(flows, {0.5, 0.99}) +
                         0.01 * tail.slowest(flows, {0.99, 1});
    CHECK(whole == Approx(tail.slowest(flows)).epsilon(1e-4));
    CHECK(tail.slowest(flows, {0.99, 1}) > tail.slowest(flows, {0, 0.5}));
  }
  CHECK(tail.slowest(100'000) > tail.slowest(1000));
}

// One flow of the widest tail: 0.5 + area to p99 + p99 0.01 / (1 - ln 9 / ln 10), over itself.
TEST_CASE("the widest tails have finite times", "[topology]") {
  const FlowTail tail({40, 360.0});
  CHECK(tail.slowest(1) == Approx(1).epsilon(1e-6));
  for (const double flows : {2.0, 64.0, 1e6})
    for (const TailPart part : {TailPart{0, 0.5}, TailPart{0.99, 0.999}, TailPart{0.999, 1}, TailPart{}})
      CHECK(std::isfinite(tail.slowest(flows, part)));
  CHECK(tail.slowest(1e6) > tail.slowest(64));
}

TEST_CASE("a tail without a mean is refused", "[topology]") {
  CHECK_THROWS_AS(FlowTail({50, {}}), std::invalid_argument);
  CHECK_THROWS_AS(FlowTail({1.5, 15.0}), std::invalid_argument);
}
