// SPDX-License-Identifier: Apache-2.0
/// Elevations of racks as SVG: one drawing for each kind of rack, to scale by rack unit.
#pragma once

#include <string>
#include <string_view>

#include "models/site/plant/site_plan.hpp"

namespace clusterwright {

/// Drawings of the kinds of racks of a plan, the most frequent of each role first; empty without racks.
std::string rack_elevations_html(const SitePlan& plan);

/// Sentence below the drawings: what they show, and the number of kinds that are not drawn.
std::string rack_elevations_caption(const SitePlan& plan);

std::string_view rack_elevations_style();

}  // namespace clusterwright
