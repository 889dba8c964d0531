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
  static constexpr std::array<OtherName, 5> other_names = {
      {{"tcp", "TCP over Ethernet NICs is \"ethernet\", by NICs that write device memory \"tcp-device\""},
       {"tcpx", "GPUDirect-TCPX is \"tcp-device\""},
       {"ib", "InfiniBand is \"infiniband\""},
       {"opa", "Omni-Path is \"omni-path\""},
       {"srd", "scalable reliable datagrams of AWS are \"efa\""}}};
};

}  // namespace clusterwright
