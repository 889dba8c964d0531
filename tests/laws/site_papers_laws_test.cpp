// SPDX-License-Identifier: Apache-2.0
// Positions of devices and both ends of every cable, over random sites.
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "models/site/plant/patch_list.hpp"
#include "models/site/plant/rack_elevations.hpp"
#include "models/site/plant/site_verdict.hpp"
#include "support/catch.hpp"
#include "support/random_sites.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {
bool is_spare(const BillItem& item) {
  return item.use == "spare" || item.use.starts_with("spare of ");
}
}  // namespace

TEST_CASE("the patch list has every cable of the bill once, on ports that exist once", "[laws][facility]") {
  site_law("cables, lengths and ports", [](const RandomSite& site) {
    const SitePlan plan = site.plan();
    std::vector<long long> cables(plan.cables.size()), links(plan.cables.size());
    std::map<std::pair<std::size_t, double>, long long> lengths, in_bins;
    std::set<std::tuple<DeviceId, PortGroup, std::string>> ports;
    for (const PatchCable& cable : patch_list(plan)) {
      const CableTotal& total = plan.cables[cable.total.value];
      ++cables[cable.total.value];
      links[cable.total.value] += static_cast<long long>(cable.lower.size());
      ++lengths[{cable.total.value, cable.bought.in(meter)}];
      RC_ASSERT(cable.lower.size() == cable.upper.size());
      RC_ASSERT(cable.routed <= cable.bought);
      const CablePart& part = *shipped_parts().find_cable(total.part);
      RC_ASSERT(static_cast<int>(cable.lower.size()) <= (total.lower_module.empty() ? part.links : 1));
      for (const auto* ends : {&cable.lower, &cable.upper})
        for (const PatchEnd& end : *ends) {
          const DeviceKind& kind = plan.device_kinds[plan.devices[end.device].kind];
          if (end.group == PortGroup::switch_port) RC_ASSERT(end.port >= 1 && end.port <= kind.ports);
          RC_ASSERT(ports.insert({end.device, end.group, port_name(plan, cable, end)}).second);
        }
    }
    for (std::size_t t = 0; t < plan.cables.size(); ++t) {
      RC_ASSERT(cables[t] == plan.cables[t].cables);
      RC_ASSERT(links[t] == (plan.cables[t].part.empty() ? 0 : plan.cables[t].links));
      for (const LengthBin& bin : plan.cables[t].lengths)
        if (bin.cables > 0) in_bins[{t, bin.length.in(meter)}] = bin.cables;
    }
    RC_ASSERT(lengths == in_bins);
  });
}

TEST_CASE("devices fill a rack from below without overlap, and cables end at their middle", "[laws][facility]") {
  site_law("positions", [](const RandomSite& site) {
    const SitePlan plan = site.plan();
    const auto racks = devices_of_racks(plan);
    for (std::size_t at = 0; at < racks.size(); ++at) {
      double used = 0;
      for (const DeviceId id : racks[RackId(at)]) {
        if (is_power_strip(plan, id)) continue;
        RC_ASSERT(std::abs(plan.devices[id].below_u - used) < site_rounding * 100);
        used += plan.device_kinds[plan.devices[id].kind].rack_units;
      }
      RC_ASSERT(used <= plan.floor.racks[RackId(at)].used_u + site_rounding * 100);
    }
    for (const CableRun& run : plan.runs)
      for (const Location& end : {run.from, run.to}) {
        RC_ASSERT(end.device.exists());
        const PlacedDevice& device = plan.devices[end.device];
        RC_ASSERT(device.rack == end.rack);
        if (is_power_strip(plan, end.device)) continue;
        const double middle = device.below_u + plan.device_kinds[device.kind].rack_units / 2;
        RC_ASSERT(std::abs(end.height.in(meter)-0.1 - middle * 0.04445) < 1e-9);  // above the plinth of 0.1 m
      }
  });
}

TEST_CASE("the stock of spares is the least that the service level allows", "[laws][facility]") {
  CHECK(poisson_stock(0, 0.95) == 0);
  CHECK(poisson_stock(0.05, 0.95) == 0);  // e^-0.05 = 0.9512
  CHECK(poisson_stock(1, 0.9) == 2);      // e^-1 (1 + 1 + 1/2) = 0.9197; with 1: 0.7358
  CHECK(poisson_stock(1000, 0.5) == 1000);
  CHECK(rc::check("monotone", [] {
    const double failures = random_sites::between(0, 4000) / 100.0, level = random_sites::between(1, 999) / 1000.0;
    const long long stock = poisson_stock(failures, level);
    RC_ASSERT(poisson_stock(failures + 0.5, level) >= stock);
    RC_ASSERT(poisson_stock(failures, std::min(0.9995, level + 0.01)) >= stock);
  }));
}

TEST_CASE("spares are lines of the bill of their own, and buy nothing else", "[laws][facility]") {
  site_law("more failures, more spares", [](RandomSite site) {
    const SitePlan without = site.plan();
    const std::string services = site.services.empty() ? "" : site.services + ", ";
    long long before = 0;
    for (const int weeks : {0, 4, 26}) {
      site.services = services + fmt::format(R"("spares": {{"lead_time_weeks": {}}})", weeks);
      BillOfMaterials bill = site.plan().bill;
      long long spares = 0;
      for (const BillItem& item : bill)
        if (is_spare(item)) spares += item.count;
      RC_ASSERT(spares >= before && (weeks > 0 || spares == 0));
      before = spares;
      std::erase_if(bill, is_spare);
      RC_ASSERT(bill.size() == without.bill.size());
    }
  });
}
