// SPDX-License-Identifier: Apache-2.0
/// Nodes of a machine that a job runs on.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/enum_array.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// Order in which the ranks of a job fill the domains of a machine.
///
/// packed: the first ones, one after the other. scattered: one of each lowest group of switches (leaf, scalable unit)
/// by turns, as far from its neighbours as possible. shuffled: drawn from the whole machine by the seed.
enum class PlacementOrder { packed, scattered, shuffled };
template <>
struct EnumNames<PlacementOrder> {
  static constexpr std::array<std::string_view, 3> names = {"packed", "scattered", "shuffled"};
};

struct PlacementSpec {
  PlacementOrder order = PlacementOrder::packed;
  int machine_nodes = 0;   ///< nodes of the whole machine, those of the job included; 0: only these
  std::vector<int> nodes;  ///< numbers of the domains in rank order, instead of `order`; empty: none given
  int seed = 0;            ///< of what is shuffled
  bool operator==(const PlacementSpec&) const = default;
};
const Record<PlacementSpec>& record(const PlacementSpec*);

/// Domain of the machine for each of the job's, in rank order.
/// @param machine    number of domains of the machine
/// @param per_group  domains under one lowest group of switches
/// @throws ConfigError E0335 for a machine smaller than the job, or `nodes` that are too few, not there, or named twice
std::vector<int> place_domains(const PlacementSpec& spec, int job, int machine, int per_group);

}  // namespace clusterwright
