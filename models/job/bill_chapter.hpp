// SPDX-License-Identifier: Apache-2.0
/// Chapters of a purchasing list.
#pragma once

#include <array>
#include <string_view>

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

}  // namespace clusterwright
