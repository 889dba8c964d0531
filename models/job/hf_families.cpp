// SPDX-License-Identifier: Apache-2.0
#include "models/job/hf_families.hpp"

#include <algorithm>

#include "models/job/hf_classic_families.hpp"
#include "models/job/hf_gated_families.hpp"
#include "models/job/hf_mixture_families.hpp"
#include "models/job/hf_rules.hpp"

namespace clusterwright {

std::span<const HfFamily> hf_families() {
  static const std::vector<HfFamily> families = [] {
    std::vector<HfFamily> all;
    for (const auto& some : {hf::gated_families(), hf::mixture_families(), hf::classic_families()})
      all.insert(all.end(), some.begin(), some.end());
    return all;
  }();
  return families;
}

std::vector<std::string> hf_family_names() {
  std::vector<std::string> names;
  for (const HfFamily& family : hf_families()) names.emplace_back(family.model_type);
  return names;
}

const HfFamily* find_hf_family(std::string_view model_type) {
  const auto families = hf_families();
  const auto at = std::find_if(families.begin(), families.end(),
                               [&](const HfFamily& family) { return family.model_type == model_type; });
  return at == families.end() ? nullptr : &*at;
}

}  // namespace clusterwright
