// SPDX-License-Identifier: Apache-2.0
#include "models/comparison/price_sensitivity.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "models/site/sizing/part_price.hpp"

namespace clusterwright {

namespace {

constexpr double step_of_terms = 0.1;
constexpr double negligible = 5e-5;  // of the price

struct Term {
  const char* name;
  std::function<void(PriceList&, double factor)> scale;
};

template <class T>
void scale_range(Ranged<T>& price, double factor) {
  price.value *= factor;
  if (price.low) *price.low *= factor;
  if (price.high) *price.high *= factor;
}

template <class T>
void scale_range(std::optional<Ranged<T>>& price, double factor) {
  if (price) scale_range(*price, factor);
}

void scale_share(Sourced<double>& share, double factor) {
  share.value = std::min(1.0, share.value * factor);
}

const std::vector<Term>& terms() {
  static const std::vector<Term> list = {
      {"price of electricity", [](PriceList& p, double factor) { scale_range(p.electricity, factor); }},
      {"price of the building and the grid",
       [](PriceList& p, double factor) {
         scale_range(p.shell, factor), scale_range(p.grid, factor), scale_range(p.facility_per_power, factor);
         scale_range(p.facility_per_node, factor), scale_range(p.colocation, factor);
       }},
      {"maintenance", [](PriceList& p, double factor) { scale_range(p.maintenance_share, factor); }},
      {"staff",
       [](PriceList& p, double factor) { scale_range(p.staff, factor), scale_range(p.staff_per_rack, factor); }},
      {"interest", [](PriceList& p, double factor) { p.interest.value *= factor; }},
      {"years of use",
       [](PriceList& p, double factor) {
         if (p.years) p.years->value *= factor;
       }},
      {"utilisation", [](PriceList& p, double factor) { scale_share(p.utilisation, factor); }},
      {"goodput", [](PriceList& p, double factor) { scale_share(p.goodput, factor); }}};
  return list;
}

/// Chapters whose parts are bought together.
struct Basket {
  const char* name;
  std::vector<BillChapter> chapters;
};

const std::vector<Basket>& baskets() {
  static const std::vector<Basket> list = {
      {"price of nodes", {BillChapter::compute}},
      {"price of the network", {BillChapter::network, BillChapter::cables, BillChapter::transceivers}},
      {"price of storage", {BillChapter::storage}}};
  return list;
}

class PriceTrial {
 public:
  PriceTrial(const ComparedOption& option, const Catalog& catalog, const PriceList& prices)
      : option_(option), catalog_(catalog), prices_(prices), base_(price_with(prices)) {}

  double change(const Term& term, double factor) const {
    PriceList changed = prices_;
    term.scale(changed, factor);
    return price_with(changed) / base_ - 1;
  }

  double change(const Basket& basket, double factor) const {
    PriceList changed = prices_;
    for (const PricedItem& item : option_.sized->cost.items) {
      if (!item.each || item.item.part.empty() ||
          std::ranges::find(basket.chapters, item.item.chapter) == basket.chapters.end())
        continue;
      scale_part(changed, item.item.part, factor);
    }
    return price_with(changed) / base_ - 1;
  }

 private:
  void scale_part(PriceList& changed, const std::string& part, double factor) const {
    if (const auto each = price_of(part, catalog_, prices_).each)
      changed.parts[part] = Ranged<Dollars>(Sourced<Dollars>{*each * factor});
    // A price of its own would end that of the metres.
    const auto meters = price_of_cable(part, 1 * meter, catalog_, prices_).each;
    const auto each = price_of(part, catalog_, prices_).each;
    if (meters && each && *meters > *each)
      changed.parts_per_m[part] = Ranged<DollarsPerMeter>(Sourced<DollarsPerMeter>{(*meters - *each) * factor / meter});
  }

  double price_with(const PriceList& prices) const {
    const Facility unused;
    const SizingRequest request{option_.scenario->cluster, catalog_, unused, prices};
    return price_plan(request, option_.sized->plan, &*option_.sized->step).usd_per_million_tokens.value_or(0);
  }

  const ComparedOption& option_;
  const Catalog& catalog_;
  const PriceList& prices_;
  double base_;
};

}  // namespace

std::vector<PriceSensitivity> price_sensitivities(const ComparedOption& option, const Catalog& catalog,
                                                  const PriceList& prices) {
  const PriceTrial trial(option, catalog, prices);
  std::vector<PriceSensitivity> out;
  const auto add = [&](const auto& term) {
    const PriceSensitivity one{term.name, trial.change(term, 1 - step_of_terms), trial.change(term, 1 + step_of_terms)};
    if (std::max(std::abs(one.less), std::abs(one.more)) > negligible) out.push_back(one);
  };
  for (const Basket& basket : baskets()) add(basket);
  for (const Term& term : terms()) add(term);
  std::ranges::stable_sort(out, std::greater{}, [](const PriceSensitivity& s) { return std::abs(s.more - s.less); });
  return out;
}

}  // namespace clusterwright
