// SPDX-License-Identifier: Apache-2.0
#include "models/search/field_values.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace clusterwright {

namespace {

constexpr int partly_full = 3;  // behind the values of Recompute

int code_of(const Offload& offload) {
  return 16 * static_cast<int>(offload.weights) + 4 * static_cast<int>(offload.optimizer) +
         static_cast<int>(offload.activations);
}

std::array<int, searched_field_count> codes_of(const Layout& l) {
  return {l.tensor,
          l.pipeline,
          l.virtual_pipeline,
          l.context,
          l.expert,
          l.expert_tensor,
          l.micro_batch,
          l.recomputed_layers > 0 ? partly_full : static_cast<int>(l.recompute),
          static_cast<int>(l.sharding),
          code_of(l.offload),
          static_cast<int>(l.schedule),
          static_cast<int>(l.order)};
}

template <class E>
std::string_view name_of_choice(E value) {
  return EnumNames<E>::names[static_cast<std::size_t>(value)];
}

std::string offload_text(const Offload& offload) {
  std::string text;
  const auto add = [&](const char* what, MemoryLevel level) {
    if (level == MemoryLevel::device) return;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", what);
    if (level != MemoryLevel::host) text += fmt::format(" ({})", name_of_choice(level));
  };
  add("weights", offload.weights);
  add("optimizer", offload.optimizer);
  add("activations", offload.activations);
  return text.empty() ? "none" : text;
}

std::string recompute_text(const Layout& layout) {
  const std::string name(name_of_choice(layout.recompute));
  return layout.recomputed_layers > 0 ? fmt::format("{}, {} layers", name, layout.recomputed_layers) : name;
}

}  // namespace

std::string value_text(SearchedField field, const Layout& layout) {
  switch (field) {
    case SearchedField::recompute:
      return recompute_text(layout);
    case SearchedField::sharding:
      return layout.sharding == Sharding::hsdp ? fmt::format("hsdp of {}", layout.shard_group)
                                               : std::string(name_of_choice(layout.sharding));
    case SearchedField::offload:
      return offload_text(layout.offload);
    case SearchedField::schedule:
      return std::string(name_of_choice(layout.schedule));
    case SearchedField::order:
      return std::string(name_of_choice(layout.order));
    default:
      return std::to_string(codes_of(layout)[static_cast<std::size_t>(field)]);
  }
}

FieldValue& FieldValues::at(std::size_t field, int code) {
  std::vector<FieldValue>& values = values_[field];
  if (last_[field] < values.size() && values[last_[field]].code == code) return values[last_[field]];
  const auto found = std::find_if(values.begin(), values.end(), [&](const FieldValue& v) { return v.code == code; });
  last_[field] = static_cast<std::size_t>(found - values.begin());
  if (found == values.end()) values.push_back({code, 0, 0, 0, {}, std::numeric_limits<double>::infinity()});
  return values[last_[field]];
}

void FieldValues::add(const Candidate& candidate, LayoutFate fate, double memory) {
  const auto codes = codes_of(candidate.layout);
  for (std::size_t field = 0; field < searched_field_count; ++field) {
    FieldValue& value = at(field, codes[field]);
    ++value.layouts;
    const bool fits = fate == LayoutFate::fits;
    const bool better = fits ? value.fitting == 0 || candidate.bound < value.best.bound
                             : value.fitting == 0 && memory < value.least_memory;
    value.fitting += fits ? 1 : 0;
    value.beyond += fate == LayoutFate::beyond_stack ? 1 : 0;
    value.least_memory = std::min(value.least_memory, memory);
    if (better) value.best = candidate;
  }
}

}  // namespace clusterwright
