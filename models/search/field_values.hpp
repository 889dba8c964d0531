// SPDX-License-Identifier: Apache-2.0
/// What each value of each field of a layout does to a search: how many layouts have it, how many of them fit, and
/// which of those promises most.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "models/search/candidate_heap.hpp"

namespace clusterwright {

/// Fields whose values a search compares. Replicas follow from the others.
enum class SearchedField {
  tensor,
  pipeline,
  virtual_pipeline,
  context,
  expert,
  expert_tensor,
  micro_batch,
  recompute,
  sharding,
  offload,
  schedule,
  order
};
inline constexpr std::size_t searched_field_count = 12;
inline constexpr std::array<std::string_view, searched_field_count> searched_field_names = {
    "tensor",      "pipeline",  "virtual_pipeline", "context", "expert",   "expert_tensor",
    "micro_batch", "recompute", "sharding",         "offload", "schedule", "order"};

/// Value of a field as text: "8", "full, of 3 layers per stage", "optimizer, activations".
std::string value_text(SearchedField field, const Layout& layout);

/// Layouts with one value of one field.
struct FieldValue {
  int code = 0;  ///< the value; of choices a number of its own
  std::int64_t layouts = 0;
  std::int64_t fitting = 0;  ///< those that fit and that the stack can run
  std::int64_t beyond = 0;   ///< those that fit, but that the stack cannot run
  Candidate best;            ///< lowest bound of those that fit; else the layout that needs least memory
  double least_memory = std::numeric_limits<double>::infinity();  ///< bytes, of the fullest rank
};

/// What a search does with a layout.
enum class LayoutFate { fits, beyond_stack, short_of_memory };

class FieldValues {
 public:
  void add(const Candidate& candidate, LayoutFate fate, double memory);
  const std::vector<FieldValue>& of(SearchedField field) const { return values_[static_cast<std::size_t>(field)]; }

 private:
  FieldValue& at(std::size_t field, int code);

  std::array<std::vector<FieldValue>, searched_field_count> values_;
  std::array<std::size_t, searched_field_count> last_{};  // most layouts share values with the one before
};

}  // namespace clusterwright
