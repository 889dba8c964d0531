// SPDX-License-Identifier: Apache-2.0
/// Number formats of matrix units and of what is stored.
#pragma once

#include <array>
#include <string_view>

#include "sim/enum_array.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Number formats of matrix units.
enum class NumberFormat { fp32, tf32, bf16, fp16, fp8, int8, fp4 };

inline constexpr std::array<std::string_view, 7> number_format_names = {"fp32", "tf32", "bf16", "fp16",
                                                                        "fp8",  "int8", "fp4"};
template <>
struct EnumNames<NumberFormat> {
  static constexpr auto names = number_format_names;
};

/// Bytes of one element in memory.
constexpr Bytes size_of(NumberFormat format) {
  constexpr EnumArray<NumberFormat, double> bytes = {{4, 4, 2, 2, 1, 1, 0.5}};
  return bytes[format] * byte;
}

}  // namespace clusterwright
