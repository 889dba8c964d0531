// SPDX-License-Identifier: Apache-2.0
#include "models/site/wave/governed_energy.hpp"

#include <algorithm>
#include <cstddef>

namespace clusterwright {

namespace {

/// Watts of each slot. The last one may be shorter; its mean over a whole slot counts.
std::vector<double> slots_of(const std::vector<double>& joules, double slot) {
  std::vector<double> watts;
  for (std::size_t i = 0; i + 1 < joules.size(); ++i) watts.push_back((joules[i + 1] - joules[i]) / slot);
  return watts;
}

class Holder {
 public:
  Holder(std::vector<double> watts, double slot, const GovernedRank& rank)
      : watts_(std::move(watts)),
        slot_(slot),
        idle_(rank.idle.in(watt)),
        limit_(rank.limit.in(watt)),
        most_saved_((limit_ - idle_) * rank.window.in(second)),
        saved_(most_saved_) {}

  std::vector<double> held() {
    constexpr int rounds = 4;  // what is moved may go above the limit elsewhere
    clip();                    // the content that a step begins with is that at the end of the one before
    for (int round = 0; round < rounds && moved_ > 0; ++round) {
      spread();
      clip();
    }
    return std::move(watts_);
  }

 private:
  /// Takes away what is above the limit once nothing is saved.
  void clip() {
    for (double& watts : watts_) {
      saved_ = std::min(most_saved_, saved_ + (limit_ - watts) * slot_);
      if (saved_ >= 0) continue;
      watts += saved_ / slot_;
      moved_ -= saved_;
      saved_ = 0;
    }
  }

  /// Adds what was taken away to work below the limit, in proportion to its power above idle.
  void spread() {
    double sum = 0;
    for (const double watts : watts_) sum += weight(watts);
    if (sum <= 0 || moved_ <= 0) return;
    const double each = moved_ / (sum * slot_);
    for (double& watts : watts_) {
      const double more = std::min(each * weight(watts), limit_ - watts);
      if (more <= 0) continue;
      watts += more;
      moved_ -= more * slot_;
    }
  }

  double weight(double watts) const { return watts < limit_ ? std::max(0.0, watts - idle_) : 0; }

  std::vector<double> watts_;
  double slot_, idle_, limit_, most_saved_, saved_;
  double moved_ = 0;  // joules taken away and not yet given back
};

}  // namespace

void hold_to_limit(std::vector<double>& joules, Seconds slot, const GovernedRank& rank) {
  const double length = slot.in(second);
  const std::vector<double> watts = Holder(slots_of(joules, length), length, rank).held();
  for (std::size_t i = 0; i < watts.size(); ++i) joules[i + 1] = joules[i] + watts[i] * length;
}

}  // namespace clusterwright
