// SPDX-License-Identifier: Apache-2.0
#include "models/job/price_files.hpp"

#include <algorithm>
#include <array>

#include "models/job/base_file.hpp"
#include "models/job/input_file.hpp"
#include "models/job/scenario_loader.hpp"
#include "sim/field_table.hpp"

namespace clusterwright {

namespace {

constexpr const char* price_folder = "prices";
constexpr int longest_chain = 8;
constexpr std::array<std::string_view, 3> building_prices = {"facility_usd_per_kw", "facility_usd_per_node",
                                                             "colocation_usd_per_kw_month"};

bool prices_building(const JsonValue& prices) {
  return std::any_of(building_prices.begin(), building_prices.end(), [&](std::string_view key) {
    const JsonValue* price = prices.find(key);
    return price && !price->is_null();
  });
}

/// Adds the members of `other` that `own` lacks.
void add_missing(JsonValue& own, const JsonValue& other) {
  for (const auto& [key, member] : other.members())
    if (!own.find(key)) own.set(key, member);
}

JsonValue fill_in(JsonValue prices, const ReferenceReader& read, int depth) {
  const JsonValue* like = prices.find("like");
  if (!prices.is(JsonKind::object) || (like && !like->is(JsonKind::text))) return prices;  // the decoder says why
  const std::string name = like ? like->as_text() : PriceList().like;
  if (name == "none") return prices;
  if (depth == longest_chain)
    throw ConfigError({"E0501", "price lists refer to each other in a circle", {prices.place("")}, "", ""});
  JsonValue base = fill_in(read(base_file(price_folder, "price list", name, prices)), read, depth + 1);
  if (prices_building(prices))
    std::erase_if(base.members(), [](const JsonValue::Member& member) {
      return std::find(building_prices.begin(), building_prices.end(), member.first) != building_prices.end();
    });
  JsonValue* own_parts = prices.find("parts_usd");
  const JsonValue* parts = base.find("parts_usd");
  if (own_parts && own_parts->is(JsonKind::object) && parts) add_missing(*own_parts, *parts);
  add_missing(prices, base);
  return prices;
}

}  // namespace

JsonValue filled_in_prices(JsonValue prices, const ReferenceReader& read) {
  return fill_in(std::move(prices), read, 0);
}

PriceList load_prices(const JsonValue& scenario, const Catalog& catalog, std::vector<InputFile>& inputs) {
  const JsonValue* own = scenario.find(price_folder);
  const bool given = own && !own->is_null();
  const ReferenceReader read = [&](const std::filesystem::path& file) { return read_input(file, inputs); };
  const JsonValue document = given ? JsonValue() : filled_in_prices(JsonValue::object(), read);
  const JsonValue& prices = given ? *own : document;
  auto list = decode_record<PriceList>(prices);
  check_price_list(list, catalog, given ? scenario : document, given ? "/prices" : "");
  return list;
}

}  // namespace clusterwright
