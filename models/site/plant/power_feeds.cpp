#include "models/site/plant/power_feeds.hpp"

#include <algorithm>
#include <cmath>

#include "models/site/plant/rounding.hpp"

namespace clusterwright {

Watts usable_power(const PowerPart& circuit, const PowerChainSpec& chain) {
  return circuit.rating.value * chain.power_factor * chain.continuous_share;
}

long long with_spares(long long needed, Redundancy redundancy, int group) {
  switch (redundancy) {
    case Redundancy::n_plus_1:
      return needed + 1;
    case Redundancy::two_n:
      return 2 * needed;
    case Redundancy::catcher:  // of every group one less carries
      return group < 2 ? 2 * needed : needed + (needed + group - 2) / (group - 1);
    default:
      return needed;
  }
}

double load_growth(long long modules, Redundancy redundancy, int group) {
  switch (redundancy) {
    case Redundancy::n_plus_1:
      return modules > 1 ? static_cast<double>(modules) / static_cast<double>(modules - 1) : 0;
    case Redundancy::two_n:
      return 2;
    case Redundancy::catcher: {
      const auto members = std::min<long long>(group, modules);
      return members > 1 ? static_cast<double>(members) / static_cast<double>(members - 1) : 0;
    }
    default:
      return 0;
  }
}

Watts most_fed(const PowerPart& circuit, const PowerChainSpec& chain) {
  long long carrying = chain.most_feeds;
  while (carrying > 0 && with_spares(carrying, chain.feeds, chain.most_feeds) > chain.most_feeds) --carrying;
  return usable_power(circuit, chain) * static_cast<double>(carrying);
}

RackFeeds size_feeds(Watts rated, const PowerPart& circuit, const PowerChainSpec& chain) {
  RackFeeds out;
  out.part = circuit.id;
  out.usable = usable_power(circuit, chain);
  out.needed = std::max(1, static_cast<int>(std::ceil(rated / out.usable - site_rounding)));
  out.feeds = static_cast<int>(with_spares(out.needed, chain.feeds, chain.most_feeds));
  out.after_loss = rated / out.feeds * load_growth(out.feeds, chain.feeds, chain.most_feeds);
  if (circuit.volts) {
    const double across = (circuit.phases == 3 ? std::sqrt(3.0) : 1.0) * circuit.volts->value;
    out.amperes = rated.in(watt) / out.feeds / chain.power_factor / across;
  }
  return out;
}

}  // namespace clusterwright
