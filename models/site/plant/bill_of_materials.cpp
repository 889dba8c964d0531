// SPDX-License-Identifier: Apache-2.0
#include "models/site/plant/bill_of_materials.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "models/site/plant/devices.hpp"
#include "models/site/plant/site_plan.hpp"

namespace clusterwright {

namespace {

constexpr double weeks_per_year = 365.25 / 7;

/// Power supplies in all machines of one kind.
struct MachineSupplies {
  BillChapter chapter = BillChapter::compute;
  std::string part;        ///< the machine
  long long machines = 0;  ///< working ones
  std::string supply;
  int each = 0;  ///< supplies of one machine; 0 where the catalog does not say
};

template <class Part>
MachineSupplies supplies_of(BillChapter chapter, const Part& part, long long machines) {
  return {chapter, part.id, machines, part.power_supply,
          part.power_supply_count && !part.power_supply.empty() ? part.power_supply_count->value : 0};
}

std::vector<MachineSupplies> machine_supplies(const BillRequest& request) {
  const ComputeBlock& block = request.block;
  const long long machines = (request.plan.nodes + block.nodes - 1) / block.nodes;
  std::vector<MachineSupplies> all{
      supplies_of(BillChapter::compute, block.machine ? *block.machine : *block.node, machines)};
  std::map<std::string, long long> switches;
  for (const SwitchTotal& total : request.plan.switches) switches[total.part] += total.count;
  for (const auto& [part, count] : switches)
    all.push_back(supplies_of(BillChapter::network, *request.catalog.find_switch(part), count));
  return all;
}

class BillWriter {
 public:
  explicit BillWriter(const BillRequest& request) : request_(request), plan_(request.plan) {}

  BillOfMaterials write() {
    add_nodes();
    add_switches();
    for (const CableTotal& cables : plan_.cables) add_cables(cables);
    for (const TransceiverTotal& modules : plan_.transceivers)
      add(BillChapter::transceivers, modules.part, "all networks", modules.count, {}, {});
    if (request_.services.spares) add_spares(*request_.services.spares);
    add_services();
    for (const StorageUseSpec& use : request_.stabilization.storage) add_energy_storage(use);
    add_racks();
    for (const PowerStageLoad& stage : plan_.power_stages)
      add(BillChapter::power, stage.part, "power chain", stage.modules, {}, {});
    add_cooling();
    return std::move(bill_);
  }

 private:
  BillItem* add(BillChapter chapter, const std::string& part, std::string use, long long count, Watts rated,
                Kilograms mass) {
    if (count <= 0) return nullptr;
    bill_.push_back({chapter, part, std::move(use), count, {}, rated, mass});
    return &bill_.back();
  }

  void add_nodes() {
    const Device& device = request_.block.device;
    const int each = request_.block.nodes;
    const auto blocks = [&](int nodes) { return (nodes + each - 1) / each; };
    add(BillChapter::compute, device.part, "working", blocks(plan_.nodes), request_.block.nameplate, device.mass);
    const NodePart& spare = *request_.block.node;
    add(BillChapter::compute, spare.id, "spare, not installed", plan_.spare_nodes, {},
        spare.mass ? spare.mass->value : Kilograms{});
  }

  void add_switches() {
    for (const SwitchTotal& total : plan_.switches) {
      const SwitchPart& part = *request_.catalog.find_switch(total.part);
      add(BillChapter::network, total.part, total.network + " " + total.tier, total.count, total.rated_each,
          part.mass ? part.mass->value : Kilograms{});
    }
  }

  void add_cables(const CableTotal& total) {
    const CablePart* part = request_.catalog.find_cable(total.part);
    if (!part) return;
    for (const LengthBin& bin : total.lengths) {
      const Kilograms mass = part->mass_per_length ? part->mass_per_length->value * bin.length : Kilograms{};
      if (BillItem* item = add(BillChapter::cables, total.part, total.network + " " + total.link, bin.cables, {}, mass))
        item->length = bin.length;
    }
  }

  void add_spares(const SparePartsSpec& spares) {
    const BillOfMaterials bill = bill_;
    add_network_spares(spares, bill);
    for (const MachineSupplies& machine : machine_supplies(request_))
      if (machine.each > 0)
        add(machine.chapter, machine.supply, "spare of " + machine.part,
            stock_of(machine.machines * machine.each, spares.power_supply_failures.value, spares), {}, {});
  }

  /// Spares of what has been added: switches, cables by length, transceivers.
  void add_network_spares(const SparePartsSpec& spares, const BillOfMaterials& bill) {
    using Line = std::tuple<BillChapter, std::string, double>;  // chapter, part, metres
    std::map<Line, std::pair<long long, const BillItem*>> installed;
    for (const BillItem& item : bill) {
      if (item.chapter == BillChapter::compute) continue;
      auto& [count, first] = installed[{item.chapter, item.part, item.length.value_or(Meters{}).in(meter)}];
      count += item.count;
      if (!first) first = &item;
    }
    for (const auto& [line, counted] : installed) {
      const auto& [count, item] = counted;
      const long long stock = stock_of(count, yearly_failures(*item, spares), spares);
      BillItem* spare = add(item->chapter, item->part, "spare", stock, {}, item->mass_each);
      if (spare) spare->length = item->length;
    }
  }

