// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/power_division.hpp"

#include <algorithm>

namespace clusterwright {

namespace {

Watts within(const PowerCurve& job, Watts budget) {
  return std::clamp(budget, job.least(), job.free());
}

/// Budgets in proportion to the needs, within what each job can take.
template <class Need>
std::vector<Watts> in_proportion(const std::vector<PowerCurve>& jobs, Watts budget, const Need& need) {
  const auto at = [&](double level) {
    std::vector<Watts> out;
    for (const PowerCurve& job : jobs) out.push_back(within(job, level * need(job)));
    return out;
  };
  double low = 0, high = 0;
  for (const PowerCurve& job : jobs) high = std::max(high, job.free() / need(job));
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    Watts sum;
    for (const Watts share : at(middle)) sum += share;
    (sum <= budget ? low : high) = middle;
  }
  return at(low);
}

/// Part of a concave hull.
struct Slope {
  std::size_t job;
  Watts from, to;
  double gain;  // of useful accelerators per watt
};

/// Upper hull of the points, from the first to the last.
std::vector<PowerPoint> hull(const std::vector<PowerPoint>& points) {
  std::vector<PowerPoint> out;
  const auto rise = [](const PowerPoint& a, const PowerPoint& b) {
    return (b.speed - a.speed) / (b.drawn - a.drawn).in(watt);
  };
  for (const PowerPoint& next : points) {
    while (out.size() > 1 && rise(out[out.size() - 2], out.back()) <= rise(out.back(), next)) out.pop_back();
    if (out.empty() || next.drawn > out.back().drawn) out.push_back(next);
  }
  return out;
}

std::vector<Slope> slopes(const std::vector<PowerCurve>& jobs) {
  std::vector<Slope> out;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const std::vector<PowerPoint> points = hull(jobs[i].points);
    for (std::size_t p = 1; p < points.size(); ++p) {
      const Watts from = points[p - 1].drawn, to = points[p].drawn;
      const double gained = jobs[i].weight * jobs[i].accelerators * (points[p].speed - points[p - 1].speed);
      out.push_back({i, from, to, gained / (to - from).in(watt)});
    }
  }
  std::ranges::stable_sort(out, [](const Slope& a, const Slope& b) { return a.gain > b.gain; });
  return out;
}

std::vector<Watts> by_job(const std::vector<PowerCurve>& jobs, Watts budget) {
  std::vector<Watts> out;
  for (const PowerCurve& job : jobs) {
    out.push_back(job.least());
    budget -= job.least();
  }
  for (const Slope& slope : slopes(jobs)) {
    if (slope.gain <= 0) break;
    const Watts taken = std::clamp(budget, Watts(), slope.to - slope.from);
    out[slope.job] += taken;
    budget -= taken;
  }
  return out;
}

}  // namespace

std::vector<Watts> divided(const std::vector<PowerCurve>& jobs, Watts budget, PowerDivision division) {
  switch (division) {
    case PowerDivision::equal:
      return in_proportion(jobs, budget, [](const PowerCurve& job) { return job.accelerators * watt; });
    case PowerDivision::proportional:
      return in_proportion(jobs, budget, [](const PowerCurve& job) { return job.free(); });
    case PowerDivision::by_job:
    case PowerDivision::fewer_nodes:
      break;
  }
  return by_job(jobs, budget);
}

Watts limit_at(const PowerCurve& job, Watts drawn) {
  const auto above = std::ranges::find_if(job.points, [&](const PowerPoint& point) { return point.drawn >= drawn; });
  if (above == job.points.end()) return job.points.back().limit;
  if (above == job.points.begin()) return above->limit;
  const PowerPoint& below = *(above - 1);
  return below.limit + (drawn - below.drawn) / (above->drawn - below.drawn) * (above->limit - below.limit);
}

}  // namespace clusterwright
