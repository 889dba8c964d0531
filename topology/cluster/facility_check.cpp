// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/facility_check.hpp"

#include <fmt/format.h>

#include <vector>

#include "sim/diagnostic.hpp"
#include "topology/parts/catalog.hpp"

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
    check_cooling(*spec_.cooling);
    check_services(*spec_.services);
  }

  void check_cooling(const CoolingSpec& cooling) {
    known(catalog_.rack_cooling, "rack_cooling", cooling.racks, "/cooling/racks", true);
    known(catalog_.heat_rejection, "heat_rejection", cooling.rejection, "/cooling/rejection", true);
    known(catalog_.heat_rejection, "heat_rejection", cooling.air_rejection, "/cooling/air_rejection", false);
    known(catalog_.climates, "climates", cooling.climate, "/cooling/climate", true);
    known(catalog_.coolant_units, "coolant_units", cooling.coolant_unit, "/cooling/coolant_unit", false);
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
      report("E0351", fmt::format("the facility leaves {} open", at), "",
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
      report("E0351", fmt::format("the facility says nothing about \"{}\"", block), "",
             "give it, or name a complete facility under \"like\"");
  }

  void report(const char* code, std::string message, const std::string& at, std::string help) {
    const JsonValue* value = at.empty() ? nullptr : source_.at_pointer(at);
    errors_.push_back(
        {code, std::move(message), {(value ? *value : source_).place(pointer_ + at)}, "", std::move(help)});
  }

  const FacilitySpec& spec_;
  const Catalog& catalog_;
  const JsonValue& source_;
  const std::string& pointer_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

Facility complete_facility(const FacilitySpec& spec, const Catalog& catalog, const JsonValue& source,
                           const std::string& pointer) {
  FacilityChecker(spec, catalog, source, pointer).check();
  return {spec.power_usage_effectiveness, *spec.rack, *spec.hall, *spec.power, *spec.cooling, *spec.services};
}

}  // namespace clusterwright
