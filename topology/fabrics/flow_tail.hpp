// SPDX-License-Identifier: Apache-2.0
/// Times of flows between nodes that differ by chance, and of the slowest of many that wait for each other.
///
/// Distribution, e the share of flows that take longer than t (t over the median):
///   t(e) = 1                        e >= 0.5
///          (0.5 / e)^a              0.01 <= e < 0.5,   a = ln p99 / ln 50
///          p99 * (0.01 / e)^b       e < 0.01,          b = ln(p999 / p99) / ln 10, or a without p999
/// Both pieces are Pareto laws through the stated quantiles; the last one goes on beyond them. Of N flows the slowest
/// stays below t(e) with probability (1 - e)^N.
///
/// Example: p99 = 1.5 has a mean of 1.058 medians; the slowest of 1,024 takes 2.05 medians on average, 1.93 means.
#pragma once

#include "topology/fabrics/fabric_spec.hpp"

namespace clusterwright {

/// Part of the distribution of the slowest flow: from one share of all cases, sorted by its time, to another.
struct TailPart {
  double from = 0, to = 1;
  double share() const { return to - from; }
};

class FlowTail {
 public:
  /// @throws std::invalid_argument if the distribution has no mean: p99 of 50 or more, p999 of ten times p99 or more
  explicit FlowTail(const TailSpec& spec);

  /// Time of a flow over the median. @param above  share of flows that take longer, above 0
  double quantile(double above) const;
  /// Mean time of a flow over the median.
  double mean() const { return mean_; }
  /// Mean time of the slowest of so many flows in a part of all cases, over the mean time of one flow.
  double slowest(double flows, TailPart part = {}) const;
  /// Number of flows whose slowest the stated quantiles still tell: beyond it the last Pareto law is continued.
  double stated_flows() const { return stated_; }

 private:
  double body_, end_, last_;  // exponents of both laws, quantile at e = 0.01
  double mean_ = 1, stated_ = 100;
};

}  // namespace clusterwright
