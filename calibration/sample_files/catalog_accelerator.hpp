/// Which part of the catalog a GPU is, by the name that its driver prints.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/quantity.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

/// A name as NVIDIA's driver prints it, without "NVIDIA ", and what the catalog calls that board. One name may stand in
/// several rows: the memory tells which it is.
struct DriverName {
  std::string_view name;
  std::string_view accelerator;
};
std::span<const DriverName> driver_names();

/// The catalog's id of a whole GPU.
///
/// Names are compared as a whole: "NVIDIA H200 NVL" is no H200, and a MIG slice is no part of the catalog.
/// @param driver_name  "NVIDIA H100 80GB HBM3", as nvidia-smi, NVML and CUDA print it; "NVIDIA " may be missing, as in
///                     old drivers
/// @param memory       as the driver reports it; zero: not known, the name alone decides
/// @return nothing for other names, and where the memory is not that of the part: less than 95 % or more than 110 % of
///         what the catalog says (a driver counts GiB where data sheets say GB)
std::optional<std::string> catalog_accelerator(std::string_view driver_name, Bytes memory, const Catalog& catalog);

/// Ids that share most words with the name, the nearest memory first, at most three; empty if none shares any.
std::vector<std::string> nearest_accelerators(std::string_view driver_name, Bytes memory, const Catalog& catalog);

}  // namespace clusterwright
