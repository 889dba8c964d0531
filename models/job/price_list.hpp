// SPDX-License-Identifier: Apache-2.0
/// Price list as users write it: parts, building, energy, people, interest; and lists that extend others.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/job/scenario_source.hpp"
#include "sim/calendar_date.hpp"
#include "sim/json_value.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Chapters of a purchasing list. building and installation have no parts in the catalog.
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
using DollarsPerMeter = decltype(dollar / meter);
using DollarsPerVolume = decltype(dollar / cubic_meter);

/// End of the range of every price.
enum class PriceEnd { low, typical, high };

/// Fields that a file leaves out come from the list in configs/prices that `like` names: see filled_in_prices.
///
/// Prices are ranges; terms (life, interest, use, goodput) are single numbers.
struct PriceList {
  std::string like = "default";  ///< "none": nothing is taken from another list
  std::string name;
  CalendarDate date;   ///< date of the prices
  std::string source;  ///< source of the list as a whole, for readers

  std::map<std::string, Ranged<Dollars>> parts;                ///< price of one part by id; replaces the catalog's
  std::map<std::string, Ranged<DollarsPerMeter>> parts_per_m;  ///< price of each metre of a cable, by part; beside
                                                               ///< `parts`; replaces the catalog's
  Sourced<double> part_position{0.5};  ///< typical position in the catalog's price range: 0 low, 1 high
  /// Price of a node without a price of its own over that of its accelerators.
  Ranged<double> node_over_accelerators{Sourced<double>{1}};

  // Price of the building: exactly one of shell, all-in by power, all-in by node, rent.
  std::optional<Ranged<DollarsPerWatt>> shell;  ///< land, building, fit-out: per rated power of all machines
  std::optional<Ranged<DollarsPerWatt>> grid;   ///< with a shell: connection, switchgear, generators; per power asked
                                                ///< of the utility
  std::optional<Ranged<DollarsPerWatt>> facility_per_power;  ///< all-in, per rated power of all machines
  std::optional<Ranged<Dollars>> facility_per_node;          ///< all-in
  std::optional<Ranged<DollarsPerJoule>> colocation;         ///< rent of space, per rated power of the machines
  /// Chapters that the building's price includes; power and cooling if absent, none with a shell.
  std::optional<std::vector<BillChapter>> building_covers;

  Ranged<double> installation_share;  ///< installation over the price of all parts
  std::optional<Ranged<DollarsPerJoule>> electricity;
  Ranged<double> carbon_g_per_kwh;  ///< carbon dioxide, and equivalents, emitted for the electricity; 0: not stated
  Ranged<DollarsPerVolume> water;
  Sourced<double> idle_power_share{1};  ///< power in hours without work over mean power in hours with it
  Ranged<double> maintenance_share;     ///< per year, over the price of all parts
  Ranged<DollarsPerSecond> staff;
  Ranged<DollarsPerSecond> staff_per_rack;

  Sourced<double> interest;                               ///< rate per year
  std::optional<Sourced<double>> years;                   ///< useful life of machines
  std::optional<Sourced<double>> building_years;          ///< useful life of building, power chain and cooling; that of
                                                          ///< machines if absent
  Sourced<double> utilisation{1};                         ///< share of all hours in which the cluster is in use
  Sourced<double> goodput{1};                             ///< share of those hours in which the job makes progress
  std::optional<Ranged<DollarsPerSecond>> rent;           ///< rent of one accelerator elsewhere
  std::map<std::string, Ranged<DollarsPerSecond>> rents;  ///< the same by accelerator, where `rent` is absent

  PriceEnd end = PriceEnd::typical;  ///< end that every price of this list is taken at; see at_end

  bool covers(BillChapter chapter) const;
  /// Rent of an accelerator; nullptr where none is stated.
  const Ranged<DollarsPerSecond>* rent_of(const std::string& accelerator) const;
  /// List in which the value of every price is that end of its range.
  PriceList at_end(PriceEnd wanted) const;
};
const Record<PriceList>& record(const PriceList*);

/// Checks rules that span several fields.
///
/// @param document  document of the list, or one that holds the list at `pointer`
/// @throws ConfigError E0104 without life or price of electricity, E0203 for a price of a part that the catalog lacks,
///         E0352 unless exactly one price of the building is given
void check_price_list(const PriceList& prices, const Catalog& catalog, const JsonValue& document,
                      const std::string& pointer = "");

/// List with the missing fields filled in from the list in configs/prices that "like" names ("default" if absent).
/// Prices of parts are filled in one by one, the price of the building only if the list gives none. Values keep the
/// places where they were written. A document that is no object does not change.
/// @throws ConfigError E0203 for a name that configs/prices lacks, E0501 for lists that refer to each other in a circle
JsonValue filled_in_prices(JsonValue prices, const ReferenceReader& read);

/// Prices of a scenario in the form of `Scenario::source`; configs/prices/default.json if it names none.
/// @throws ConfigError with every error found
PriceList load_prices(const JsonValue& scenario, const Catalog& catalog, std::vector<InputFile>& inputs);

}  // namespace clusterwright
