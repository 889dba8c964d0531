// SPDX-License-Identifier: Apache-2.0
/// Pairs of published steps that differ in one thing.
///
/// Both steps are of one publisher, so that the same people measured them in the same way. Everything but one axis is
/// equal; some fields follow an axis, as no job keeps them: a network follows its accelerator, a batch its
/// accelerators.
///
///   axis            differs                                           may follow
///   accelerator     part                                              node, network, power limit, batch, layout
///   accelerators    their number                                      batch
///   layout          a field of the layout that both publish           data parallelism
///   number format   format                                            -
///   sequence        length                                            batch, layout
///   software        framework, release, or a switch of it             -
///
/// Pairs whose measured rates differ by less than 0.5 % are ties, which no prediction decides, and are left out; so are
/// pairs inside a cell (`quality.cell`), whose order is arithmetic on one measurement.
///
/// **Weights.** Of n steps that all differ there are n (n - 1) / 2 pairs, but no more than n measurements. So a step
/// has one vote on each axis, or its share of its cell's, and gives each of its pairs an equal part of half of it. The
/// pairs of one publisher on one axis then sum to half of the votes, and are scaled to the root of that: a sweep of 900
/// steps counts as much as 30 steps, not 900.
///
/// Example: three layouts a, b, c of one job make three pairs. Each has half of half a vote of either side, 0.5 in all;
/// the sum is 1.5 and is scaled to sqrt(1.5) = 1.22, so that each pair weighs 0.41.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "calibration/validation/case_result.hpp"

namespace clusterwright {

enum class PairAxis { accelerator, accelerators, layout, number_format, sequence, software };

constexpr std::array<const char*, 6> pair_axis_names = {"accelerator",   "accelerators", "layout",
                                                        "number format", "sequence",     "software"};

/// Pairs that a comparison takes: those whose order was measured, of scored steps; or ties too, and pairs of which one
/// step is scored.
enum class PairChoice { decided_and_scored, with_ties_and_superseded };

/// Two steps by their index, `first` measured before `second` in the order of the cases.
struct StepPair {
  std::size_t first = 0, second = 0;
  PairAxis axis = PairAxis::accelerator;
  double weight = 0;
};

/// Pairs of scored steps with a valid prediction, by axis and publisher. The publisher is the first word of the source;
/// it tells who measured and is no input of any prediction.
/// @param results  results of `measurements`, in their order
std::vector<StepPair> step_pairs(const std::vector<Measurement>& measurements, const std::vector<CaseResult>& results,
                                 PairChoice choice = PairChoice::decided_and_scored);

}  // namespace clusterwright
