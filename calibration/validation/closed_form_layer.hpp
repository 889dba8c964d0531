// SPDX-License-Identifier: Apache-2.0
/// One layer of the closed form, for one micro-batch on one rank.
///
/// All numbers are seconds and bytes.
#pragma once

#include "calibration/validation/closed_form.hpp"
#include "calibration/validation/closed_form_kernels.hpp"

namespace clusterwright {

/// Times of both directions.
struct ClosedFormPasses {
  double forward = 0, backward = 0;

  double sum() const { return forward + backward; }
  ClosedFormPasses operator+(const ClosedFormPasses& other) const {
    return {forward + other.forward, backward + other.backward};
  }
  ClosedFormPasses operator*(double factor) const { return {forward * factor, backward * factor}; }
};

/// Tokens of one micro-batch that a rank computes.
double closed_form_tokens(const Scenario& scenario, const Plan& plan);

/// Time of one layer: kernels, host, and exposed exchanges inside the layer. Recomputation counts as backward.
ClosedFormPasses closed_form_layer(const Scenario& scenario, const Plan& plan, const ClosedFormRates& rates,
                                   const ClosedFormFactors& factors, LayerKind kind);

/// Time of the output projection and the loss.
ClosedFormPasses closed_form_head(const Scenario& scenario, const Plan& plan, const ClosedFormFactors& factors);

/// Links of a group of `ranks` that are `stride` ranks apart.
struct ClosedFormLinks {
  double bandwidth = 0;  ///< byte/s of one rank, one direction
  bool inside = true;    ///< scale-up links join all of them
};
ClosedFormLinks closed_form_links(const Scenario& scenario, int ranks, int stride);

}  // namespace clusterwright
