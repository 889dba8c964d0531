#pragma once

#include <array>
#include <string_view>

#include "sim/quantity.hpp"

namespace clusterwright {

/// Formats that matrix units multiply in.
enum class NumberFormat { fp32, tf32, bf16, fp16, fp8, int8, fp4 };

inline constexpr std::array<std::string_view, 7> number_format_names = {"fp32", "tf32", "bf16", "fp16",
                                                                        "fp8",  "int8", "fp4"};

/// Storage of one element.
constexpr Bytes size_of(NumberFormat format) {
  constexpr std::array<double, 7> bytes = {4, 4, 2, 2, 1, 1, 0.5};
  return bytes[static_cast<std::size_t>(format)] * byte;
}

}  // namespace clusterwright
