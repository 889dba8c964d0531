// SPDX-License-Identifier: Apache-2.0
#include "models/lowering/level_copies.hpp"

namespace clusterwright {

OpId LevelCopies::op(bool out, ChainId chain, OpId after, StepCharge charge) {
  const RendezvousId meeting = meetings_.join(ops_.rank_class(), ops_.rank_class(), chain);
  return ops_.communicate(out ? out_ : in_, kernel_, charge, meeting, after, -1);
}

OpId LevelCopies::copy(MemoryLevel level, bool out, Bytes payload, OpId after, StepCharge charge) {
  return op(out, links_.copy(level, out, payload, ops_.rank_class()), after, charge);
}

OpId LevelCopies::update(MemoryLevel level, Bytes traffic, OpId after) {
  return op(true, links_.update(level, traffic, ops_.rank_class()), after, StepCharge::optimizer);
}

OpId LevelCopies::host_to_drives(Bytes payload, OpId after) {
  return op(true, links_.host_to_drives(payload, ops_.rank_class()), after, StepCharge::optimizer);
}

}  // namespace clusterwright
