// SPDX-License-Identifier: Apache-2.0
/// Remarks on tiers of a fat tree whose stated size takes more switches than another would.
#pragma once

#include <string>
#include <vector>

#include "topology/fabrics/network_size.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Adds a remark for every middle tier whose last group is filled in part, where another size of its groups takes
/// clearly fewer switches: how full it is, and what the other size saves. The same for a top tier that is built for
/// more than twice the machine.
void advise_on_groups(const FabricSpec& fabric, const NetworkSize& one_site, const Catalog& catalog,
                      std::vector<std::string>& warnings);

}  // namespace clusterwright
