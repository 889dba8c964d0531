// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/expert_draw.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include "topology/graph/counter_random.hpp"

namespace clusterwright {

namespace {

using Polynomial = std::vector<double>;  // coefficients up to a degree that all share

Polynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial out(a.size(), 0);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; i + j < out.size(); ++j) out[i + j] += a[i] * b[j];
  return out;
}

Polynomial one(std::size_t degree) {
  Polynomial out(degree + 1, 0);
  out[0] = 1;
  return out;
}

/// (1 + x)^experts - 1: the ways to draw some of them.
Polynomial at_least_one(double experts, std::size_t degree) {
  Polynomial out = one(degree);
  for (std::size_t j = 1; j <= degree; ++j) {
    const auto drawn = static_cast<double>(j - 1);
    out[j] = out[j - 1] * std::max(0.0, experts - drawn) / static_cast<double>(j);
  }
  out[0] = 0;
  return out;
}

/// Product of all other factors, for each place.
std::vector<Polynomial> products_of_others(const std::vector<Polynomial>& own, std::size_t degree) {
  std::vector<Polynomial> out(own.size());
  Polynomial before = one(degree);
  for (std::size_t p = 0; p < own.size(); ++p) out[p] = before, before = product(before, own[p]);
  Polynomial after = one(degree);
  for (std::size_t p = own.size(); p-- > 0;) out[p] = product(out[p], after), after = product(after, own[p]);
  return out;
}

double standard_normal(std::size_t number, std::uint64_t seed) {
  const auto bits = philox({static_cast<std::uint32_t>(number), 0, 0, 0}, seed);
  constexpr double scale = 1.0 / 4294967296.0;
  const double radius = (bits[0] + 0.5) * scale, angle = bits[1] * scale;
  return std::sqrt(-2 * std::log(radius)) * std::cos(2 * std::numbers::pi * angle);
}

double variation_of(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / n) / mean;
}

/// exp(spread * z), of mean 1.
std::vector<double> log_normal(const std::vector<double>& z, double spread) {
  const double most = *std::max_element(z.begin(), z.end());
  std::vector<double> values;
  for (const double at : z) values.push_back(std::exp(spread * (at - most)));
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(z.size());
  for (double& value : values) value /= mean;
  return values;
}

}  // namespace

ExpertDraw::ExpertDraw(const std::vector<double>& weights, const std::vector<std::size_t>& place, std::size_t places,
                       int count) {
  if (count < 1 || static_cast<std::size_t>(count) > weights.size() || place.size() != weights.size())
    throw std::invalid_argument("a token draws at least one expert and at most all");
  const auto degree = static_cast<std::size_t>(count);
  own_.assign(places, one(degree));
  for (std::size_t expert = 0; expert < weights.size(); ++expert) {
    Polynomial& at = own_[place[expert]];
    for (std::size_t j = degree; j > 0; --j) at[j] += weights[expert] * at[j - 1];
  }
  const std::vector<Polynomial> others = products_of_others(own_, degree);
  const double all = places == 0 ? 1 : product(own_[0], others[0])[degree];
  for (std::size_t p = 0; p < places; ++p) {
    double mean = 0, square = 0;
    for (std::size_t j = 1; j <= degree; ++j) {
      const double probability = own_[p][j] * others[p][degree - j] / all;
      mean += static_cast<double>(j) * probability;
      square += static_cast<double>(j * j) * probability;
    }
    hit_.push_back(1 - others[p][degree] / all);
    mean_.push_back(mean);
    variance_.push_back(std::max(0.0, square - mean * mean));
  }
}

double ExpertDraw::distinct() const {
  return std::accumulate(hit_.begin(), hit_.end(), 0.0);
}

std::vector<double> ExpertDraw::distinct_distribution() const {
  if (own_.empty()) return {1.0};
  const std::size_t degree = own_[0].size() - 1;
  std::vector<Polynomial> sets(degree + 1, Polynomial(degree + 1, 0));  // by number of places hit
  sets[0][0] = 1;
  for (Polynomial here : own_) {
    here[0] = 0;
    for (std::size_t hit = degree; hit > 0; --hit) {
      const Polynomial more = product(sets[hit - 1], here);
      for (std::size_t j = 0; j <= degree; ++j) sets[hit][j] += more[j];
    }
  }
  std::vector<double> probability;
  for (const Polynomial& set : sets) probability.push_back(set[degree]);
  const double all = std::accumulate(probability.begin(), probability.end(), 0.0);
  for (double& p : probability) p /= all;
  return probability;
}

double ranks_in_domains(double experts, int ranks, int domains, int top_k) {
  const auto degree = static_cast<std::size_t>(top_k);
  const Polynomial domain = at_least_one(experts * ranks, degree);
  Polynomial others = one(degree);
  for (int d = 1; d < domains; ++d) others = product(others, domain);
  const double all = product(others, domain)[degree];
  const double without = product(others, at_least_one(experts * (ranks - 1), degree))[degree];
  return all > 0 ? domains * ranks * (1 - without / all) : 0;
}

