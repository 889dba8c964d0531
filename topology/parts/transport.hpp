// SPDX-License-Identifier: Apache-2.0
/// Network protocol between nodes.
#pragma once

#include <array>
#include <string_view>

#include "sim/enum_array.hpp"

namespace clusterwright {

enum class Transport { infiniband, roce, ethernet, none };  ///< ethernet: TCP sockets
inline constexpr std::array<std::string_view, 4> transport_names = {"infiniband", "roce", "ethernet", "none"};
template <>
struct EnumNames<Transport> {
  static constexpr auto names = transport_names;
};

}  // namespace clusterwright
