// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/power_chain.hpp"

#include <cmath>

#include "support/catch.hpp"
#include "support/site_plans.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const PowerPart& circuit(const char* id) {
  return *find_part(shipped_parts().power_stages, id);
}

PowerChainSpec chain_with(Redundancy feeds, int most_feeds) {
  PowerChainSpec chain;
  chain.feeds = feeds;
  chain.most_feeds = most_feeds;
  return chain;
}

}  // namespace

// sqrt(3) x 415 V x 60 A = 43.1 kVA, at 0.95 and four fifths of the breaker: 32.8 kW (NETBOX: 32.7 kW).
TEST_CASE("four circuits carry as much as is left after a loss", "[models][facility]") {
  const PowerPart& part = circuit("Circuit 415 V 60 A");
  const double each = 43.1 * 0.95 * 0.8;
  const auto most = [&](Redundancy feeds) { return most_fed(part, chain_with(feeds, 4)).in(kilowatt); };
  CHECK(most(Redundancy::n) == Approx(4 * each));
  CHECK(most(Redundancy::n_plus_1) == Approx(3 * each));
  CHECK(most(Redundancy::two_n) == Approx(2 * each));
  CHECK(most(Redundancy::catcher) == Approx(3 * each));
  CHECK(most_fed(part, chain_with(Redundancy::two_n, 1)) == Watts{});
}

TEST_CASE("a rack that needs more circuits than it has room for says how many", "[models][facility]") {
  const RackFeeds feeds =
      size_feeds(132 * kilowatt, circuit("Circuit 415 V 60 A"), chain_with(Redundancy::n_plus_1, 4));
  CHECK(feeds.needed == 5);  // 132 / 32.8 = 4.03
  CHECK(feeds.feeds == 6);
  CHECK(feeds.after_loss.in(kilowatt) == Approx(132.0 / 5));
}

TEST_CASE("circuits share a rack's power evenly", "[models][facility]") {
  const RackFeeds feeds =
      size_feeds(40.8 * kilowatt, circuit("Circuit 415 V 60 A"), chain_with(Redundancy::n_plus_1, 4));
  CHECK(feeds.feeds == 3);
  CHECK(feeds.after_loss.in(kilowatt) == Approx(20.4));
  CHECK(feeds.amperes == Approx(13'600 / 0.95 / (std::sqrt(3.0) * 415)));
  CHECK(size_feeds(Watts{}, circuit("Circuit 415 V 60 A"), chain_with(Redundancy::n, 4)).feeds == 1);
}

TEST_CASE("spares by kind of redundancy", "[models][facility]") {
  CHECK(with_spares(6, Redundancy::n, 4) == 6);
  CHECK(with_spares(6, Redundancy::n_plus_1, 4) == 7);
  CHECK(with_spares(6, Redundancy::two_n, 4) == 12);
  CHECK(with_spares(6, Redundancy::catcher, 4) == 8);  // two groups of 4, one of each in reserve
  CHECK(with_spares(7, Redundancy::catcher, 4) == 10);
}

TEST_CASE("those that are left take over the load of a lost one", "[models][facility]") {
  CHECK(load_growth(3, Redundancy::n_plus_1, 4) == Approx(1.5));
  CHECK(load_growth(8, Redundancy::two_n, 4) == 2);
  CHECK(load_growth(8, Redundancy::catcher, 4) == Approx(4.0 / 3));  // 4 to make 3: at 75 % before
  CHECK(load_growth(2, Redundancy::catcher, 4) == 2);
  CHECK(load_growth(5, Redundancy::n, 4) == 0);
}
