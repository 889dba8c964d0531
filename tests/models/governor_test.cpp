// SPDX-License-Identifier: Apache-2.0
#include "models/settling/governor.hpp"

#include <cmath>
#include <vector>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

constexpr double headroom = 600, window = 0.02;  // 12 J are saved at most

Stretch wait(double seconds) {
  Stretch out;
  out.time = seconds;
  return out;
}

Stretch multiplies(double seconds, double watts) {
  Stretch out = wait(seconds);
  out.add_kernels(watts, seconds, 1);
  return out;
}

/// Time that 0.1 s of multiplies at 800 W lose behind a wait, whose idle power is zero here.
double lost_behind(double wait_seconds) {
  return Governor(headroom, {2, 0}, window).time_of(std::vector{multiplies(0.1, 800), wait(wait_seconds)}).lost;
}

const double clock_of_limit = std::sqrt(600.0 / 800);

}  // namespace

TEST_CASE("a held load runs at the clock at which it draws the limit", "[models]") {
  const GovernedTime time = Governor(headroom, {2, 0}, window).time_of(std::vector{multiplies(1, 800)});
  CHECK(time.clock() == Approx(clock_of_limit).epsilon(1e-3));
  CHECK(time.lost == Approx(1 / clock_of_limit - 1).epsilon(1e-3));
  CHECK_FALSE(time.beyond);
  CHECK(Governor(headroom, {2, 0}, window).time_of(std::vector{multiplies(1, 599)}).lost == 0);
}

TEST_CASE("a low limit costs more where the voltage no longer falls", "[models]") {
  const auto clock_at = [](double limit, double floor) {
    return Governor(limit, {2, floor}, window).time_of(std::vector{multiplies(1, 800)}).clock();
  };
  CHECK(clock_at(500, 0.75) == Approx(clock_at(500, 0)));  // at 0.79
  CHECK(clock_at(200, 0) == Approx(0.5).epsilon(1e-3));
  CHECK(clock_at(300, 0.75) == Approx(0.5).epsilon(1e-3));  // 300 / 800 = 0.5 x 0.75
}

TEST_CASE("a wait pays for what it saves, and for no more than a window of it", "[models]") {
  const double all = 0.1 * (1 / clock_of_limit - 1);
  CHECK(lost_behind(0) == Approx(all).epsilon(1e-3));
  CHECK(lost_behind(0.01) == Approx((1 - 6.0 / 20) * all).epsilon(1e-3));  // 6 of the 20 J above the limit
  CHECK(lost_behind(0.05) == Approx((1 - 12.0 / 20) * all).epsilon(1e-3));
  CHECK(lost_behind(5) == lost_behind(0.05));
}

TEST_CASE("waits shorter than the window lower the mean that is limited", "[models]") {
  // 10 ms at 1,000 W and 10 ms of idling in turn have a mean of 500 W.
  std::vector<Stretch> wave;
  for (int i = 0; i < 50; ++i) {
    wave.push_back(multiplies(0.01, 1000));
    wave.push_back(wait(0.01));
  }
  CHECK(Governor(headroom, {2, 0}, window).time_of(wave).lost == 0);
}

TEST_CASE("work that is cut into shorter ops is governed as the whole", "[models]") {
  const std::vector<Stretch> whole = {multiplies(0.1, 800), wait(0.05)};
  std::vector<Stretch> cut;
  for (int i = 0; i < 1000; ++i) cut.push_back(multiplies(1e-4, i % 2 == 0 ? 1000 : 600));
  cut.push_back(wait(0.05));
  const Governor governor(headroom, {2, 0}, window);
  CHECK(governor.time_of(cut).lost == Approx(governor.time_of(whole).lost).epsilon(2e-3));
}

TEST_CASE("steps much shorter than the window are governed as one that lasts", "[models]") {
  const Governor governor(headroom, {2, 0}, window);
  for (const double seconds : {1e-5, 1e-3, 0.019, 0.5}) {
    CHECK(governor.time_of(std::vector{multiplies(seconds, 800)}).clock() == Approx(clock_of_limit).epsilon(1e-3));
    if (seconds < window) CHECK(governor.time_of(std::vector{multiplies(seconds, 800), wait(seconds)}).lost == 0);
  }
}

TEST_CASE("work of memory alone is not slowed, and is beyond a limit below its power", "[models]") {
  Stretch copies = wait(1);
  copies.add_kernels(700, 1, 0);
  const GovernedTime time = Governor(headroom, {2, 0}, window).time_of(std::vector{copies});
  CHECK(time.lost == 0);
  CHECK(time.beyond);
}

TEST_CASE("waves measured on one H200 run as fast as they did", "[models]") {
  // Multiplies at 796 TFLOP/s short and 672 held under 700 W; 534 W in the mean of 10 ms of each and of idling at 130
  // W.
  const double watts = 2 * 534 - 130 - 130.0, exponent = std::log(watts / 570) / std::log(796.0 / 672);
  const Governor governor(570, {exponent, 0}, 0.022);
  const auto rate = [&](double work, double idle) {
    return 796 * governor.time_of(std::vector{multiplies(work, watts), wait(idle)}).clock();
  };
  CHECK(rate(0.01, 0.01) == Approx(796));
  CHECK(rate(0.105, 0.1) == Approx(734).epsilon(0.01));
  CHECK(rate(1.145, 1) == Approx(672).epsilon(0.01));
}
