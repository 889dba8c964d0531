// SPDX-License-Identifier: Apache-2.0
/// 128-bit integers for products of two 64-bit integers.
#pragma once

#include <cstdint>

namespace clusterwright {

__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;

}  // namespace clusterwright
