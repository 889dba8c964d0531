// SPDX-License-Identifier: Apache-2.0
#include "models/job/price_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/job/contradictions.hpp"
#include "sim/field_table.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

template <>
struct EnumNames<BillChapter> {
  static constexpr auto names = bill_chapter_names;
};

namespace {

FieldRule price(const char* help) {
  return {.help = help, .min = 0};
}

FieldRule share(const char* help) {
  return {.help = help, .min = 0, .max = 1};
}

FieldRule positive_share(const char* help) {
  return {.help = help, .min = 0, .max = 1, .above_min = true};
}

void add_what_is_bought(Record<PriceList>& table) {
  using P = PriceList;
  table
      .optional("parts_usd", &P::parts,
                {.help = "one each, by id in the catalog, in place of the catalog's price", .min = 0})
      .optional("part_position", &P::part_position,
                share("where in the catalog's price range parts are: 0 low, 1 high; a list price goes before"))
      .optional("node_over_accelerators", &P::node_over_accelerators,
                {.help = "a node without a price of its own costs its accelerators times this", .min = 1, .max = 10})
      .optional("facility_usd_per_kw", &P::facility_per_power,
                price("the building with power and cooling, for the rated power of all machines"))
      .optional("facility_usd_per_node", &P::facility_per_node, price("the building, instead of that"))
      .optional("colocation_usd_per_kw_month", &P::colocation,
                price("rent of space instead of a building, for the rated power of the machines"))
      .optional("building_covers", &P::building_covers,
                {.help = "chapters of the purchasing list that the building's price, or the rent, includes"})
      .optional("installation_share", &P::installation_share, share("of the price of all parts, paid once"));
}

void add_what_is_paid_by_time(Record<PriceList>& table) {
  using P = PriceList;
  table.optional("electricity_usd_per_kwh", &P::electricity, price("from the grid"))
      .optional("water_usd_per_m3", &P::water, price("that cooling evaporates"))
      .optional("idle_power_share", &P::idle_power_share,
                share("power in hours without work over the mean power in hours with it"))
      .optional("maintenance_share_per_year", &P::maintenance_share, share("of the price of all parts"))
      .optional("staff_usd_per_year", &P::staff, price("people, whatever the size"))
      .optional("staff_usd_per_rack_year", &P::staff_per_rack, price("people, for each rack"))
      .optional("interest", &P::interest, share("a year, on what was paid for the cluster"))
      .optional("years", &P::years,
                {.help = "of use, after which nothing is left", .min = 0, .max = 50, .above_min = true})
      .optional(
          "building_years", &P::building_years,
          {.help = "the same of the building; as the machines if not given", .min = 0, .max = 100, .above_min = true})
      .optional("utilisation", &P::utilisation, positive_share("share of all hours in which the cluster is in use"))
      .optional("goodput", &P::goodput, positive_share("share of those hours that makes progress"))
      .optional("rent_usd_per_accelerator_hour", &P::rent,
                price("of an accelerator elsewhere, all included: what buying is compared with"));
}

struct GivenPrice {
  const char* key;
  bool given;
};

/// A price of the whole building holds its power and cooling: these must not be paid once more.
void check_covers(const PriceList& prices, const std::string& pointer, Contradictions& errors) {
  if (!prices.facility_per_power || (prices.covers(BillChapter::power) && prices.covers(BillChapter::cooling))) return;
  errors.report("E0352", "power and cooling are paid with the building and once more part by part",
                {pointer + "/building_covers", pointer + "/facility_usd_per_kw"},
                "add \"power\" and \"cooling\" to building_covers, or price the building by node or by rent");
}

void check_building(const PriceList& prices, const std::string& pointer, Contradictions& errors) {
  const GivenPrice all[] = {{"facility_usd_per_kw", prices.facility_per_power.has_value()},
                            {"facility_usd_per_node", prices.facility_per_node.has_value()},
                            {"colocation_usd_per_kw_month", prices.colocation.has_value()}};
  std::vector<std::string> keys, places;
  for (const GivenPrice& price : all)
    if (price.given) {
      keys.emplace_back(price.key);
      places.push_back(pointer + "/" + price.key);
    }
  if (keys.size() == 1) return check_covers(prices, pointer, errors);
  const std::string message = keys.empty() ? "the building has no price"
                                           : fmt::format("the building is paid by {}", fmt::join(keys, " and by "));
  if (keys.empty()) places.push_back(pointer);
  errors.report("E0352", message, places, fmt::format("give one of {}, {}, {}", all[0].key, all[1].key, all[2].key));
}

}  // namespace

bool PriceList::covers(BillChapter chapter) const {
  return std::find(building_covers.begin(), building_covers.end(), chapter) != building_covers.end();
}

const Record<PriceList>& record(const PriceList*) {
  static const auto table = [] {
    Record<PriceList> list("prices", "What parts, building, energy and people cost");
    list.optional("like", &PriceList::like,
                  {.help = "a file of configs/prices, or a path, that says what is left out here; none: nothing does"})
        .optional("name", &PriceList::name, {.help = "for reports"})
        .optional("date", &PriceList::date, {.help = "of the prices: year and month"})
        .optional("source", &PriceList::source, {.help = "where the list as a whole comes from"});
    add_what_is_bought(list);
    add_what_is_paid_by_time(list);
    return list;
  }();
  return table;
}

void check_price_list(const PriceList& prices, const Catalog& catalog, const JsonValue& document,
                      const std::string& pointer) {
  Contradictions errors(document);
  if (!prices.years) errors.report("E0104", "missing key \"years\" in prices", {pointer});
  if (!prices.electricity) errors.report("E0104", "missing key \"electricity_usd_per_kwh\" in prices", {pointer});
  check_building(prices, pointer, errors);
  for (const auto& [part, price] : prices.parts)
    if (!sells(catalog, part))
      errors.report("E0203", fmt::format("a price for an unknown part \"{}\"", part), {pointer + "/parts_usd"},
                    did_you_mean(part, parts_for_sale(catalog)));
  errors.finish();
}

}  // namespace clusterwright
