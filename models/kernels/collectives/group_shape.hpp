// SPDX-License-Identifier: Apache-2.0
/// Shape of a communicator on the machine.
#pragma once

namespace clusterwright {

/// Spread of a communicator over scale-up domains: servers, or racks whose accelerators share one scale-up network.
struct GroupShape {
  int domains = 1;
  int ranks_per_domain = 1;
  int surplus = 0;  ///< members beyond that, where domains are filled unevenly
  int ranks() const { return domains * ranks_per_domain + surplus; }
};

}  // namespace clusterwright
