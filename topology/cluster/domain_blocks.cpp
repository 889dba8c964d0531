// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/domain_blocks.hpp"

#include <fmt/format.h>

#include <cstdint>

namespace clusterwright {

namespace {

int rounded_up(int number, int divisor) {
  return (number + divisor - 1) / divisor * divisor;
}

/// Racks and servers are whole; slices end with the node of the last rank.
DomainBlocks blocks_of(int accelerators, const DomainShape& shape, int used) {
  DomainBlocks blocks{accelerators, used, shape.domain, 0, {}};
  const bool cut = shape.slices && shape.domain > shape.node;
  if (cut && blocks.domains() > 1) blocks.domain = rounded_up(used, shape.node);
  const bool whole_nodes = cut && (blocks.domains() == 1 || used % shape.node == 0);
  blocks.installed = whole_nodes ? rounded_up(accelerators, shape.node) : blocks.domains() * blocks.domain;
  return blocks;
}

bool joined(const DomainBlocks& blocks, const DomainShape& shape) {
  return shape.most_joined == 0 || blocks.domains() == 1 || blocks.installed <= shape.most_joined;
}

/// Largest block, a multiple of `quantum` or a whole domain, that divides the accelerators; blocks of half a domain or
/// less leave room for a second block and are tried only if no larger block fits the groups.
std::optional<DomainBlocks> equal_blocks(int accelerators, const DomainShape& shape, const std::vector<int>& groups,
                                         int quantum) {
  const int least = std::min(shape.domain / 2 + 1, largest_block(shape, groups));
  for (int used = shape.domain; used >= least; --used) {
    if (accelerators % used != 0 || used % quantum != 0 || !fit_block(groups, used)) continue;
    const DomainBlocks blocks = blocks_of(accelerators, shape, used);
    if (joined(blocks, shape)) return blocks;
  }
  return std::nullopt;
}

/// Largest blocks of whole nodes, the last one with fewer nodes.
std::optional<DomainBlocks> shorter_last_block(int accelerators, const DomainShape& shape,
                                               const std::vector<int>& groups) {
  const int used = largest_block(shape, groups);
  if (used % shape.node != 0 || accelerators % shape.node != 0) return std::nullopt;
  if (!fit_block(groups, accelerators % used)) return std::nullopt;
  const DomainBlocks blocks = blocks_of(accelerators, shape, used);
  return joined(blocks, shape) ? std::optional(blocks) : std::nullopt;
}

}  // namespace

std::optional<int> DomainBlocks::rank(int accelerator) const {
  const int at = accelerator % domain;
  int block = accelerator / domain;
  if (places) {
    const auto place = std::find(places->begin(), places->end(), block);
    if (place == places->end()) return {};
    block = static_cast<int>(place - places->begin());
  }
  const int found = block * used + at;
  return at < used && found < accelerators ? std::optional(found) : std::nullopt;
}

bool DomainBlocks::operator==(const DomainBlocks& other) const {
  const bool same_places = places == other.places || (places && other.places && *places == *other.places);
  return same_places && accelerators == other.accelerators && used == other.used && domain == other.domain &&
         installed == other.installed;
}

DomainBlocks full_domains(int accelerators, int domain) {
  return {accelerators, domain, domain, accelerators, {}};
}

bool fit_block(const std::vector<int>& groups, int used) {
  return std::all_of(groups.begin(), groups.end(), [&](int group) { return used % group == 0 || group % used == 0; });
}

int largest_block(const DomainShape& shape, const std::vector<int>& groups) {
  for (int used = shape.domain; used > shape.domain / 2; --used)
    if (used % shape.node == 0 && fit_block(groups, used)) return used;
  int used = shape.domain;
  while (!fit_block(groups, used)) --used;
  return used;
}

namespace {

/// Groups that divide the accelerators; a plan with others is refused for another reason.
std::vector<int> possible_groups(int accelerators, std::vector<int> groups) {
  std::erase_if(groups, [&](int group) { return accelerators % group != 0; });
  return groups;
}

/// Whether blocks leave about as much idle as 64 of 72 do, which machines are run with, or less.
bool wastes_little(const DomainBlocks& blocks, const DomainBlocks& fewest) {
  return 8 * std::int64_t{blocks.installed} <= 9 * std::int64_t{fewest.installed};
}

std::optional<DomainBlocks> choose_equal_or_shorter(int accelerators, const DomainShape& shape,
                                                    const std::vector<int>& groups) {
  const auto equal = equal_blocks(accelerators, shape, groups, shape.node);
  const auto shorter = shorter_last_block(accelerators, shape, groups);
  if (equal && (!shorter || wastes_little(*equal, *shorter))) return equal;
  return shorter ? shorter : equal_blocks(accelerators, shape, groups, 1);
}

}  // namespace

std::optional<DomainBlocks> choose_blocks(int accelerators, const DomainShape& shape, const BlockRequest& request) {
  const int limit = request.used.value_or(shape.domain);
  if (accelerators < 1 || limit > shape.domain) return std::nullopt;
  if (accelerators <= limit) return blocks_of(accelerators, shape, accelerators);
  if (request.used)
    return accelerators % limit == 0 ? std::optional(blocks_of(accelerators, shape, limit)) : std::nullopt;
  const std::vector<int> groups = possible_groups(accelerators, request.groups);
  if (const auto blocks = choose_equal_or_shorter(accelerators, shape, groups)) return blocks;
  DomainShape any_number = shape;  // too many for the network: its own check says so
  any_number.most_joined = 0;
  return choose_equal_or_shorter(accelerators, any_number, groups);
}

std::vector<int> nearest_sizes(int accelerators, const DomainShape& shape, const BlockRequest& request) {
  std::vector<int> sizes;
  const auto possible = [&](int size) {
    return possible_groups(size, request.groups).size() == request.groups.size() &&
           choose_blocks(size, shape, request).has_value();
  };
  for (const int step : {-1, 1}) {
    int size = accelerators + step;
    const int last = accelerators + step * 2 * shape.domain;
    while (size != last && size > 0 && !possible(size)) size += step;
    if (size != last && size > 0) sizes.push_back(size);
  }
  return sizes;
}

std::string idle_text(const DomainBlocks& blocks, int node_accelerators) {
  if (blocks.idle() == 0) return {};
  const char* domain = blocks.domain > node_accelerators ? "scale-up domain" : "node";
  const std::string idle = fmt::format("{} {} idle", blocks.idle(), blocks.idle() == 1 ? "is" : "are");
  if (blocks.used == blocks.domain)
    return fmt::format("the last of {} {}s with {} accelerators is used in part, {}", blocks.domains(), domain,
                       blocks.domain, idle);
  return fmt::format("{} of {} accelerators of {} {} are used, {}", blocks.used, blocks.domain,
                     blocks.domains() == 1 ? "the" : "each", domain, idle);
}

}  // namespace clusterwright
