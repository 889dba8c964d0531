// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/size_error.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "sim/interval.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// Pairs whose errors are drawn from two halves of Student's t with the sides that these errors give.
std::vector<SizeErrorPair> drawn_pairs(const SizeErrors& truth, int count) {
  std::mt19937 random(20261129);
  std::student_t_distribution<double> student(2);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<SizeErrorPair> out;
  for (int i = 0; i < count; ++i) {
    SizeErrorPair pair;
    pair.difference = 0.2 * uniform(random);
    pair.doublings = 1 + i % 4;
    pair.known = 1e-6;
    const double both = pair.known + 2 * truth.size * truth.size + truth.lost * truth.lost * pair.difference;
    const double slower = std::sqrt(both + truth.growth * truth.growth * pair.doublings), faster = std::sqrt(both);
    const bool loses_more = uniform(random) < slower / (slower + faster);
    const double deviations = std::abs(student(random)) * half_width_90 / 2.919986;
    pair.lost_more = loses_more ? slower * deviations : -faster * deviations;
    out.push_back(pair);
  }
  return out;
}

double share_inside(const std::vector<SizeErrorPair>& pairs, const SizeErrors& e) {
  const auto inside = std::ranges::count_if(pairs, [&](const SizeErrorPair& pair) {
    const double both = pair.known + 2 * e.size * e.size + e.lost * e.lost * pair.difference;
    const double side = pair.lost_more > 0 ? both + e.growth * e.growth * pair.doublings : both;
    return std::abs(pair.lost_more) <= half_width_90 * std::sqrt(side) * (1 + 1e-9);
  });
  return static_cast<double>(inside) / static_cast<double>(pairs.size());
}

}  // namespace

TEST_CASE("errors of sizes come back from drawn pairs", "[calibration]") {
  const SizeErrors truth{0.006, 0.1, 0.02};
  const std::vector<SizeErrorPair> pairs = drawn_pairs(truth, 4000);
  const SizeErrors fitted = fitted_size_errors(pairs);
  CHECK(fitted.size == Approx(truth.size).epsilon(0.15));
  CHECK(fitted.lost == Approx(truth.lost).epsilon(0.1));
  CHECK(fitted.growth == Approx(truth.growth).epsilon(0.1));
  CHECK(share_inside(pairs, fitted) == Approx(0.9).margin(0.01));
}

TEST_CASE("pairs that err to both sides alike have no growth", "[calibration]") {
  const SizeErrors fitted = fitted_size_errors(drawn_pairs({0.01, 0.05, 0}, 4000));
  CHECK(fitted.growth < 0.004);
  CHECK(fitted.size == Approx(0.01).epsilon(0.15));
}

TEST_CASE("too few pairs say nothing of sizes", "[calibration]") {
  const SizeErrors fitted = fitted_size_errors(drawn_pairs({0.01, 0.1, 0.01}, 2));
  CHECK(fitted.size == 0);
  CHECK(fitted.lost == 0);
  CHECK(fitted.growth == 0);
}
