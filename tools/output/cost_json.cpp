// SPDX-License-Identifier: Apache-2.0
#include "tools/output/cost_json.hpp"

#include <optional>
#include <string>
#include <vector>

#include "tools/output/result_json.hpp"

namespace clusterwright {

namespace {

JsonValue or_null(const std::optional<double>& value) {
  return value ? JsonValue(*value) : JsonValue();
}

JsonValue shares_to_json(const std::vector<CostShare>& shares) {
  JsonValue object = JsonValue::object();
  for (const CostShare& share : shares) object.set(share.name, share.amount.in(dollar));
  return object;
}

JsonValue rent_to_json(const std::optional<RentOrBuy>& rent) {
  if (!rent) return {};
  return JsonValue::object({{"usd_per_gpu_hour", rent->rent_per_hour.in(dollar)},
                            {"break_even_utilisation", or_null(rent->break_even_utilisation)},
                            {"break_even_months", or_null(rent->break_even_months)},
                            {"buy", rent->buy}});
}

JsonValue hour_to_json(const CostPerHour& each) {
  return JsonValue::object({{"capital", each.capital.in(dollar)},
                            {"operations", each.operations.in(dollar)},
                            {"energy", each.energy.in(dollar)},
                            {"total", each.total().in(dollar)}});
}

JsonValue sums_to_json(const CostSums& sums) {
  return JsonValue::object({{"capex_usd", sums.capex_total.in(dollar)},
                            {"capex_usd_by_chapter", shares_to_json(sums.capex)},
                            {"opex_usd_per_year", sums.opex_total.in(dollar)},
                            {"usd_per_gpu_hour", hour_to_json(sums.per_hour)},
                            {"usd_per_million_tokens", or_null(sums.usd_per_million_tokens)}});
}

JsonValue terms_to_json(const CostReport& cost) {
  JsonValue list = JsonValue::list();
  for (const CostTerm& term : cost.terms)
    list.push_back(JsonValue::object({{"name", term.name}, {"value", term.value}, {"source", term.source}}));
  return list;
}

JsonValue carbon_to_json(const CostReport& cost) {
  if (!cost.carbon) return {};
  const auto tonnes = [](const std::optional<CarbonUse>& carbon) {
    return carbon ? JsonValue(carbon->tonnes_per_year) : JsonValue();
  };
  return JsonValue::object({{"g_per_kwh", cost.carbon->grams_per_kwh},
                            {"t_per_year", cost.carbon->tonnes_per_year},
                            {"t_per_year_low", tonnes(cost.low.carbon)},
                            {"t_per_year_high", tonnes(cost.high.carbon)},
                            {"kg_per_gpu_hour", cost.carbon->kg_per_accelerator_hour},
                            {"kg_per_million_tokens", or_null(cost.carbon->kg_per_million_tokens)}});
}

}  // namespace

JsonValue cost_to_json(const CostReport& cost) {
  JsonValue unpriced = JsonValue::list();
  for (const std::string& part : cost.unpriced) unpriced.push_back(part);
  const JsonValue per_hour = hour_to_json(cost.per_hour);
  return JsonValue::object({{"price_list", text_or_null(cost.price_list)},
                            {"date", text_or_null(cost.date)},
                            {"capex_usd", shares_to_json(cost.capex)},
                            {"opex_usd_per_year", shares_to_json(cost.opex)},
                            {"years", cost.years},
                            {"interest", cost.interest},
                            {"utilisation", cost.utilisation},
                            {"goodput", cost.goodput},
                            {"usd_per_gpu_hour", per_hour},
                            {"energy_share", cost.energy_share},
                            {"usd_per_million_tokens", or_null(cost.usd_per_million_tokens)},
                            {"carbon", carbon_to_json(cost)},
                            {"rent", rent_to_json(cost.rent)},
                            {"lower_bound", cost.lower_bound()},
                            {"rented", cost.rented},
                            {"low", sums_to_json(cost.low)},
                            {"high", sums_to_json(cost.high)},
                            {"share_without_range", cost.without_range},
                            {"assumptions", terms_to_json(cost)},
                            {"unpriced", unpriced}});
}

}  // namespace clusterwright