double widest_popularity(std::int64_t experts) {
  constexpr double reached = 0.9;  // the rest takes weights of 0
  return reached * std::sqrt(static_cast<double>(experts) - 1);
}

std::vector<double> uneven_popularity(std::size_t experts, double variation, std::uint64_t seed) {
  if (variation <= 0) return std::vector<double>(experts, 1.0);
  std::vector<double> z;
  for (std::size_t expert = 0; expert < experts; ++expert) z.push_back(standard_normal(expert, seed));
  double low = 0, high = 1;
  constexpr double widest = 64;  // weights beyond would be 0
  while (high < widest && variation_of(log_normal(z, high)) < variation) high *= 2;
  if (variation_of(log_normal(z, high)) < variation)
    throw std::invalid_argument("so few experts cannot differ that much");
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (variation_of(log_normal(z, middle)) < variation ? low : high) = middle;
  }
  return log_normal(z, high);
}

namespace {

/// Normal z whose Cornish-Fisher value is `t`; below the least value: very small.
double normal_place(double t, double skewness) {
  constexpr double negligible = 1e-9;
  if (std::abs(skewness) < negligible) return t;
  const double root = 1 + (2 * skewness / 3) * (t + skewness / 6);
  constexpr double certain = 40;
  if (root < 0) return skewness > 0 ? -certain : certain;
  return 3 * (std::sqrt(root) - 1) / skewness;
}

/// Counts of one kind, as standard normal places.
struct CountShape {
  double mean = 0, sd = 0, skewness = 0;
  double counts = 0;
  double surely_below = 0;  ///< counts beyond are rarer than 1e-18
};

/// Count whose normal place is `z`: the inverse of normal_place().
double count_at(const CountShape& shape, double z) {
  if (1 + z * shape.skewness / 3 <= 0) return std::numeric_limits<double>::infinity();
  return shape.mean + (z + (z * z - 1) * shape.skewness / 6) * shape.sd;
}

CountShape shape_of(const CountKind& kind) {
  constexpr double never = 9;
  CountShape shape{kind.mean, std::sqrt(std::max(kind.variance, 0.0)), 0, static_cast<double>(kind.counts), kind.mean};
  if (shape.sd <= 0) return shape;
  if (kind.mean > 0) shape.skewness = (2 * kind.variance / kind.mean - 1) / shape.sd;
  shape.surely_below = count_at(shape, never);
  return shape;
}

/// Logarithm of the probability that all counts of a kind are below `x`.
double log_below(const CountShape& shape, double x) {
  if (x >= shape.surely_below) return 0;
  if (shape.sd <= 0) return -1e9;
  const double z = normal_place((x - shape.mean) / shape.sd, shape.skewness);
  const double above = 0.5 * std::erfc(z / std::numbers::sqrt2);
  return above >= 1 ? -1e9 : shape.counts * std::log1p(-above);
}

/// Logarithm of the probability that all counts are below `x`, or a value so low that there is none.
double log_all_below(const std::vector<CountShape>& shapes, double x) {
  constexpr double impossible = -50;
  double sum = 0;
  for (const CountShape& shape : shapes) {
    sum += log_below(shape, x);
    if (sum < impossible) break;
  }
  return sum;
}

/// Kinds with the largest counts first: these decide soon that a maximum is impossible.
std::vector<CountShape> shapes_of(const std::vector<CountKind>& kinds) {
  std::vector<CountShape> shapes;
  for (const CountKind& kind : kinds) shapes.push_back(shape_of(kind));
  std::ranges::sort(shapes, std::greater{}, &CountShape::mean);
  return shapes;
}

}  // namespace

double expected_maximum(const std::vector<CountKind>& kinds) {
  constexpr double below = 8, beyond = 16;  // standard deviations; tails outside weigh less than 1e-9
  double low = 0, high = 0, narrowest = 0;
  for (const CountKind& kind : kinds) {
    const double sd = std::sqrt(std::max(kind.variance, 0.0));
    low = std::max(low, kind.mean - below * sd);
    high = std::max(high, kind.mean + beyond * sd);
    if (sd > 0) narrowest = narrowest > 0 ? std::min(narrowest, sd) : sd;
  }
  // The trapezoidal rule is exact to 1e-8 once its steps are a sixteenth of the narrowest distribution.
  constexpr int most_steps = 2000, steps_per_sd = 16;
  const int steps =
      narrowest > 0 ? std::clamp(static_cast<int>((high - low) / narrowest * steps_per_sd), 1, most_steps) : most_steps;
  const double step = (high - low) / steps;
  const std::vector<CountShape> shapes = shapes_of(kinds);
  double integral = 0;
  for (int i = 0; i <= steps; ++i) {
    const double beyond_it = -std::expm1(log_all_below(shapes, low + i * step));
    integral += (i == 0 || i == steps ? 0.5 : 1.0) * beyond_it;
    if (beyond_it < 1e-15) break;  // and less for all larger counts
  }
  return low + integral * step;
}

}  // namespace clusterwright
