/// What has to be bought.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/quantity.hpp"

namespace clusterwright {

/// Chapters of a purchasing list. building and installation hold what no part of the catalog stands for.
enum class BillChapter {
  compute,
  network,
  cables,
  transceivers,
  services,
  storage,
  racks,
  power,
  cooling,
  building,
  installation
};
inline constexpr std::array<std::string_view, 11> bill_chapter_names = {
    "compute", "network", "cables",  "transceivers", "services",    "storage",
    "racks",   "power",   "cooling", "building",     "installation"};

/// One line of the list. Equal parts for different uses are different lines.
struct BillItem {
  BillChapter chapter = BillChapter::compute;
  std::string part;  ///< id in the catalog
  std::string use;   ///< "compute fabric, leaf"; "spare"
  long long count = 0;
  std::optional<Meters> length;  ///< of a cable
  Watts rated_each;              ///< zero for what draws nothing of its own
  Kilograms mass_each;           ///< zero where not known
};

using BillOfMaterials = std::vector<BillItem>;

}  // namespace clusterwright
