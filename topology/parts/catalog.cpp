// SPDX-License-Identifier: Apache-2.0
#include "topology/parts/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"

namespace clusterwright {

// Copied and moved here, not in every file that holds one: their members are many.
Catalog::Catalog() = default;
Catalog::Catalog(const Catalog&) = default;
Catalog::Catalog(Catalog&&) noexcept = default;
Catalog& Catalog::operator=(const Catalog&) = default;
Catalog& Catalog::operator=(Catalog&&) noexcept = default;
Catalog::~Catalog() = default;

const Record<Catalog>& record(const Catalog*) {
  static const auto table =
      Record<Catalog>("catalog", "A list of parts with the sources of their facts; it need not have every section")
          .optional("accelerators", &Catalog::accelerators, {.help = "accelerator packages"})
          .optional("nics", &Catalog::nics, {.help = "network adapters"})
          .optional("switches", &Catalog::switches, {.help = "switches"})
          .optional("cables", &Catalog::cables, {.help = "cables and transceivers"})
          .optional("nodes", &Catalog::nodes, {.help = "servers with accelerators"})
          .optional("racks", &Catalog::racks, {.help = "empty racks"})
          .optional("power_stages", &Catalog::power_stages,
                    {.help = "modules of the power chain: transformers, UPS modules, distribution units, rack feeds"})
          .optional("rack_cooling", &Catalog::rack_cooling, {.help = "ways in which heat leaves a rack"})
          .optional("heat_rejection", &Catalog::heat_rejection,
                    {.help = "plants through which heat leaves the building"})
          .optional("climates", &Catalog::climates, {.help = "outdoor temperatures by place"})
          .optional("coolant_units", &Catalog::coolant_units, {.help = "units that pump coolant and pass its heat on"})
          .optional("storage_systems", &Catalog::storage_systems, {.help = "storage appliances"})
          .optional("servers", &Catalog::servers, {.help = "service nodes, which run the cluster"})
          .optional("power_supplies", &Catalog::power_supplies, {.help = "power supplies of nodes and switches"})
          .optional("energy_storage", &Catalog::energy_storage,
                    {.help = "capacitors and batteries that take up swings of power"})
          .optional("generators", &Catalog::generators, {.help = "generators that carry a site without its grid"})
          .optional("interconnections", &Catalog::interconnections,
                    {.help = "what utilities allow the power of a site to do"})
          .optional("sources", &Catalog::sources, {.help = "sources of facts, by id"});
  return table;
}

const AcceleratorPart* Catalog::find_accelerator(const std::string& id) const& {
  return find_part(accelerators, id);
}
const NicPart* Catalog::find_nic(const std::string& id) const& {
  return find_part(nics, id);
}
const SwitchPart* Catalog::find_switch(const std::string& id) const& {
  return find_part(switches, id);
}
const CablePart* Catalog::find_cable(const std::string& id) const& {
  return find_part(cables, id);
}
const NodePart* Catalog::find_node(const std::string& id) const& {
  return find_part(nodes, id);
}

namespace {

std::vector<std::filesystem::path> json_files(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  if (error) {
    const auto name = std::make_shared<const SourceText>(directory.string(), "");
    throw ConfigError({"E0401", "the directory of parts cannot be read", {Place{name, 0, 1, ""}}, "", ""});
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// Reader of all files of a catalog. Keeps their JSON for the places of errors across files.
class CatalogReader {
 public:
  void read(const std::filesystem::path& file) {
    try {
      JsonValue json = read_json_file(file);
      merge(decode_record<Catalog>(json));
      files_.push_back(std::move(json));
    } catch (const ConfigError& error) {
      errors_.insert(errors_.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  }

  Catalog finish(FactCheck facts) {
    for (const FieldSpec& list : record(static_cast<const Catalog*>(nullptr)).fields)
      if (list.is_list) check_ids(list.key);
    check_source_ids();
    // Half-read files would make facts look unsourced, so missing sources are reported only without other errors.
    if (errors_.empty() && facts == FactCheck::every_source)
      for (const JsonValue& file : files_) check_sources(file, "");
    if (!errors_.empty()) throw ConfigError(std::move(errors_));
    return std::move(catalog_);
  }

 private:
  void merge(Catalog&& share) {
    for_each_list(catalog_, share,
                  [](auto& to, auto& from) { std::move(from.begin(), from.end(), std::back_inserter(to)); });
    catalog_.sources.merge(share.sources);
  }

  void report_twice(const std::string& id, Place second, Place first) {
    errors_.push_back({"E0204",
                       fmt::format("the id \"{}\" is already taken", id.substr(0, 60)),
                       {std::move(second), std::move(first)},
                       "given again here",
                       "ids are unique in the whole catalog"});
  }

  void check_ids(const std::string& list) {
    std::map<std::string, Place> seen;
    for (const JsonValue& file : files_) {
      const JsonValue* parts = file.find(list);
      for (std::size_t i = 0; parts && i < parts->elements().size(); ++i) {
        const JsonValue& id = parts->elements()[i].at("id");
        const Place place = id.place(fmt::format("/{}/{}/id", list, i));
        const auto [first, fresh] = seen.emplace(id.as_text(), place);
        if (!fresh) report_twice(id.as_text(), place, first->second);
      }
    }
  }

  void check_source_ids() {
    std::map<std::string, Place> seen;
    for (const JsonValue& file : files_) {
      const JsonValue* sources = file.find("sources");
      if (!sources) continue;
      for (const auto& [id, source] : sources->members()) {
        const Place place = source.key_place("/sources/" + id);
        const auto [first, fresh] = seen.emplace(id, place);
        if (!fresh) report_twice(id, place, first->second);
      }
    }
  }

  /// Every {"value", "source"} below `value` names a listed source before its first colon.
  void check_sources(const JsonValue& value, const std::string& pointer) {
    for (std::size_t i = 0; i < value.elements().size(); ++i)
      check_sources(value.elements()[i], fmt::format("{}/{}", pointer, i));
    const JsonValue* source = value.find("value") ? value.find("source") : nullptr;
    if (source) check_source(*source, pointer + "/source");
    for (const auto& [key, member] : value.members()) check_sources(member, pointer + "/" + key);
  }

  void check_source(const JsonValue& source, const std::string& pointer) {
    const std::string id = source.as_text().substr(0, source.as_text().find(':'));
    if (catalog_.sources.contains(id)) return;
    std::vector<std::string> known;
    for (const auto& [name, unused] : catalog_.sources) known.push_back(name);
    errors_.push_back({"E0205",
                       fmt::format("unknown source \"{}\"", id.substr(0, 60)),
                       {source.place(pointer)},
                       "not listed under \"sources\"",
                       did_you_mean(id, known)});
  }

  Catalog catalog_;
  std::vector<JsonValue> files_;
  std::vector<Diagnostic> errors_;
};

}  // namespace

Catalog load_catalog(const std::filesystem::path& parts_directory, FactCheck facts) {
  CatalogReader reader;
  for (const auto& file : json_files(parts_directory)) reader.read(file);
  return reader.finish(facts);
}

std::vector<std::string> parts_for_sale(const Catalog& catalog) {
  std::vector<std::string> ids;
  visit_parts_for_sale(catalog, [&](const auto& parts) {
    for (const auto& part : parts) ids.push_back(part.id);
  });
  visit_parts_by_power(catalog, [&](const auto& parts) {
    for (const auto& part : parts) ids.push_back(part.id);
  });
  return ids;
}

bool sells(const Catalog& catalog, const std::string& part) {
  bool found = false;
  const auto visit = [&](const auto& parts) { found = found || find_part(parts, part); };
  visit_parts_for_sale(catalog, visit);
  visit_parts_by_power(catalog, visit);
  return found;
}

}  // namespace clusterwright