  static long long stock_of(long long installed, double failures_per_year, const SparePartsSpec& spares) {
    return poisson_stock(static_cast<double>(installed) * failures_per_year * spares.lead_time_weeks / weeks_per_year,
                         spares.service_level);
  }

  double yearly_failures(const BillItem& item, const SparePartsSpec& spares) const {
    if (item.chapter == BillChapter::network) return spares.switch_failures.value;
    if (item.chapter == BillChapter::transceivers) return spares.transceiver_failures.value;
    const CableKind kind = *request_.catalog.find_cable(item.part)->kind;
    const bool active = kind == CableKind::active_copper || kind == CableKind::active_optical;
    return (active ? spares.active_cable_failures : spares.passive_cable_failures).value;
  }

  void add_services() {
    const ServerPart* server = find_part(request_.catalog.servers, request_.services.server);
    if (server) {
      add(BillChapter::services, server->id, "fabric manager", request_.managers, server->power.value,
          server->mass.value);
      add(BillChapter::services, server->id, "service node", request_.servers, server->power.value, server->mass.value);
    }
    if (!request_.services.storage) return;
    const StoragePart* storage = find_part(request_.catalog.storage_systems, request_.services.storage->part);
    add(BillChapter::storage, storage->id, "shared file system", request_.appliances, storage->power.value,
        storage->mass.value);
  }

  void add_racks() {
    const RackPart& frame = *find_part(request_.catalog.racks, plan_.floor.frame);
    std::array<long long, rack_role_names.size()> by_role{};
    for (const PlacedRack& rack : plan_.floor.racks) ++by_role[static_cast<std::size_t>(rack.role)];
    if (request_.block.machine) by_role[static_cast<std::size_t>(RackRole::compute)] = 0;
    for (std::size_t role = 0; role < by_role.size(); ++role)
      add(BillChapter::racks, frame.id, std::string(rack_role_names[role]), by_role[role], {}, frame.mass.value);
  }

  /// Among services: prices of whole buildings that cover the power chain do not cover it.
  void add_energy_storage(const StorageUseSpec& use) {
    const EnergyStoragePart& part = *find_part(request_.catalog.energy_storage, use.part);
    const auto places = [&]() -> long long {
      switch (part.place) {
        case StoragePlace::accelerator:
          return plan_.accelerators;
        case StoragePlace::rack:
          return plan_.floor.count(RackRole::compute);
        case StoragePlace::hall:
          return 1;
      }
      return 0;
    };
    add(BillChapter::services, part.id, "energy storage", use.modules * places(), {}, {});
  }

  /// Cooling is sold by the heat that it removes, spares included; a kilowatt is a piece.
  void add_heat(const std::string& part, const char* use, Watts heat) {
    add(BillChapter::cooling, part, use, static_cast<long long>(std::ceil(heat.in(kilowatt))), {}, {});
  }

  void add_cooling() {
    add_heat(plan_.cooling.kind, "kW of heat in the hall", plan_.cooling.liquid + plan_.cooling.air);
    for (const PlantUnits& plant : plan_.cooling.plants)
      if (plant.what.starts_with(heat_rejection_words))
        add_heat(plant.part, "kW of heat outdoors, with spares",
                 plant.each ? *plant.each * static_cast<double>(plant.units) : plant.heat);
    if (plan_.cooling.coolant_unit.empty()) return;
    const CoolantUnitPart& unit = *find_part(request_.catalog.coolant_units, plan_.cooling.coolant_unit);
    add(BillChapter::cooling, unit.id, "coolant", plan_.cooling.coolant_units, {}, unit.mass.value);
  }

  const BillRequest& request_;
  const SitePlan& plan_;
  BillOfMaterials bill_;
};

}  // namespace

long long poisson_stock(double failures, double service_level) {
  if (failures <= 0) return 0;
  double log_probability = -failures, covered = std::exp(log_probability);
  long long stock = 0;
  while (covered < service_level) {
    ++stock;
    log_probability += std::log(failures / static_cast<double>(stock));
    covered += std::exp(log_probability);
  }
  return stock;
}

std::vector<std::string> spares_not_counted(const BillRequest& request) {
  std::vector<std::string> words;
  if (!request.services.spares) return words;
  for (const MachineSupplies& machine : machine_supplies(request))
    if (machine.each == 0)
      words.push_back("spare power supplies of " + machine.part + ", of which the catalog has no count");
  return words;
}

BillOfMaterials make_bill(const BillRequest& request) {
  return BillWriter(request).write();
}

}  // namespace clusterwright
