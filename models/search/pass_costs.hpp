// SPDX-License-Identifier: Apache-2.0
/// Costs of the passes of one rank, by themselves: the coefficients that bounds on steps are made of.
///
/// They depend on the tensor, context and expert groups, the micro-batch, recomputation and the number format, not on
/// stages, replicas or sharding. They come from the lowering and the replay of the layers alone, without hosts that
/// issue late and without other traffic on the links, so a step takes no less.
#pragma once

#include <array>

#include "models/job/scenario.hpp"
#include "models/lowering/pass_rows.hpp"
#include "models/plan/plan.hpp"
#include "sim/clocked_power.hpp"

namespace clusterwright {

/// Cost of kernels and collectives in a row on one rank. Times are seconds.
struct RowCost {
  double time = 0;       ///< from the first kernel to the last, at the reference clock
  double lead = 0;       ///< part of `time` that a long wait in front hides: collectives that need no kernel of the row
  double slope = 0;      ///< change of `time` with 1/clock
  double kernels = 0;    ///< kernels alone, at the reference clock
  double clocked = 0;    ///< change of `kernels` with 1/clock
  double computing = 0;  ///< part of `kernels` that is charged as computation
  double launch = 0;     ///< time of the host to issue everything
  double issue = 0;      ///< time of the host for what it could not issue ahead
  ClockedEnergy energy;  ///< above idle

  RowCost& operator+=(const RowCost& other);
  /// @param stretch  1/clock, at least 1
  double at(double stretch) const { return time + slope * (stretch - 1); }
  double kernels_at(double stretch) const { return kernels + clocked * (stretch - 1); }
  /// Time behind a long wait.
  double behind_wait() const { return time - lead; }
};
RowCost operator*(double count, const RowCost& cost);
RowCost operator+(RowCost a, const RowCost& b);
RowCost operator-(RowCost a, const RowCost& b);

/// Costs of one to three layers in a row. Further ones each add what the third adds to two: by then collectives that
/// run on beside the next layer are counted.
class LayersCost {
 public:
  static constexpr int measured = 3;

  void set(int layers, const RowCost& cost) { rows_[static_cast<std::size_t>(layers)] = cost; }
  RowCost of(int layers) const {
    if (layers <= measured) return rows_[static_cast<std::size_t>(layers)];
    return rows_[measured] + (layers - measured) * (rows_[measured] - rows_[measured - 1]);
  }

 private:
  std::array<RowCost, measured + 1> rows_;  // by number of layers
};

class PassCosts {
 public:
  /// Lowers and replays the layers of a rank.
  /// @param plan   whose stages, replicas, sharding and schedule do not matter
  /// @param split  whether backward passes in two parts are wanted
  PassCosts(const Scenario& scenario, const Plan& plan, bool split);

  RowCost layers(LayerKind kind, RowPass pass, int count) const {
    return costs_[static_cast<std::size_t>(kind == LayerKind::dense ? RowPlace::dense_layers : RowPlace::expert_layers)]
                 [static_cast<std::size_t>(pass)]
                     .of(count);
  }
  const RowCost embedding(RowPass pass) const { return at(RowPlace::embedding, pass).of(1); }
  const RowCost head(RowPass pass) const { return at(RowPlace::head, pass).of(1); }

 private:
  const LayersCost& at(RowPlace place, RowPass pass) const {
    return costs_[static_cast<std::size_t>(place)][static_cast<std::size_t>(pass)];
  }

  std::array<std::array<LayersCost, row_pass_count>, row_place_count> costs_;
};

}  // namespace clusterwright
