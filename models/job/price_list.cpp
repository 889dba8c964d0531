// SPDX-License-Identifier: Apache-2.0
#include "models/job/price_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/job/configs_directory.hpp"
#include "sim/field_table.hpp"

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
                {.help = "prices of single parts, by catalog id; they replace the catalog's", .min = 0})
      .optional(
          "parts_usd_per_m", &P::parts_per_m,
          {.help = "price of each metre of a cable, by catalog id, beside its price in parts_usd; it replaces the "
                   "catalog's, and a cable with a price in parts_usd alone costs the same at every length",
           .min = 0,
           .max = 1e4})
      .optional("part_position", &P::part_position,
                share("position in the catalog's price range: 0 low, 1 high; a list price takes precedence"))
      .optional("node_over_accelerators", &P::node_over_accelerators,
                {.help = "price of a node over the price of its accelerators, for nodes without a price of their own",
                 .min = 1,
                 .max = 10})
      .optional("shell_usd_per_kw", &P::shell,
                price("price of land, building and fit-out without power and cooling, per rated power of all machines"))
      .optional("grid_usd_per_kw", &P::grid,
                price("price of grid connection, switchgear and generators, per power asked of the utility for the "
                      "design day; with shell_usd_per_kw"))
      .optional("facility_usd_per_kw", &P::facility_per_power,
                price("price of the building with power and cooling, per rated power of all machines; replaces "
                      "shell_usd_per_kw"))
      .optional("facility_usd_per_node", &P::facility_per_node,
                price("price of the building with power and cooling, per node; replaces shell_usd_per_kw"))
      .optional("colocation_usd_per_kw_month", &P::colocation,
                price("rent of colocation space per rated power of the machines; replaces a price of the building"))
      .optional("building_covers", &P::building_covers,
                {.help = "chapters of the bill of materials that the price or rent of the building includes"})
      .optional("installation_share", &P::installation_share,
                share("cost of installation over the price of all parts, paid once"));
}

void add_what_is_paid_by_time(Record<PriceList>& table) {
  using P = PriceList;
  table.optional("electricity_usd_per_kwh", &P::electricity, price("price of electricity from the grid"))
      .optional(
          "carbon_g_per_kwh", &P::carbon_g_per_kwh,
          {.help = "carbon dioxide and equivalents emitted for the electricity, in grams; carbon is left out if not "
                   "given",
           .min = 0,
           .max = 3000})
      .optional("water_usd_per_m3", &P::water, price("price of the water that cooling evaporates"))
      .optional("idle_power_share", &P::idle_power_share,
                share("mean power in idle hours over mean power in busy hours"))
      .optional("maintenance_share_per_year", &P::maintenance_share,
                share("cost of maintenance over the price of all parts"))
      .optional("staff_usd_per_year", &P::staff, price("cost of staff, independent of size"))
      .optional("staff_usd_per_rack_year", &P::staff_per_rack, price("cost of staff for each rack"))
      .optional("interest", &P::interest, share("interest per year on the price of the cluster"))
      .optional("years", &P::years,
                {.help = "years of use, after which the cluster has no value", .min = 0, .max = 50, .above_min = true})
      .optional("building_years", &P::building_years,
                {.help = "years of use of the building; those of the machines if not given",
                 .min = 0,
                 .max = 100,
                 .above_min = true})
      .optional("utilisation", &P::utilisation, positive_share("share of all hours in which the cluster is in use"))
      .optional("goodput", &P::goodput, positive_share("share of the hours in use that makes progress"))
      .optional("rent_usd_per_accelerator_hour", &P::rent,
                price("rent of an accelerator elsewhere, everything included, to which buying is compared"))
      .optional("rents_usd_per_accelerator_hour", &P::rents,
                {.help = "the same by accelerator, where the single rent is not given; cloud nodes are billed by it",
                 .min = 0,
                 .catalog = "accelerators"});
}

struct GivenPrice {
  const char* key;
  bool given;
};

/// Checks that power and cooling are not paid twice: the price of a whole building includes them.
void check_covers(const PriceList& prices, const std::string& pointer, Contradictions& errors) {
  if (!prices.facility_per_power || (prices.covers(BillChapter::power) && prices.covers(BillChapter::cooling))) return;
  errors.report("E0352", "power and cooling are paid with the building and once more part by part",
                {pointer + "/building_covers", pointer + "/facility_usd_per_kw"},
                "add \"power\" and \"cooling\" to building_covers, or price the building by node or by rent");
}

