// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/flow_tail.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace clusterwright {

namespace {

constexpr double middle = 0.5, hundredth = 0.01;  // shares of flows above the median and above p99

double exponent(double ratio, double shares) {
  return std::log(ratio) / std::log(shares);
}

/// Integral of (begin / e)^k over e from 0, or from `end`, to begin.
double area(double begin, double end, double k) {
  return begin / (1 - k) * (1 - std::pow(end / begin, 1 - k));
}

}  // namespace

FlowTail::FlowTail(const TailSpec& spec)
    : body_(exponent(spec.p99, middle / hundredth)),
      end_(spec.p999 ? exponent(*spec.p999 / spec.p99, 10) : body_),
      last_(spec.p99),
      stated_(spec.p999 ? 1000 : 100) {
  if (body_ >= 1 || end_ >= 1) throw std::invalid_argument("the times of flows have no mean");
  mean_ = (1 - middle) + area(middle, hundredth, body_) + last_ * area(hundredth, 0, end_);
}

double FlowTail::quantile(double above) const {
  if (above >= middle) return 1;
  return above >= hundredth ? std::pow(middle / above, body_) : last_ * std::pow(hundredth / above, end_);
}

/// Integral of t(e) N (1 - e)^(N - 1) over the shares e of the part; Simpson's rule in s = -ln e, piece by piece.
double FlowTail::slowest(double flows, TailPart part) const {
  const auto above = [&](double below) { return below <= 0 ? 1.0 : -std::expm1(std::log(below) / flows); };
  const double begin = -std::log(above(part.from));
  constexpr double negligible = 40;  // e^-40 of what lies beyond counts
  const double last = std::log(std::max(flows, 2.0)) + negligible / (1 - end_);
  const double end = part.to < 1 ? std::min(last, -std::log(above(part.to))) : last;
  const auto f = [&](double s) {
    const double e = std::exp(-s);
    return quantile(e) * flows * std::exp((flows - 1) * std::log1p(-std::min(e, 1 - 1e-16))) * e;
  };
  const double knots[] = {begin, std::clamp(-std::log(middle), begin, end),
                          std::clamp(-std::log(hundredth), begin, end), end};
  double sum = 0;
  for (int piece = 0; piece < 3; ++piece) {
    constexpr int panels = 400;
    const double width = (knots[piece + 1] - knots[piece]) / panels;
    for (int i = 0; i <= panels; ++i)
      sum += (i == 0 || i == panels ? 1 : i % 2 == 1 ? 4 : 2) * f(knots[piece] + i * width) * width / 3;
  }
  return sum / part.share() / mean_;
}

}  // namespace clusterwright
