// SPDX-License-Identifier: Apache-2.0
#include "calibration/sample_files/catalog_accelerator.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>

namespace clusterwright {

namespace {

// Names in listings of nvidia-smi. Boards outside the catalog are absent on purpose: A800, H800 PCIe, H200 NVL, H20-3e,
// A100-SXM-64GB and others look like one of these and are not.
constexpr DriverName names[] = {
    {"A100-SXM4-40GB", "A100-40-SXM"},
    {"A100-SXM4-80GB", "A100-80-SXM"},
    {"A100-PCIE-40GB", "A100-40-PCIe"},
    {"A100 80GB PCIe", "A100-80-PCIe"},
    {"H100 80GB HBM3", "H100-SXM"},
    {"H100 PCIe", "H100-PCIe"},
    {"H100 NVL", "H100-NVL-94GB"},
    {"H200", "H200"},
    {"H800", "H800"},
    {"H20", "H20"},
    {"GH200 120GB", "GH200-96GB"},  // the number is the processor's memory
    {"GH200 480GB", "GH200-96GB"},
    {"GH200 144G HBM3e", "GH200-144GB"},
    {"B200", "B200"},
    {"GB200", "GB200-GPU"},
    {"B300 SXM6 AC", "B300-HGX"},
    {"GB300", "GB300-GPU"},  // a workstation's GPU of this name has less memory
    {"L40S", "L40S"},
    {"GeForce RTX 3090", "RTX-3090"},
    {"GeForce RTX 4090", "RTX-4090"},
};

constexpr double least_memory = 0.95, most_memory = 1.10;
constexpr std::size_t most_suggestions = 3;

/// Words of a name in capitals, separated by spaces and dashes.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (const char c : name) {
    if (c == ' ' || c == '-')
      words.emplace_back();
    else
      words.back() += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  const auto no_model = [](const std::string& word) { return word.empty() || word == "NVIDIA" || word == "TESLA"; };
  words.erase(std::remove_if(words.begin(), words.end(), no_model), words.end());
  return words;
}

/// Ratio to the part's memory; 1 where one of the two is not known.
double memory_ratio(Bytes memory, const AcceleratorPart& part) {
  const Bytes stated = memory_capacity(part);
  return memory > Bytes{} && stated > Bytes{} ? memory / stated : 1;
}

struct Suggestion {
  std::size_t shared;  ///< number of shared words
  double distance;     ///< distance of the memories, log of their ratio
  std::string id;
};

/// Adds a suggestion, or improves that of the same part.
void add_suggestion(std::vector<Suggestion>& list, const Suggestion& one) {
  const auto same = std::find_if(list.begin(), list.end(), [&](const Suggestion& other) { return other.id == one.id; });
  if (same == list.end())
    list.push_back(one);
  else
    same->shared = std::max(same->shared, one.shared);
}

}  // namespace

std::span<const DriverName> driver_names() {
  return names;
}

std::optional<std::string> catalog_accelerator(std::string_view driver_name, Bytes memory, const Catalog& catalog) {
  const std::vector<std::string> wanted = words_of(driver_name);
  for (const DriverName& row : names) {
    if (words_of(row.name) != wanted) continue;
    const AcceleratorPart* part = catalog.find_accelerator(std::string(row.accelerator));
    if (!part) continue;
    const double ratio = memory_ratio(memory, *part);
    if (ratio >= least_memory && ratio <= most_memory) return part->id;
  }
  return std::nullopt;
}

std::vector<std::string> nearest_accelerators(std::string_view driver_name, Bytes memory, const Catalog& catalog) {
  const std::vector<std::string> words = words_of(driver_name);
  const std::set<std::string> wanted(words.begin(), words.end());
  std::vector<Suggestion> list;
  for (const DriverName& row : names) {
    const std::vector<std::string> have = words_of(row.name);
    const auto shared =
        std::count_if(have.begin(), have.end(), [&](const std::string& word) { return wanted.count(word) > 0; });
    const AcceleratorPart* part = catalog.find_accelerator(std::string(row.accelerator));
    if (!part || shared == 0) continue;
    add_suggestion(list, {static_cast<std::size_t>(shared), std::abs(std::log(memory_ratio(memory, *part))), part->id});
  }
  std::stable_sort(list.begin(), list.end(), [](const Suggestion& a, const Suggestion& b) {
    return std::pair(b.shared, a.distance) < std::pair(a.shared, b.distance);
  });
  std::vector<std::string> ids;
  for (const Suggestion& one : list)
    if (one.shared == list.front().shared && ids.size() < most_suggestions) ids.push_back(one.id);
  return ids;
}

}  // namespace clusterwright
