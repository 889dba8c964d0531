// SPDX-License-Identifier: Apache-2.0
/// Names of the values of an enumeration, and arrays with one element for each value.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace clusterwright {

/// Names of an enumeration's values in order, given by a specialisation beside the enumeration:
///   template <> struct EnumNames<RailLayout> { static constexpr auto names = rail_layout_names; };
/// `other_names` may stand beside `names`, a range of OtherName.
template <class E>
struct EnumNames {};

/// Word of the field for a value that has another name here. Files may not write it; the error that refuses it helps.
struct OtherName {
  std::string_view word;
  std::string_view help;  ///< sentence that names the value
};

/// Number of values of an enumeration that has names.
template <class E>
inline constexpr std::size_t enum_count = EnumNames<E>::names.size();

/// Name of one value, as files and messages write it.
template <class E>
constexpr std::string_view enum_name(E value) {
  return EnumNames<E>::names[static_cast<std::size_t>(value)];
}

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
