// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/nccl_generation.hpp"

namespace clusterwright {

NcclGeneration nccl_generation(const AcceleratorPart& part) {
  const std::string& name = part.architecture;
  if (name.starts_with("Volta")) return NcclGeneration::volta;
  if (name.starts_with("Hopper")) return NcclGeneration::hopper;
  if (name.starts_with("Blackwell")) return NcclGeneration::blackwell;
  return NcclGeneration::ampere;
}

bool reduces_in_switch(const AcceleratorPart& part) {
  return nccl_generation(part) >= NcclGeneration::hopper && part.scale_up_kind.starts_with("NVLink") &&
         !part.scale_up_kind.ends_with("bridge");
}

}  // namespace clusterwright
