// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which GPU this is. No host name, user name or environment goes into the document.

#include <stdexcept>

#include "context.hpp"

namespace clusterwright::probes {

/// No usable GPU: the program ends with exit code 5, and the document says why.
struct NoDevice : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Selects the device and tries one kernel on it.
/// @throws NoDevice
/// @throws UsageError for an index that this node does not have
DeviceFacts open_device(int index);

std::string pci_bus_id(int index);

/// The "device" entry of the document.
JsonObject device_json(int index, const DeviceFacts& facts, const Nvml& nvml, const std::string& nvml_problem);

}  // namespace clusterwright::probes
