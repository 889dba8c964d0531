// SPDX-License-Identifier: Apache-2.0
/// Places that the experts of a token are drawn at, and the largest of many random counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace clusterwright {

/// Distribution of the places of a token that draws `count` different experts. Each set is drawn with a probability in
/// proportion to the product of its experts' weights; with equal weights the experts of a place are then
/// hypergeometrically distributed:
///
///   hit(place) = 1 - C(E - e, count) / C(E, count)      e of the E experts at the place
///
/// With w_i the weights, the probabilities are coefficients of the products of (1 + w_i x) over the experts of a place
/// and over all others.
class ExpertDraw {
 public:
  /// @param weights  above 0, by expert
  /// @param place    place of each expert, below `places`
  /// @throws std::invalid_argument unless 1 <= count <= experts
  ExpertDraw(const std::vector<double>& weights, const std::vector<std::size_t>& place, std::size_t places, int count);

  std::size_t places() const { return own_.size(); }
  double hit(std::size_t place) const { return hit_[place]; }            ///< probability that any expert is there
  double mean(std::size_t place) const { return mean_[place]; }          ///< mean number of experts drawn there
  double variance(std::size_t place) const { return variance_[place]; }  ///< variance of that number

  /// Expected number of places hit.
  double distinct() const;
  /// Probabilities that exactly 0, 1, ..., count places are hit.
  std::vector<double> distinct_distribution() const;

 private:
  std::vector<std::vector<double>> own_;  // by place: coefficients of its product, up to x^count
  std::vector<double> hit_, mean_, variance_;
};

/// Mean number of ranks that a token reaches when its `top_k` experts are drawn evenly and lie in exactly `domains`
/// domains of `ranks` ranks, each with `experts` experts; fractions of experts stand for the mean over ranks.
double ranks_in_domains(double experts, int ranks, int domains, int top_k);

/// Coefficient of variation that `experts` weights can have: one weight alone has sqrt(experts - 1).
double widest_popularity(std::int64_t experts);

/// Weights of mean 1 with a given coefficient of variation: log-normal, drawn by the seed, then stretched or compressed
/// until they have exactly that one.
/// @throws std::invalid_argument for one that so many experts cannot have; up to `widest_popularity` they can
std::vector<double> uneven_popularity(std::size_t experts, double variation, std::uint64_t seed);

/// Independent counts with one distribution.
struct CountKind {
  double mean = 0;
  double variance = 0;
  int counts = 1;
};

/// Expected value of the largest of all counts.
///
/// Each count is taken as normal with the skewness of a binomial of that mean and variance, (2 variance / mean - 1) /
/// sd, in the second order of Cornish and Fisher: mean + sd (z + skewness (z^2 - 1) / 6). The integral of 1 - product
/// of the distribution functions is taken by the trapezoidal rule.
/// @return 0 for no counts
double expected_maximum(const std::vector<CountKind>& kinds);

}  // namespace clusterwright
