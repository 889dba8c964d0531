// SPDX-License-Identifier: Apache-2.0
/// Blocks in which a job occupies scale-up domains: the same number of accelerators of each, the rest idle.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "topology/cluster/placement_spec.hpp"
#include "topology/nodes/node_id.hpp"

namespace clusterwright {

/// Domains of a cluster. The first `used` accelerators of each run ranks, the last domain may have fewer. Ranks fill
/// the block of one domain, then that of the next.
struct DomainBlocks {
  int accelerators = 8;                              ///< number that the job uses
  int used = 8;                                      ///< of each domain
  int domain = 8;                                    ///< number that a domain has
  int installed = 8;                                 ///< accelerators of all nodes of the job, used or not
  std::shared_ptr<const std::vector<int>> places{};  ///< domain of the machine for each of the job; null: the first

  int domains() const { return (accelerators + used - 1) / used; }
  int idle() const { return installed - accelerators; }
  /// Domain of the machine that holds a domain of the job.
  int place(int job_domain) const { return places ? (*places)[static_cast<std::size_t>(job_domain)] : job_domain; }
  /// Accelerator of a rank, numbered over the whole machine.
  AcceleratorId accelerator(int rank) const {
    return AcceleratorId(static_cast<std::size_t>(place(rank / used) * domain + rank % used));
  }
  /// Rank on an accelerator, or nothing on an idle one.
  std::optional<int> rank(int accelerator) const;
  bool operator==(const DomainBlocks& other) const;
};

/// Domains without idle accelerators. @param domain  accelerators of one
DomainBlocks full_domains(int accelerators, int domain);

/// Wishes of a job about blocks.
struct BlockRequest {
  std::optional<int> used;  ///< accelerators of each domain; absent: chosen
  /// Sizes of groups of ranks that must fill a block evenly, or several blocks: tensor groups, expert groups.
  std::vector<int> groups;
  std::optional<PlacementSpec> placement{};  ///< nodes of the machine; absent: the first ones of the job's own
};

/// Accelerators that stand together.
struct DomainShape {
  int domain = 8;       ///< number that scale-up links join, in whole nodes
  int node = 8;         ///< number in one node
  bool slices = false;  ///< domains are cut to the size of the job, as slices of a torus are
  int most_joined = 0;  ///< number that the network joins; 0: any
};

/// Whether every group fills blocks of `used` evenly: one divides the other.
bool fit_block(const std::vector<int>& groups, int used);

/// Largest block that all groups fill evenly; of whole nodes if such a block is larger than half of a domain.
int largest_block(const DomainShape& shape, const std::vector<int>& groups);

/// Blocks for a number of accelerators.
///
/// A job that fits into one domain gets one block. Else blocks have the size that the request gives; without one, the
/// largest size above half of a domain that divides the accelerators and that all groups fill, of whole nodes if
/// possible. If no size of whole nodes divides the accelerators, or if equal blocks take over an eighth more domains,
/// the last of the largest blocks has fewer nodes.
/// Example: 256 accelerators on racks of 72 run in 4 blocks of 64; 100 in blocks of 72 and 28; 264 in three blocks of
/// 72 and one of 48, as six of 44 would take two racks more.
/// @return nothing if no size does
std::optional<DomainBlocks> choose_blocks(int accelerators, const DomainShape& shape, const BlockRequest& request);

/// Nearest numbers of accelerators below and above, at most one each, that have blocks.
std::vector<int> nearest_sizes(int accelerators, const DomainShape& shape, const BlockRequest& request);

/// "64 of 72 accelerators of each scale-up domain are used, 32 are idle"; empty if none is idle.
std::string idle_text(const DomainBlocks& blocks, int node_accelerators);

}  // namespace clusterwright
