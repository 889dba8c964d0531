// SPDX-License-Identifier: Apache-2.0
#include "tools/output/search_choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/lowering/step_charge.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/prediction_tables.hpp"

namespace clusterwright {

namespace {

/// Value of a field without what differs among layouts that share it: "full, 3 layers" counts as one value.
std::string shared_text(SearchedField field, const Layout& layout) {
  if (field == SearchedField::recompute && layout.recomputed_layers > 0) return "full, of some layers";
  if (field == SearchedField::sharding && layout.sharding == Sharding::hsdp) return "hsdp";
  return value_text(field, layout);
}

const FoundLayout* best_sharing(const SearchAnswer& answer, SearchedField field, const std::string& value) {
  for (const FoundLayout& found : answer.result.found)
    if (shared_text(field, found.candidate.layout) == value) return &found;
  return nullptr;
}

/// Cause of which a step has most more than another: "pipeline bubble +0.82 s".
std::string largest_growth(const StepSummary& step, const StepSummary& best) {
  std::size_t most = 0;
  Seconds growth;
  for (std::size_t i = 0; i < step_charge_count; ++i)
    if (step.breakdown[i] - best.breakdown[i] > growth) {
      growth = step.breakdown[i] - best.breakdown[i];
      most = i;
    }
  if (growth <= Seconds()) return "";
  return fmt::format("{} +{} s", people_name(static_cast<StepCharge>(most)), significant_text(growth.in(second)));
}

std::string why(const SearchAnswer& answer, const FieldValue& value, const FoundLayout* found) {
  if (value.fitting == 0 && value.beyond > 0) return fmt::format("fits only beyond what {} runs", answer.stack);
  if (value.fitting == 0)
    return fmt::format("memory: at least {} of {} GB", fixed_text(value.least_memory / 1e9, 1),
                       significant_text(answer.context.memory_capacity.in(gigabyte)));
  if (!found) return "its bound cannot win";
  if (found == &answer.result.found.front()) return "best";
  return largest_growth(found->step, answer.result.found.front().step);
}

/// Most values of one field that people see.
constexpr std::size_t most_values = 8;

}  // namespace

std::vector<SearchChoice> choices_of(const SearchAnswer& answer) {
  std::vector<SearchChoice> out;
  for (std::size_t i = 0; i < searched_field_count; ++i) {
    const auto field = static_cast<SearchedField>(i);
    std::vector<FieldValue> const& values = answer.result.values.of(field);
    if (values.size() < 2) continue;
    std::vector<const FieldValue*> sorted;
    for (const FieldValue& value : values) sorted.push_back(&value);
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->code < b->code; });
    for (const FieldValue* value : sorted) {
      const std::string text = shared_text(field, value->best.layout);
      const FoundLayout* found = best_sharing(answer, field, text);
      const double behind = found ? found->value / answer.result.found.front().value - 1 : 0;
      out.push_back({std::string(searched_field_names[i]), text, value, found, behind, why(answer, *value, found)});
    }
  }
  return out;
}

std::vector<SearchChoice> worth_a_line(const std::vector<SearchChoice>& all) {
  std::vector<SearchChoice> out;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].field == all[begin].field) ++end;
    std::vector<double> values;
    for (std::size_t i = begin; i < end; ++i)
      if (all[i].found) values.push_back(all[i].found->value);
    std::sort(values.begin(), values.end());
    const double worst = values.empty() ? 0 : values[std::min(values.size(), most_values) - 1];
    std::size_t without = 0;
    for (std::size_t i = begin; i < end; ++i) {
      const bool shown = all[i].found ? all[i].found->value <= worst : ++without <= most_values / 2;
      if (shown) out.push_back(all[i]);
    }
    begin = end;
  }
  return out;
}

}  // namespace clusterwright
