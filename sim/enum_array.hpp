// SPDX-License-Identifier: Apache-2.0
/// Array with one element for each value of an enumeration.
#pragma once

#include <array>
#include <cstddef>

#include "sim/enum_names.hpp"

namespace clusterwright {

/// Array whose index is an enumeration with names. An aggregate: EnumArray<Color, int>{{1, 2, 3}}.
template <class E, class T>
struct EnumArray {
  std::array<T, enum_count<E>> items{};

  constexpr T& operator[](E value) { return items[static_cast<std::size_t>(value)]; }
  constexpr const T& operator[](E value) const { return items[static_cast<std::size_t>(value)]; }

  static constexpr std::size_t size() { return enum_count<E>; }
  constexpr auto begin() { return items.begin(); }
  constexpr auto end() { return items.end(); }
  constexpr auto begin() const { return items.begin(); }
  constexpr auto end() const { return items.end(); }
  bool operator==(const EnumArray&) const = default;
};

}  // namespace clusterwright
