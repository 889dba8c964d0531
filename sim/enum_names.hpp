// SPDX-License-Identifier: Apache-2.0
/// Names of the values of an enumeration, and how many there are.
#pragma once

#include <cstddef>
#include <string_view>

namespace clusterwright {

/// Names of an enumeration's values in order, given by a specialisation beside the enumeration:
///   template <> struct EnumNames<RailLayout> { static constexpr auto names = rail_layout_names; };
template <class E>
struct EnumNames {};

/// Number of values of an enumeration that has names.
template <class E>
inline constexpr std::size_t enum_count = EnumNames<E>::names.size();

/// Name of one value, as files and messages write it.
template <class E>
constexpr std::string_view enum_name(E value) {
  return EnumNames<E>::names[static_cast<std::size_t>(value)];
}

}  // namespace clusterwright
