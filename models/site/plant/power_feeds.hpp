/// The circuits that feed a rack.
#pragma once

#include "models/site/plant/site_plan.hpp"

namespace clusterwright {

/// Real power that one circuit may carry for hours: its rating at the power factor, up to the breaker's share.
Watts usable_power(const PowerPart& circuit, const PowerChainSpec& chain);

/// The most that a rack can draw from as many circuits as it has room for, one loss survived where asked.
Watts most_fed(const PowerPart& circuit, const PowerChainSpec& chain);

/// Circuits of a rack that draws `rated`; may be more than it has room for.
RackFeeds size_feeds(Watts rated, const PowerPart& circuit, const PowerChainSpec& chain);

/// Modules that the redundancy adds to `needed` ones.
long long with_spares(long long needed, Redundancy redundancy, int group);

/// Load of one module after a loss that the redundancy covers, over its load before.
double load_growth(long long modules, Redundancy redundancy, int group);

}  // namespace clusterwright
