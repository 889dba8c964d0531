// SPDX-License-Identifier: Apache-2.0
#include "models/site/sizing/cost_terms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/plain_number.hpp"

namespace clusterwright {

namespace {

std::string percent(double share) {
  return plain_number(100 * share) + " %";
}

/// "4,100", "0.055"
std::string grouped(double number) {
  std::string text = plain_number(number, 4);
  const std::size_t whole = std::min(text.find('.'), text.size());
  for (std::size_t at = whole; at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

/// "$0.08", "$0.08 (0.055 to 0.13)"
template <class Price>
std::string dollars_per(const Ranged<Price>& price, Price unit) {
  std::string text = "$" + grouped(price.value / unit);
  if (price.low || price.high)
    text += fmt::format(" ({} to {})", grouped(price.low.value_or(price.value) / unit),
                        grouped(price.high.value_or(price.value) / unit));
  return text;
}

class TermList {
 public:
  explicit TermList(const CostRequest& request) : request_(request), prices_(request.prices) {}

  std::vector<CostTerm> collect() {
    add("prices", prices_.name + (prices_.date.text().empty() ? "" : ", " + prices_.date.text()), prices_.source);
    if (request_.rented) {
      add("use", percent(prices_.utilisation.value) + " of all hours are rented", prices_.utilisation.source);
      add_rent();
      return std::move(terms_);
    }
    add_life();
    add_building();
    add_energy();
    add_people();
    add_rent();
    return std::move(terms_);
  }

 private:
  void add(std::string name, std::string value, std::string source) {
    terms_.push_back({std::move(name), std::move(value), std::move(source)});
  }

  void add_life() {
    std::string life = fmt::format("{} years at {} interest, no value after", plain_number(prices_.years->value),
                                   percent(prices_.interest.value));
    if (prices_.building_years)
      life += fmt::format("; building, power and cooling {} years", plain_number(prices_.building_years->value));
    add("life", life, prices_.years->source);
    add("use",
        fmt::format("{} of all hours, {} of them make progress", percent(prices_.utilisation.value),
                    percent(prices_.goodput.value)),
        prices_.utilisation.source);
  }

  void add_building() {
    const DollarsPerWatt per_kw = dollar / kilowatt;
    const char* covers = prices_.covers(BillChapter::power) ? ", power and cooling included" : "";
    if (prices_.shell)
      add("building", fmt::format("shell {} per kW of machines{}", dollars_per(*prices_.shell, per_kw), covers),
          prices_.shell->source);
    if (prices_.grid)
      add("grid",
          fmt::format("connection, switchgear and generators {} per kW of the design day",
                      dollars_per(*prices_.grid, per_kw)),
          prices_.grid->source);
    if (prices_.facility_per_power)
      add("building", fmt::format("{} per kW of machines{}", dollars_per(*prices_.facility_per_power, per_kw), covers),
          prices_.facility_per_power->source);
    if (prices_.facility_per_node)
      add("building", fmt::format("{} per node{}", dollars_per(*prices_.facility_per_node, dollar), covers),
          prices_.facility_per_node->source);
    if (prices_.colocation)
      add("space",
          fmt::format("rent of {} per kW and month{}",
                      dollars_per(*prices_.colocation, DollarsPerJoule(dollar / (kilowatt * month))), covers),
          prices_.colocation->source);
    if (prices_.installation_share.value > 0)
      add("installation", percent(prices_.installation_share.value) + " of the price of all parts",
          prices_.installation_share.source);
  }

  void add_energy() {
    add("electricity", dollars_per(*prices_.electricity, DollarsPerJoule(dollar / kilowatt_hour)) + " per kWh",
        prices_.electricity->source);
    const double pue = request_.mean_it > Watts{} ? request_.mean_facility / request_.mean_it : 0;
    add("PUE",
        fmt::format("{:.3f}, mean of a year; idle hours draw {} of the power", pue,
                    percent(prices_.idle_power_share.value)),
        prices_.idle_power_share.source);
    add_carbon();
    if (request_.wue_l_per_kwh > 0)
      add("water", dollars_per(prices_.water, DollarsPerVolume(dollar / cubic_meter)) + " per m3",
          prices_.water.source);
  }

  void add_carbon() {
    const Ranged<double>& grams = prices_.carbon_g_per_kwh;
    if (grams.value <= 0) return;
    std::string range;
    if (grams.low && grams.high) range = fmt::format(" ({:g} to {:g})", *grams.low, *grams.high);
    add("carbon",
        fmt::format("{:g} g CO2e{} per kWh of electricity; making and building are not counted", grams.value, range),
        grams.source);
  }

  void add_people() {
    add("maintenance", percent(prices_.maintenance_share.value) + " of the price of all parts a year",
        prices_.maintenance_share.source);
    add("staff",
        fmt::format("{} a year and {} for each rack", dollars_per(prices_.staff, DollarsPerSecond(dollar / year)),
                    dollars_per(prices_.staff_per_rack, DollarsPerSecond(dollar / year))),
        prices_.staff.source);
  }

  void add_rent() {
    if (const auto* rent = prices_.rent_of(request_.accelerator))
      add("rent", dollars_per(*rent, DollarsPerSecond(dollar / hour)) + " per accelerator and hour", rent->source);
  }

  const CostRequest& request_;
  const PriceList& prices_;
  std::vector<CostTerm> terms_;
};

}  // namespace

std::vector<CostTerm> cost_terms(const CostRequest& request) {
  return TermList(request).collect();
}

}  // namespace clusterwright
