// SPDX-License-Identifier: Apache-2.0
/// Network protocols between nodes relative to InfiniBand.
#pragma once

#include <map>
#include <string>

#include "sim/sourced.hpp"

namespace clusterwright {

/// One network protocol relative to InfiniBand.
struct TransportParameters {
  Sourced<double> bandwidth;  ///< share of the NIC data sheet, over that of InfiniBand
  Sourced<double> latency;    ///< of a step between nodes, without switches, over that of InfiniBand
};
const Record<TransportParameters>& record(const TransportParameters*);

/// Those of protocols of which too little is published to fit them. Keys: names of `Transport`.
std::map<std::string, TransportParameters> usual_transports();

}  // namespace clusterwright
