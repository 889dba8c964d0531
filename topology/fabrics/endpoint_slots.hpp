// SPDX-License-Identifier: Apache-2.0
/// Ports for NICs in a fabric whose switches all have equally many of them.
#pragma once

namespace clusterwright {

/// Ports of one site for NICs. NICs fill the switches in order; no node straddles two groups of switches, so a few
/// ports of a group may stay empty.
struct EndpointSlots {
  int per_switch = 0;
  long long switches_per_group = 1;
  long long groups = 1;

  long long nodes_per_group(int nics) const { return switches_per_group * per_switch / nics; }
  long long nodes(int nics) const { return groups * nodes_per_group(nics); }
};

}  // namespace clusterwright
