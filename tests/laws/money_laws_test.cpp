// SPDX-License-Identifier: Apache-2.0
#include <rapidcheck.h>

#include <cmath>

#include "models/site/sizing/cost_report.hpp"
#include "support/catch.hpp"
#include "support/prices.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

/// Between the two, both included.
double draw(double low, double high) {
  return low + (high - low) * *rc::gen::inRange(0, 1001) / 1000;
}

PriceList random_prices() {
  PriceList prices = plain_prices(draw(0, 0.3), draw(0.5, 10));
  prices.facility_per_node.reset();
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      prices.facility_per_node = Sourced<Dollars>{draw(0, 1e5) * dollar};
      break;
    case 1:
      prices.facility_per_power = Sourced<DollarsPerWatt>{draw(0, 2e4) * dollar / kilowatt};
      break;
    default:
      prices.colocation = Sourced<DollarsPerJoule>{draw(0, 300) * dollar / (kilowatt * month)};
  }
  prices.part_position.value = draw(0, 1);
  prices.installation_share.value = draw(0, 0.2);
  prices.maintenance_share.value = draw(0, 0.1);
  prices.water.value = draw(0, 5) * dollar / cubic_meter;
  prices.staff.value = draw(0, 1e6) * dollar / year;
  prices.staff_per_rack.value = draw(0, 1e4) * dollar / year;
  prices.idle_power_share.value = draw(0, 1);
  prices.interest.value = *rc::gen::element(0.0, 1e-6, 0.08, 0.3);
  prices.utilisation.value = draw(0.05, 1);
  return prices;
}

/// Something of every chapter that is bought.
BillOfMaterials random_bill() {
  BillOfMaterials bill;
  const auto add = [&](BillChapter chapter, const char* part) {
    BillItem item;
    item.chapter = chapter;
    item.part = part;
    item.count = *rc::gen::inRange(1, 1000);
    bill.push_back(item);
  };
  add(BillChapter::compute, "DGX H100");
  add(BillChapter::network, "QM9700/QM9790");
  add(BillChapter::cables, "MPO-12 APC OM4 fibre");
  add(BillChapter::transceivers, "2x400G SR8 twin-port (MMA4Z00-NS)");
  add(BillChapter::storage, "DDN AI400X2");
  add(BillChapter::racks, "48U 800x1200");
  add(BillChapter::power, "UPS 1.5 MVA, double conversion");
  return bill;
}

CostRequest random_request(const BillOfMaterials& bill, const PriceList& prices) {
  const int nodes = *rc::gen::inRange(1, 5000);
  const Watts it = draw(1, 1e4) * kilowatt;
  return {bill, parts(), prices, 8 * nodes, nodes, 1.3 * it, nodes / 4 + 1, it, 1.2 * it, draw(0, 2), {}};
}

Dollars sum(const std::vector<CostShare>& shares) {
  Dollars all;
  for (const CostShare& share : shares) all += share.amount;
  return all;
}

bool same_money(double a, double b) {
  return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)) + 1e-12;
}

bool same_money(Dollars a, Dollars b) {
  return same_money(a.in(dollar), b.in(dollar));
}

}  // namespace

TEST_CASE("chapters and lines add up to what is paid", "[laws][money]") {
  REQUIRE(rc::check("once, by the year, and by the hour", [] {
    const BillOfMaterials bill = random_bill();
    const PriceList prices = random_prices();
    const CostRequest request = random_request(bill, prices);
    const CostReport report = price_cluster(request);
    Dollars lines;
    for (const PricedItem& item : report.items) lines += item.total();
    RC_ASSERT(same_money(sum(report.capex), report.capex_total));
    RC_ASSERT(same_money(lines, report.capex_total));
    RC_ASSERT(same_money(sum(report.opex), report.opex_total));
    const Dollars yearly =
        report.capex_total * capital_recovery_factor(report.interest, report.years) + report.opex_total;
    const double hours = year.in(hour)*report.utilisation * request.accelerators;
    RC_ASSERT(same_money(report.per_hour.total() * hours, yearly));
  }));
}

TEST_CASE("more of anything is never cheaper", "[laws][money]") {
  REQUIRE(rc::check("one more part, a higher price, more power, less use", [] {
    BillOfMaterials bill = random_bill();
    PriceList prices = random_prices();
    CostRequest request = random_request(bill, prices);
    const Dollars before = price_cluster(request).per_hour.total();
    switch (*rc::gen::inRange(0, 7)) {
      case 0:
        ++bill[*rc::gen::inRange<std::size_t>(0, bill.size())].count;
        break;
      case 1:
        prices.electricity->value += 0.01 * dollar / kilowatt_hour;
        break;
      case 2:
        prices.interest.value += 0.01;
        break;
      case 3:
        prices.utilisation.value *= 0.9;
        break;
      case 4:
        request.mean_facility *= 1.1;
        break;
      case 5:
        ++request.racks;
        request.rated_it *= 1.1;
        break;
      default:
        prices.part_position.value = 1;
    }
    RC_ASSERT(price_cluster(request).per_hour.total().in(dollar) >= before.in(dollar) * (1 - 1e-12));
  }));
}

TEST_CASE("at the break-even utilisation an hour costs its rent", "[laws][money]") {
  REQUIRE(rc::check("and above it buying is cheaper, within its life", [] {
    const BillOfMaterials bill = random_bill();
    PriceList prices = random_prices();
    prices.rent = Sourced<DollarsPerSecond>{draw(0.02, 20) * dollar / hour};
    const CostRequest request = random_request(bill, prices);
    const CostReport report = price_cluster(request);
    const RentOrBuy& rent = *report.rent;
    RC_ASSERT(rent.buy == (rent.break_even_utilisation && report.utilisation >= *rent.break_even_utilisation));
    RC_ASSERT(rent.buy == (rent.break_even_months && *rent.break_even_months <= 12 * report.years * (1 + 1e-9)));
    if (!rent.break_even_utilisation) return;
    prices.utilisation.value = *rent.break_even_utilisation;
    RC_ASSERT(same_money(price_cluster(request).per_hour.total(), rent.rent_per_hour));
  }));
}