void check_building(const PriceList& prices, const std::string& pointer, Contradictions& errors) {
  if (prices.grid && !prices.shell)
    errors.report("E0352", "grid_usd_per_kw is given without shell_usd_per_kw", {pointer + "/grid_usd_per_kw"},
                  "other prices of a building include its connection: give shell_usd_per_kw, or leave this one out");
  const GivenPrice all[] = {{"shell_usd_per_kw", prices.shell.has_value()},
                            {"facility_usd_per_kw", prices.facility_per_power.has_value()},
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
  errors.report("E0352", message, places,
                fmt::format("give one of {}, {}, {}, {}", all[0].key, all[1].key, all[2].key, all[3].key));
}

}  // namespace

namespace {

template <class M>
void take_end(Ranged<M>& price, PriceEnd end) {
  if (end == PriceEnd::low && price.low) price.value = *price.low;
  if (end == PriceEnd::high && price.high) price.value = *price.high;
}

template <class M>
void take_end(std::optional<Ranged<M>>& price, PriceEnd end) {
  if (price) take_end(*price, end);
}

template <class M>
void take_end(std::map<std::string, Ranged<M>>& prices, PriceEnd end) {
  for (auto& [part, price] : prices) take_end(price, end);
}

}  // namespace

PriceList PriceList::at_end(PriceEnd wanted) const {
  PriceList out = *this;
  out.end = wanted;
  const auto take = [&](auto&... prices) { (take_end(prices, wanted), ...); };
  take(out.parts, out.parts_per_m, out.node_over_accelerators, out.shell, out.grid, out.facility_per_power,
       out.facility_per_node, out.colocation, out.installation_share, out.electricity, out.carbon_g_per_kwh, out.water,
       out.maintenance_share, out.staff, out.staff_per_rack, out.rent, out.rents);
  return out;
}

const Ranged<DollarsPerSecond>* PriceList::rent_of(const std::string& accelerator) const {
  if (rent) return &*rent;
  const auto found = rents.find(accelerator);
  return found == rents.end() ? nullptr : &found->second;
}

bool PriceList::covers(BillChapter chapter) const {
  if (!building_covers) return !shell && (chapter == BillChapter::power || chapter == BillChapter::cooling);
  return std::find(building_covers->begin(), building_covers->end(), chapter) != building_covers->end();
}

const Record<PriceList>& record(const PriceList*) {
  static const auto table = [] {
    Record<PriceList> list("prices", "Prices of parts, building, energy and staff");
    list.optional(
            "like", &PriceList::like,
            {.help = "a file of configs/prices, or a path, that gives every field left out here; none: no such file"})
        .optional("name", &PriceList::name, {.help = "name for reports"})
        .optional("date", &PriceList::date, {.help = "date of the prices"})
        .optional("source", &PriceList::source, {.help = "origin of the whole list"});
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
  for (const auto& [part, price] : prices.parts_per_m)
    if (!catalog.find_cable(part))
      errors.report("E0203", fmt::format("a price of a metre for an unknown cable \"{}\"", part),
                    {pointer + "/parts_usd_per_m"}, did_you_mean(part, ids_of(catalog.cables)));
  errors.finish();
}

namespace {

constexpr const char* price_folder = "prices";
constexpr int longest_chain = 8;
constexpr std::array<std::string_view, 4> building_prices = {"shell_usd_per_kw", "facility_usd_per_kw",
                                                             "facility_usd_per_node", "colocation_usd_per_kw_month"};
/// Keys that say what the price of a building covers; they go with it.
constexpr std::array<std::string_view, 2> building_terms = {"grid_usd_per_kw", "building_covers"};

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
  JsonValue base = read_named_file(base_file(price_folder, "price list", name, prices),
                                   record(static_cast<const PriceList*>(nullptr)), like ? *like : prices, read);
  base = fill_in(std::move(base), read, depth + 1);
  if (prices_building(prices))
    std::erase_if(base.members(), [](const JsonValue::Member& member) {
      const auto named = [&](const auto& keys) {
        return std::find(keys.begin(), keys.end(), member.first) != keys.end();
      };
      return named(building_prices) || named(building_terms);
    });
  for (const char* by_part : {"parts_usd", "parts_usd_per_m"}) {
    JsonValue* own_parts = prices.find(by_part);
    const JsonValue* parts = base.find(by_part);
    if (own_parts && own_parts->is(JsonKind::object) && parts) add_missing(*own_parts, *parts);
  }
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
