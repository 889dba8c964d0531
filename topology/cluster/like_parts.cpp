// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/like_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/diagnostic.hpp"
#include "sim/field_table.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace {

/// Member of `value`, if it is of the given kind.
JsonValue* member(JsonValue* value, const char* key, JsonKind kind) {
  JsonValue* found = value && value->is(JsonKind::object) ? value->find(key) : nullptr;
  return found && found->is(kind) ? found : nullptr;
}

const AcceleratorPart& parent_of(const JsonValue& like, const Catalog& catalog, const std::string& pointer) {
  const AcceleratorPart* parent = catalog.find_accelerator(like.as_text());
  if (parent) return *parent;
  const std::string meant = did_you_mean(like.as_text(), ids_of(catalog.accelerators));
  throw ConfigError({"E0203",
                     fmt::format("unknown accelerator \"{}\"", like.as_text().substr(0, 60)),
                     {like.place(pointer)},
                     "not in the catalog",
                     meant.empty() ? "list all: clusterwright catalog accelerators" : meant});
}

/// Facts that were measured beside a data-sheet value. A part with another value does not have them.
std::vector<std::string> measured_otherwise(const JsonValue& part) {
  constexpr std::pair<const char*, const char*> pairs[] = {
      {"memory_gb", "addressable_memory_gb"},
      {"peak_dense_tflops", "best_gemm_tflops"},
      {"host_bandwidth_gb_per_s", "measured_host_bandwidth_gb_per_s"}};
  std::vector<std::string> out;
  for (const auto& [sheet, measured] : pairs)
    if (part.find(sheet)) out.emplace_back(measured);
  return out;
}

}  // namespace

void fill_in_like(JsonValue& cluster, const std::filesystem::path& parts_directory, const std::string& pointer) {
  JsonValue* parts = member(member(&cluster, "parts", JsonKind::object), "accelerators", JsonKind::list);
  if (!parts) return;
  std::optional<Catalog> catalog;
  for (std::size_t i = 0; i < parts->elements().size(); ++i) {
    JsonValue& part = parts->elements()[i];
    const JsonValue* like = member(&part, "like", JsonKind::text);
    if (!like || like->as_text().empty()) continue;
    if (!catalog) catalog = load_catalog(parts_directory);
    const std::string place = fmt::format("{}/parts/accelerators/{}/like", pointer, i);
    const JsonValue parent = encode_record(parent_of(*like, *catalog, place));
    const std::vector<std::string> other = measured_otherwise(part);
    for (const auto& [key, value] : parent.members())
      if (key != "id" && !part.find(key) && std::find(other.begin(), other.end(), key) == other.end())
        part.set(key, value);
  }
}

}  // namespace clusterwright
