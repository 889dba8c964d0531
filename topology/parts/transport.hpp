// SPDX-License-Identifier: Apache-2.0
/// Network protocol between nodes.
#pragma once

#include <array>
#include <string_view>

#include "sim/enum_array.hpp"

namespace clusterwright {

/// ethernet: TCP sockets; tcp_device: TCP by NICs that read and write device memory (GPUDirect-TCPX and its kin); efa:
/// scalable reliable datagrams.
enum class Transport { infiniband, roce, ethernet, none, omni_path, efa, slingshot, tcp_device };
inline constexpr std::array<std::string_view, 8> transport_names = {"infiniband", "roce", "ethernet",  "none",
                                                                    "omni-path",  "efa",  "slingshot", "tcp-device"};
template <>
struct EnumNames<Transport> {
  static constexpr auto names = transport_names;
};

}  // namespace clusterwright
