// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string_view>

#include "sim/enum_names.hpp"

namespace clusterwright {

/// Wiring between the accelerators of a scale-up domain.
///
/// switched: each has all its links on switches (NVSwitch); any pair can use the full bandwidth of one accelerator.
/// mesh: direct links to each of the others (NVLink mesh, xGMI, Ethernet on the board); a pair has one peer link.
/// torus: direct links to two neighbours along each side (Trainium, TPU); further ones are reached through them.
/// none: nothing faster than PCI Express.
enum class ScaleUpWiring { switched, mesh, torus, none };
inline constexpr std::array<std::string_view, 4> scale_up_wiring_names = {"switch", "mesh", "torus", "none"};
template <>
struct EnumNames<ScaleUpWiring> {
  static constexpr auto names = scale_up_wiring_names;
};

}  // namespace clusterwright
