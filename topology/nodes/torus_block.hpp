/// The links of accelerators that form a torus inside a node or rack.
#pragma once

#include <span>

namespace clusterwright {

/// The first `members` of a torus whose coordinates run fastest along the first side, rounded up to whole lines and
/// planes. A side that is covered is a ring (two parallel links are one where the side is 2), another is an open line.
///
/// @return links of one member that a ring over all of them keeps busy, one direction: each ring sends both ways, a
///         line one way there and the other way back; sides work at the same time
/// @throws std::invalid_argument for fewer than one member, or more than the torus has
double torus_ring_links(std::span<const int> sides, int members);

/// Hops from one member until a message has been at all others, along every side in turn: half-way round a ring, to the
/// other end of a line.
/// @throws std::invalid_argument as torus_ring_links
int torus_hops(std::span<const int> sides, int members);

/// Bytes over the busiest link, one direction, when every member sends one byte to every other one, along one side
/// after the other and evenly both ways round a ring.
/// @throws std::invalid_argument as torus_ring_links
double torus_exchange_load(std::span<const int> sides, int members);

}  // namespace clusterwright
