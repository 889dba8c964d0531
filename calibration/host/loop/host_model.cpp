// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/loop/host_model.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace clusterwright {

void HostModel::check() const {
  for (const auto& [name, size] :
       {std::pair("layers", layers), std::pair("hidden", hidden), std::pair("heads", heads), std::pair("ffn", ffn),
        std::pair("vocabulary", vocabulary), std::pair("sequence", sequence), std::pair("sequences", sequences)})
    if (size < 1) throw std::invalid_argument(fmt::format("{} must be at least 1 (got {})", name, size));
  if (hidden % heads != 0)
    throw std::invalid_argument(fmt::format("heads must divide hidden (got heads {}, hidden {})", heads, hidden));
}

}  // namespace clusterwright
