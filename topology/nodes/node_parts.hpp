// SPDX-License-Identifier: Apache-2.0
/// Nodes by name: catalog entries fill in what a NodeSpec leaves out.
#pragma once

#include "topology/nodes/node_spec.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Power of a node under load over its rating: measured on an 8-GPU H100 node under compute-heavy load
/// (arXiv 2506.14551).
inline constexpr double loaded_share_of_rating = 0.76;
/// Power of an accelerator at that load over its rating; an assumption (630 W of an H100's 700 W).
inline constexpr double accelerator_share_of_rating = 0.9;

/// Power of a node without its accelerators, under load: the entry's own; else typical power (else max_power times
/// loaded_share_of_rating) less the accelerators' at accelerator_share_of_rating, at least zero. The source of the
/// result says which; without any power in the entry it is zero and says so.
/// @param accelerator  may be nullptr where it is not known
Sourced<Watts> host_power(const NodePart& part, const AcceleratorPart* accelerator);

/// `node` with what its part says filled in; what `node` says itself stays. Without a known part nothing changes.
NodeSpec fill_in(NodeSpec node, const Catalog& catalog);

}  // namespace clusterwright
