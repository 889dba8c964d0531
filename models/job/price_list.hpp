// SPDX-License-Identifier: Apache-2.0
/// What things cost, as users write it: parts, building, energy, people, money itself.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/job/scenario_source.hpp"
#include "sim/json_value.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Chapters of a purchasing list. building and installation hold what no part of the catalog stands for.
enum class BillChapter {
  compute,
  network,
  cables,
  transceivers,
  services,
  storage,
  racks,
  power,
  cooling,
  building,
  installation
};
inline constexpr std::array<std::string_view, 11> bill_chapter_names = {
    "compute", "network", "cables",  "transceivers", "services",    "storage",
    "racks",   "power",   "cooling", "building",     "installation"};

using DollarsPerSecond = decltype(dollar / second);
using DollarsPerWatt = decltype(dollar / watt);
using DollarsPerJoule = decltype(dollar / joule);

inline constexpr Seconds year = 365.25 * day;
inline constexpr Seconds month = year / 12;
inline constexpr auto cubic_meter = meter * meter * meter;
using DollarsPerVolume = decltype(dollar / cubic_meter);

/// Where a file leaves a field out, the one in configs/prices that `like` names says it: see filled_in_prices.
struct PriceList {
  std::string like = "default";  ///< "none": nothing is taken from another list
  std::string name;
  std::string date;    ///< of the prices: "2024-08"
  std::string source;  ///< of the list as a whole, for people

  std::map<std::string, Sourced<Dollars>> parts;  ///< one each, by id; in place of the catalog's
  Sourced<double> part_position{0.5};             ///< in the catalog's price range: 0 low, 1 high
  /// A node without a price of its own costs its accelerators times this.
  Sourced<double> node_over_accelerators{1};

  // One of three.
  std::optional<Sourced<DollarsPerWatt>> facility_per_power;  ///< of what all machines are rated at
  std::optional<Sourced<Dollars>> facility_per_node;
  std::optional<Sourced<DollarsPerJoule>> colocation;  ///< rent of space, for the rated power of the machines
  std::vector<BillChapter> building_covers = {BillChapter::power, BillChapter::cooling};  ///< paid with the building

  Sourced<double> installation_share;  ///< of the price of all parts
  std::optional<Sourced<DollarsPerJoule>> electricity;
  Sourced<DollarsPerVolume> water;
  Sourced<double> idle_power_share{1};  ///< power in hours without work over mean power in hours with it
  Sourced<double> maintenance_share;    ///< a year, of the price of all parts
  Sourced<DollarsPerSecond> staff;
  Sourced<DollarsPerSecond> staff_per_rack;

  Sourced<double> interest;                       ///< a year
  std::optional<Sourced<double>> years;           ///< that machines are used
  std::optional<Sourced<double>> building_years;  ///< that the building is; as long as machines if absent
  Sourced<double> utilisation{1};                 ///< share of all hours in which the cluster is in use
  Sourced<double> goodput{1};                     ///< share of those that makes progress
  std::optional<Sourced<DollarsPerSecond>> rent;  ///< of an accelerator elsewhere

  bool covers(BillChapter chapter) const;
};
const Record<PriceList>& record(const PriceList*);

/// What single fields cannot say.
///
/// @param document  that the list was decoded from, or that it is a part of, at `pointer`
/// @throws ConfigError E0104 without life or price of electricity, E0203 for a price of a part that the catalog lacks,
///         E0352 unless exactly one price of the building is given
void check_price_list(const PriceList& prices, const Catalog& catalog, const JsonValue& document,
                      const std::string& pointer = "");

/// The list with everything that the one in configs/prices named by "like" ("default" if absent) says beyond it: prices
/// of parts one by one, the price of the building only where the list gives none of its own. Values keep the places
/// where they were written. What is no object stays as it is.
/// @throws ConfigError E0203 for a name that configs/prices has not, E0501 for lists that go round in circles
JsonValue filled_in_prices(JsonValue prices, const ReferenceReader& read);

/// The prices of a scenario, as `Scenario::source` holds it; configs/prices/default.json where it names none.
/// @throws ConfigError with every error found
PriceList load_prices(const JsonValue& scenario, const Catalog& catalog, std::vector<InputFile>& inputs);

}  // namespace clusterwright
