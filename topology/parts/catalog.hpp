// SPDX-License-Identifier: Apache-2.0
/// Catalog: every part that `configs/parts/` describes, and where its facts come from.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "topology/parts/facility_parts.hpp"
#include "topology/parts/grid_parts.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Everything that `configs/parts/` holds.
struct Catalog {
  Catalog();
  Catalog(const Catalog&);
  Catalog(Catalog&&) noexcept;
  Catalog& operator=(const Catalog&);
  Catalog& operator=(Catalog&&) noexcept;
  ~Catalog();

  std::vector<AcceleratorPart> accelerators;
  std::vector<NicPart> nics;
  std::vector<SwitchPart> switches;
  std::vector<CablePart> cables;
  std::vector<NodePart> nodes;
  std::vector<RackPart> racks;
  std::vector<PowerPart> power_stages;
  std::vector<RackCoolingPart> rack_cooling;
  std::vector<HeatRejectionPart> heat_rejection;
  std::vector<ClimatePart> climates;
  std::vector<CoolantUnitPart> coolant_units;
  std::vector<StoragePart> storage_systems;
  std::vector<ServerPart> servers;
  std::vector<PowerSupplyPart> power_supplies;
  std::vector<EnergyStoragePart> energy_storage;
  std::vector<GeneratorPart> generators;
  std::vector<InterconnectionPart> interconnections;
  std::map<std::string, FactSource> sources;  ///< sources by id

  /// Part with this id, or nullptr; it lives as long as the catalog.
  const AcceleratorPart* find_accelerator(const std::string& id) const&;
  const AcceleratorPart* find_accelerator(const std::string& id) const&& = delete;
  const NicPart* find_nic(const std::string& id) const&;
  const NicPart* find_nic(const std::string& id) const&& = delete;
  const SwitchPart* find_switch(const std::string& id) const&;
  const SwitchPart* find_switch(const std::string& id) const&& = delete;
  const CablePart* find_cable(const std::string& id) const&;
  const CablePart* find_cable(const std::string& id) const&& = delete;
  const NodePart* find_node(const std::string& id) const&;
  const NodePart* find_node(const std::string& id) const&& = delete;
};
const Record<Catalog>& record(const Catalog*);

/// Part of a list with this id, or nullptr.
template <class Part>
const Part* find_part(const std::vector<Part>& parts, const std::string& id) {
  for (const Part& part : parts)
    if (part.id == id) return &part;
  return nullptr;
}

/// Ids of a list of parts, in its order.
template <class Part>
std::vector<std::string> ids_of(const std::vector<Part>& parts) {
  std::vector<std::string> ids;
  ids.reserve(parts.size());
  for (const Part& part : parts) ids.push_back(part.id);
  return ids;
}

enum class FactCheck { every_source, none };

/// Catalog from every `*.json` of a directory, in the order of their names; each file holds a share of it.
///
/// Ids are unique within their list over all files, and the source of every fact is listed under "sources".
/// @param facts  whether the sources of all facts are looked up: a prediction does without
/// @throws ConfigError with the errors of all files together; E0401 if the directory is missing
Catalog load_catalog(const std::filesystem::path& parts_directory, FactCheck facts = FactCheck::every_source);

/// Calls `visit` with the lists of parts of two catalogs, pair by pair.
template <class A, class B, class Visit>
void for_each_list(A& a, B& b, Visit visit) {
  visit(a.accelerators, b.accelerators);
  visit(a.nics, b.nics);
  visit(a.switches, b.switches);
  visit(a.cables, b.cables);
  visit(a.nodes, b.nodes);
  visit(a.racks, b.racks);
  visit(a.power_stages, b.power_stages);
  visit(a.rack_cooling, b.rack_cooling);
  visit(a.heat_rejection, b.heat_rejection);
  visit(a.climates, b.climates);
  visit(a.coolant_units, b.coolant_units);
  visit(a.storage_systems, b.storage_systems);
  visit(a.servers, b.servers);
  visit(a.power_supplies, b.power_supplies);
  visit(a.energy_storage, b.energy_storage);
  visit(a.generators, b.generators);
  visit(a.interconnections, b.interconnections);
}

/// Calls `visit` with every list of parts that are bought one by one.
template <class Visitor>
void visit_parts_for_sale(const Catalog& catalog, Visitor visit) {
  visit(catalog.nodes);
  visit(catalog.accelerators);
  visit(catalog.nics);
  visit(catalog.switches);
  visit(catalog.cables);
  visit(catalog.racks);
  visit(catalog.power_stages);
  visit(catalog.coolant_units);
  visit(catalog.storage_systems);
  visit(catalog.servers);
  visit(catalog.power_supplies);
  visit(catalog.energy_storage);
}

/// Lists whose parts are sold by the power that they carry away.
template <class Visitor>
void visit_parts_by_power(const Catalog& catalog, Visitor visit) {
  visit(catalog.rack_cooling);
  visit(catalog.heat_rejection);
}

/// Ids of all parts that are bought one by one or by the kilowatt, priced or not.
std::vector<std::string> parts_for_sale(const Catalog& catalog);

bool sells(const Catalog& catalog, const std::string& part);

}  // namespace clusterwright
