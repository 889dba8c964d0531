// SPDX-License-Identifier: Apache-2.0
/// Links of accelerators that form a torus inside a node or rack.
#pragma once

#include <span>

namespace clusterwright {

/// Links of one member that a ring over the first `members` of a torus keeps busy, one direction.
///
/// Coordinates run fastest along the first side; members are rounded up to whole lines and planes. A side that is
/// filled is a ring (one link where the side is 2), any other is an open line. A ring sends both ways; a line sends one
/// way there and the other way back. Sides work at the same time.
/// @throws std::invalid_argument for fewer than one member, or more than the torus has
double torus_ring_links(std::span<const int> sides, int members);

/// Hops of a message from one member until all others have it, along every side in turn: half-way round a ring, or to
/// the other end of a line.
/// @throws std::invalid_argument as torus_ring_links
int torus_hops(std::span<const int> sides, int members);

/// Bytes over the busiest link, one direction, when every member sends one byte to every other one, along one side
/// after the other and evenly both ways round a ring.
/// @throws std::invalid_argument as torus_ring_links
double torus_exchange_load(std::span<const int> sides, int members);

}  // namespace clusterwright
