// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/facility_check.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sim/diagnostic.hpp"
#include "topology/cluster/facility_spec.hpp"
#include "topology/parts/catalog.hpp"
#include "topology/rules/facility_rules.hpp"
#include "topology/rules/part_rule.hpp"

namespace clusterwright {

namespace {

class FacilityChecker {
 public:
  FacilityChecker(const FacilitySpec& spec, const Catalog& catalog, const JsonValue& source, const std::string& pointer)
      : spec_(spec), catalog_(catalog), source_(source), pointer_(pointer) {}

  void check() {
    needs(spec_.rack.has_value(), "rack");
    needs(spec_.hall.has_value(), "hall");
    needs(spec_.power.has_value(), "power");
    needs(spec_.cooling.has_value(), "cooling");
    needs(spec_.services.has_value(), "services");
    if (errors_.empty()) check_parts();
    if (!errors_.empty()) throw ConfigError(std::move(errors_));
  }

 private:
  void check_parts() {
    known(catalog_.racks, "racks", spec_.rack->frame, "/rack/frame", true);
    const PowerChainSpec& power = *spec_.power;
    known(catalog_.power_stages, "power_stages", power.circuit, "/power/circuit", true);
    for (std::size_t i = 0; i < power.stages.size(); ++i)
      known(catalog_.power_stages, "power_stages", power.stages[i].part, fmt::format("/power/stages/{}/part", i), true);
    check_voltages(power);
    check_cooling(*spec_.cooling);
    check_services(*spec_.services);
    if (spec_.stabilization) check_stabilization(*spec_.stabilization);
  }

  void check_stabilization(const StabilizationSpec& stabilization) {
    known(catalog_.interconnections, "interconnections", stabilization.interconnection,
          "/stabilization/interconnection", false);
    for (std::size_t i = 0; i < stabilization.storage.size(); ++i)
      known(catalog_.energy_storage, "energy_storage", stabilization.storage[i].part,
            fmt::format("/stabilization/storage/{}/part", i), true);
  }

  /// Every module against the nearest one above it whose voltage is known, from the grid to the racks.
  void check_voltages(const PowerChainSpec& power) {
    const PowerPart* above = nullptr;
    std::string above_index;
    const auto hang = [&](const std::string& part, const std::string& field) {
      const PowerPart* below = find_part(catalog_.power_stages, part);
      if (!below) return;
      if (above)
        check_rules(voltage_rules(), VoltagesOfChain{*above, *below}, {{"circuit", field}, {"*", above_index}});
      if (below->volts) above = below;
    };
    for (std::size_t i = 0; i < power.stages.size(); ++i) {
      const PowerPart* before = above;
      hang(power.stages[i].part, fmt::format("stages.{}.part", i));
      if (above != before) above_index = std::to_string(i);
    }
    hang(power.circuit, "circuit");
  }

  template <class Rules, class Subject>
  void check_rules(Rules rules, const Subject& subject, const FieldNames& names) {
    std::vector<RuleFinding> findings;
    apply_rules(rules, subject, names, findings);
    for (const RuleFinding& found : findings)
      report(std::string(found.rule->code), found.message, found.pointers.front(), std::string(found.rule->then));
  }

  void check_cooling(const CoolingSpec& cooling) {
    known(catalog_.rack_cooling, "rack_cooling", cooling.racks, "/cooling/racks", true);
    known(catalog_.heat_rejection, "heat_rejection", cooling.rejection, "/cooling/rejection", true);
    known(catalog_.heat_rejection, "heat_rejection", cooling.air_rejection, "/cooling/air_rejection", false);
    known(catalog_.climates, "climates", cooling.climate, "/cooling/climate", true);
    known(catalog_.coolant_units, "coolant_units", cooling.coolant_unit, "/cooling/coolant_unit", false);
    const RackCoolingPart* racks = find_part(catalog_.rack_cooling, cooling.racks);
    if (racks) check_rules(hall_rules(), CoolingOfHall{*racks, cooling.supply_c}, {});
  }

  void check_services(const ServicesSpec& services) {
    const bool servers = services.servers > 0 || services.servers_per_1000_nodes > 0 || services.fabric_managers > 0;
    known(catalog_.servers, "servers", services.server, "/services/server", servers);
    known(catalog_.switches, "switches", services.management_switch, "/services/management_switch", false);
    for (std::size_t i = 0; i < services.networks.size(); ++i)
      known(catalog_.switches, "switches", services.networks[i].switch_part,
            fmt::format("/services/networks/{}/switch", i), true);
    if (services.storage)
      known(catalog_.storage_systems, "storage_systems", services.storage->part, "/services/storage/part", true);
    for (const auto& [link, part] : services.cables)
      known(catalog_.cables, "cables", part, "/services/cables/" + link, true);
  }

  template <class Part>
  void known(const std::vector<Part>& parts, const char* list, const std::string& name, const std::string& at,
             bool required) {
    if (name.empty() && !required) return;
    if (name.empty()) {
      report("E0351", fmt::format("the facility does not give {}", at), "",
             "name a part of catalog " + std::string(list));
      return;
    }
    if (find_part(parts, name)) return;
    const std::string meant = did_you_mean(name, ids_of(parts));
    report("E0203", fmt::format("unknown part \"{}\" of {}", name.substr(0, 80), list), at,
           fmt::format("{}{}list all: clusterwright catalog {}", meant, meant.empty() ? "" : "   ", list));
  }

  void needs(bool given, const char* block) {
    if (!given)
      report("E0351", fmt::format("the facility does not give \"{}\"", block), "",
             "give it, or name a complete facility under \"like\"");
  }

  void report(std::string code, std::string message, const std::string& at, std::string help) {
    const JsonValue* value = at.empty() ? nullptr : source_.at_pointer(at);
    errors_.push_back(
        {std::move(code), std::move(message), {(value ? *value : source_).place(pointer_ + at)}, "", std::move(help)});
  }

  const FacilitySpec& spec_;
  const Catalog& catalog_;
  const JsonValue& source_;
  const std::string& pointer_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

void check_facility(const FacilitySpec& spec, const Catalog& catalog, const JsonValue& source,
                    const std::string& pointer) {
  FacilityChecker(spec, catalog, source, pointer).check();
}

}  // namespace clusterwright
