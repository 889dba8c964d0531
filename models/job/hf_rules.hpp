// SPDX-License-Identifier: Apache-2.0
/// The words in which the tables of families are written, and the families that others vary.
#pragma once

#include <vector>

#include "models/job/hf_families.hpp"

namespace clusterwright::hf {

constexpr HfNumber need(std::string_view keys) {
  return {keys, HfNumber::required};
}

constexpr HfNumber maybe(std::string_view keys) {
  return {keys, HfNumber::absent};
}

constexpr HfNumber usually(std::string_view keys, std::int64_t fallback) {
  return {keys, fallback};
}

constexpr HfNumber always(std::int64_t value) {
  return {"", value};
}

inline constexpr HfFlag on = {.fallback = true};

HfFamily llama();
HfFamily mistral();
HfFamily qwen2();
HfFamily qwen3();

}  // namespace clusterwright::hf
