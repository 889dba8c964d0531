// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace clusterwright {

template <class T>
class Record;  // field_table.hpp

/// Number with its origin and uncertainty.
template <class T>
struct Sourced {
  T value{};
  std::string source = "default";
  bool verified = false;  ///< a person has seen it in the source
  double std_error = 0;   ///< one standard deviation, in the unit of the key; 0 where unknown
  bool operator==(const Sourced&) const = default;
};

/// Number with the range in which it may lie, such as a price. `value` is the typical one.
template <class T>
struct Ranged : Sourced<T> {
  Ranged() = default;
  Ranged(Sourced<T> typical) : Sourced<T>(std::move(typical)) {}

  std::optional<T> low, high;  ///< absent: `value` is not known to vary; low <= value <= high
};

}  // namespace clusterwright
