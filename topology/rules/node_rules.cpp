// SPDX-License-Identifier: Apache-2.0
#include "topology/rules/node_rules.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "topology/nodes/node_wiring.hpp"
#include "topology/nodes/power_limit.hpp"

namespace clusterwright {

namespace {

std::string gbit(BytesPerSecond rate) {
  return amount(rate.in(gigabit_per_second), "Gbit/s");
}

/// Another NIC than the one that the user names beside the rate.
std::optional<Breach> rate_above_nic(const NodeOfCluster& s) {
  if (s.written.nic.empty() || !s.written.nic_rate || !s.nic) return std::nullopt;
  const auto breach = above(*s.written.nic_rate, s.nic->rate.value);
  if (!breach) return breach;
  return Breach{breach->first, fmt::format("{}, {}", s.nic->id, breach->second)};
}

std::optional<Breach> rate_above_slot(const NodeOfCluster& s) {
  if (s.reach.slot <= BytesPerSecond{}) return std::nullopt;
  const auto breach = above(s.reach.stated, s.reach.slot);
  if (!breach || s.node.pcie.nic_slot) return breach;
  const bool known = s.nic && pcie_link_rate(s.nic->host_link);
  return Breach{breach->first,
                fmt::format("not given, {} of {}", breach->second, known ? s.nic->host_link : "PCIe6 x16")};
}

std::optional<Breach> nics_above_slots(const NodeOfCluster& s) {
  const BytesPerSecond each = s.reach.slot > BytesPerSecond{} ? std::min(s.reach.stated, s.reach.slot) : s.reach.stated;
  if (s.reach.share <= BytesPerSecond{} || !above(each, s.reach.share)) return std::nullopt;
  const BytesPerSecond slot = accelerator_slot(s.node, *s.accelerator);
  return Breach{fmt::format("{} x {}", node_nics(s.node), gbit(each)),
                fmt::format("{} x {}", node_accelerators(s.node), gbit(slot))};
}

std::optional<Breach> uneven_nics(const NodeOfCluster& s) {
  const int nics = node_nics(s.node), accelerators = node_accelerators(s.node);
  if (nics <= accelerators || nics % accelerators == 0) return std::nullopt;
  return Breach{amount(nics, ""), amount(accelerators, "")};
}

/// A server with a failed NIC, say.
std::optional<Breach> shared_unevenly(const NodeOfCluster& s) {
  const int nics = node_nics(s.node), accelerators = node_accelerators(s.node);
  if (nics == 0 || nics > accelerators || accelerators % nics == 0) return std::nullopt;
  return Breach{amount(nics, ""), amount(accelerators, "")};
}

std::optional<Breach> too_many_nics(const NodeOfCluster& s) {
  const int nics = node_nics(s.node), accelerators = node_accelerators(s.node);
  if (nics <= most_nics_per_accelerator * accelerators) return std::nullopt;
  return Breach{amount(nics, ""), amount(accelerators, "")};
}

std::optional<Breach> foreign_ports(const NodeOfCluster& s) {
  if (!s.nic || s.nic->host_link != "accelerator" || nics_on_accelerators(s.node)) return std::nullopt;
  const std::string_view place = s.node.pcie.nics ? enum_name(*s.node.pcie.nics) : "not given, switch";
  return Breach{s.nic->id, std::string(place)};
}

std::optional<Breach> slot_above_accelerator(const NodeOfCluster& s) {
  if (!s.node.pcie.link || !s.accelerator || !s.accelerator->host_bandwidth) return std::nullopt;
  return above(s.node.pcie.link->in(gigabyte_per_second), s.accelerator->host_bandwidth->value.in(gigabyte_per_second),
               "GB/s");
}

/// What is given has a source: "user" at least.
std::optional<Breach> unknown_host(const NodeOfCluster& s) {
  const Sourced<Watts>& host = s.node.host_power;
  const bool unknown = host.source == Sourced<Watts>{}.source || host.source.ends_with("counted as 0");
  if (host.value > Watts{} || !unknown) return std::nullopt;
  return Breach{"not given", s.node.part.empty() ? "not given" : s.node.part};
}

/// Accelerators other than those that the part was checked with.
std::optional<Breach> accelerators_above_server(const NodeOfCluster& s) {
  if (!s.part || !s.part->max_power || !s.accelerator || s.accelerator->id == s.part->accelerator_id)
    return std::nullopt;
  const int count = node_accelerators(s.node);
  const Watts each = s.accelerator->power.value;
  const auto breach = above((count * each).in(kilowatt), s.part->max_power->value.in(kilowatt), "kW");
  if (!breach) return breach;
  return Breach{fmt::format("{} x {} of {} = {}", count, amount(each.in(watt), "W"), s.accelerator->id, breach->first),
                breach->second};
}

std::optional<Breach> limited_twice(const NodeOfCluster& s) {
  if (!s.node.accelerator_power_limit || !s.node.accelerator_power_share) return std::nullopt;
  return Breach{amount(s.node.accelerator_power_limit->in(watt), "W"), amount(*s.node.accelerator_power_share, "")};
}

std::optional<Breach> below_least(std::optional<Watts> limit, const AcceleratorPart* part) {
  if (!limit || !part || !above(least_power_limit(*part).in(watt), limit->in(watt), "W")) return std::nullopt;
  return Breach{amount(limit->in(watt), "W"),
                fmt::format("{}, {}", part->id, amount(least_power_limit(*part).in(watt), "W"))};
}

std::optional<Breach> limit_too_low(const NodeOfCluster& s) {
  return below_least(s.node.accelerator_power_limit, s.accelerator);
}

std::optional<Breach> share_too_low(const NodeOfCluster& s) {
  if (!s.node.accelerator_power_share || !s.accelerator) return std::nullopt;
  return below_least(*s.node.accelerator_power_share * s.accelerator->power.value, s.accelerator);
}

std::optional<Breach> node_limit_too_low(const NodeOfCluster& s) {
  const auto share = share_of_node_limit(s.node);
  if (!s.accelerator || !share) return std::nullopt;
  const Watts least = least_power_limit(*s.accelerator);
  if (*share >= least) return std::nullopt;
  const int count = node_accelerators(s.node);
  const Watts needed = s.node.host_power.value + count * least;
  return Breach{
      amount(s.node.power_limit->in(watt), "W"),
      fmt::format("{}, so that {} with {} accelerators at {} are needed", amount(s.node.host_power.value.in(watt), "W"),
                  amount(needed.in(watt), "W"), count, amount(least.in(watt), "W"))};
}

std::optional<Breach> limit_above_rating(const NodeOfCluster& s) {
  if (!s.node.accelerator_power_limit || !s.accelerator) return std::nullopt;
  return above(s.node.accelerator_power_limit->in(watt), s.accelerator->power.value.in(watt), "W");
}

/// A limit acts on a clock, and nobody states one for parts without boost clock and multiprocessors.
std::optional<Breach> limit_without_clock(const NodeOfCluster& s) {
  if (!s.accelerator || s.accelerator->has_known_clock()) return std::nullopt;
  const auto limit = accelerator_limit(s.node, *s.accelerator);
  if (!limit) return std::nullopt;
  return Breach{amount(limit->in(watt), "W for each accelerator"), s.accelerator->id};
}

constexpr PartRule<NodeOfCluster> rules_of_nodes[] = {
    {{"rate and NIC", "node.nic_rate_gbit_per_s", "is above the rate of", "node.nic", "E0346",
      "name the NIC that has this rate, or leave out one of the two"},
     rate_above_nic},
    {{"NIC rate and its slot", "node.nic_rate_gbit_per_s", "is above what its slot carries,",
      "node.pcie.nic_slot_gb_per_s", "", "NICs are modelled at the rate of their slots"},
     rate_above_slot},
    {{"NICs and slots of accelerators", "node.nics", "carry more than the slots of the accelerators,",
      "node.pcie.link_gb_per_s", "", "NICs are modelled at the rate of these slots, which their data crosses"},
     nics_above_slots},
    {{"NICs per accelerator", "node.nics", "do not spread evenly over", "node.accelerators", "E0346",
      "use a multiple of the accelerators: NICs beyond it serve none"},
     uneven_nics},
    {{"accelerators per NIC", "node.nics", "are shared unevenly by", "node.accelerators", "",
      "each accelerator is modelled with the same share of them"},
     shared_unevenly},
    {{"number of NICs", "node.nics", "is more than 16 for each of", "node.accelerators", "E0346",
      "a slot has 16 lanes; servers are sold with at most 4 NICs for each accelerator"},
     too_many_nics},
    {{"ports of accelerators", "node.nic", "is a port of the accelerator itself, but NICs are plugged in elsewhere:",
      "node.pcie.nics", "E0346", "name a NIC that plugs into a server"},
     foreign_ports},
    {{"slot and host link of an accelerator", "node.pcie.link_gb_per_s", "is above", "node.accelerator.host_bandwidth",
      "", "the accelerator is modelled at its own link"},
     slot_above_accelerator},
    {{"power of the host", "node.host_power_w", "is not known, and no power comes from", "node.part", "",
      "hosts are counted as 0 W"},
     unknown_host},
    {{"accelerators and power of the server", "node.accelerator", "is above", "node.part.max_power_kw", "E0353",
      "describe a server with that power under \"parts\""},
     accelerators_above_server},
    {{"power limit of accelerators, twice", "node.accelerator_power_limit_w", "is given beside",
      "node.accelerator_power_limit_share", "E0349", "keep one of the two"},
     limited_twice},
    {{"power limit and least limit", "node.accelerator_power_limit_w", "is below the least limit of",
      "node.accelerator", "E0349", "drivers set no lower limit; leave nodes out instead"},
     limit_too_low},
    {{"power limit as a share and least limit", "node.accelerator_power_limit_share", "is below the least limit of",
      "node.accelerator", "E0349", "drivers set no lower limit; leave nodes out instead"},
     share_too_low},
    {{"power limit of a node", "node.power_limit_w", "does not feed", "node.host_power_w", "E0349",
      "raise it, or leave accelerators out"},
     node_limit_too_low},
    {{"power limit and clock", "node.accelerator_power_limit_w", "acts on the clock, which is not known for",
      "node.accelerator", "E0349", "leave the limit out: it cannot be modelled for this part"},
     limit_without_clock},
    {{"power limit and rated power", "node.accelerator_power_limit_w", "is above the rating of", "node.accelerator", "",
      "it changes nothing"},
     limit_above_rating},
};

}  // namespace

std::span<const PartRule<NodeOfCluster>> node_rules() {
  return rules_of_nodes;
}

}  // namespace clusterwright
