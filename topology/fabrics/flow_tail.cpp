// SPDX-License-Identifier: Apache-2.0
#include "topology/fabrics/flow_tail.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
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

template <class F>
double simpson(const F& f, double begin, double end) {
  constexpr int panels = 400;
  const double width = (end - begin) / panels;
  double sum = 0;
  for (int i = 0; i <= panels; ++i) sum += (i == 0 || i == panels ? 1 : i % 2 == 1 ? 4 : 2) * f(begin + i * width);
  return sum * width / 3;
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

/// Integral of t(e) N (1 - e)^(N - 1) over the shares e of the part: Simpson's rule in s = -ln e, piece by piece, and
/// in closed form where e is so small that no second flow is as slow.
double FlowTail::slowest(double flows, TailPart part) const {
  const auto place = [&](double below) { return -std::log(-std::expm1(std::log(below) / flows)); };
  const double begin = part.from > 0 ? place(part.from) : 0;
  const double end = part.to < 1 ? place(part.to) : std::numeric_limits<double>::infinity();
  const double far = std::max(begin, std::log(1e6 * flows));
  const auto f = [&](double s) {
    const double e = std::exp(-s);
    return quantile(e) * flows * std::exp((flows - 1) * std::log1p(-std::min(e, 1 - 1e-16))) * e;
  };
  const double near_end = std::min(end, far);
  const double knots[] = {begin, std::clamp(-std::log(middle), begin, near_end),
                          std::clamp(-std::log(hundredth), begin, near_end), near_end};
  double sum = 0;
  for (int piece = 0; piece < 3; ++piece) sum += simpson(f, knots[piece], knots[piece + 1]);
  const auto beyond = [&](double s) {
    return flows * last_ * std::pow(hundredth, end_) * std::exp(-s * (1 - end_)) / (1 - end_);
  };
  if (end > far) sum += beyond(far) - beyond(end);
  return sum / part.share() / mean_;
}

}  // namespace clusterwright
