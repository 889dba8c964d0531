// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/collective_op.hpp"

#include <cstddef>

namespace clusterwright {

std::string_view name_of(CollectiveOp op) {
  return collective_op_names[static_cast<std::size_t>(op)];
}

std::string_view name_of(Algorithm algorithm) {
  return algorithm_names[static_cast<std::size_t>(algorithm)];
}

std::string_view name_of(Protocol protocol) {
  return protocol_names[static_cast<std::size_t>(protocol)];
}

}  // namespace clusterwright
