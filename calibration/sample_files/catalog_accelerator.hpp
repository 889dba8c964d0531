// SPDX-License-Identifier: Apache-2.0
/// Part of the catalog that a GPU is, by the name that its driver prints.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/quantity.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// Name as NVIDIA's driver prints it, without "NVIDIA ", and the catalog's name of that board. One name may stand in
/// several rows: the memory decides.
struct DriverName {
  std::string_view name;
  std::string_view accelerator;
};
std::span<const DriverName> driver_names();

/// Id in the catalog of a whole GPU.
///
/// Names are compared as a whole: "NVIDIA H200 NVL" is no H200, and a MIG slice is no part of the catalog.
/// @param driver_name  "NVIDIA H100 80GB HBM3", as nvidia-smi, NVML and CUDA print it; old drivers print no "NVIDIA "
/// @param memory  as the driver reports it; zero: not known, the name alone decides
/// @return nothing for other names, and where the memory is less than 95 % or more than 110 % of the catalog's (a
///         driver counts GiB where data sheets say GB)
std::optional<std::string> catalog_accelerator(std::string_view driver_name, Bytes memory, const Catalog& catalog);

/// Ids that share most words with the name, nearest memory first, at most three; empty if none shares a word.
std::vector<std::string> nearest_accelerators(std::string_view driver_name, Bytes memory, const Catalog& catalog);

}  // namespace clusterwright
