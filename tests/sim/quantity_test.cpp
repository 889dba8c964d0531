// SPDX-License-Identifier: Apache-2.0
#include "sim/quantity.hpp"

#include <type_traits>

#include "sim/sim_time.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};

}  // namespace

TEST_CASE("a transfer time is bytes over bandwidth", "[sim]") {
  const Seconds wire = 64 * mebibyte / (400 * gigabit_per_second);
  // 64 x 1048576 B / 50e9 B/s = 1342.177 us
  CHECK(wire.in(microsecond) == Approx(1342.177).epsilon(1e-6));
}

TEST_CASE("watts times seconds are joules, and a ratio is a plain number", "[sim]") {
  const Joules energy = 700 * watt * (2 * second);
  CHECK(energy.in(joule) == 1400);
  CHECK((3.6e6 * joule).in(kilowatt_hour) == Approx(1));
  static_assert(std::is_same_v<decltype(watt / watt), double>);
}

TEST_CASE("a combination of wrong units does not compile", "[sim]") {
  static_assert(!Addable<Seconds, Bytes>);
  static_assert(!Addable<Seconds, double>);
  static_assert(!std::is_convertible_v<double, Seconds>);
  static_assert(!std::is_same_v<decltype(byte * gigabyte_per_second), Seconds>);
  SUCCEED();
}

TEST_CASE("a bit is an eighth of a byte and prefixes are what they say", "[sim]") {
  CHECK((gigabyte_per_second / gigabit_per_second) == Approx(8));
  CHECK((gibibyte / gigabyte) == Approx(1.073741824));
  CHECK(day.in(second) == 86400);
}

TEST_CASE("time on the simulated clock is the nearest whole picosecond", "[sim]") {
  CHECK(to_picoseconds(1.5 * microsecond).count == 1'500'000);
  CHECK(to_picoseconds(0.6e-12 * second).count == 1);
  CHECK(to_seconds({2'500'000}).in(microsecond) == Approx(2.5));
}
