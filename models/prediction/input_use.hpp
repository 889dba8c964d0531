/// What a prediction says about data that is read and states that are written.
#pragma once

#include <string>

#include "sim/quantity.hpp"

namespace clusterwright {

/// The least time in which every reader supplies a micro-batch, and what sets it.
struct InputSupply {
  Seconds micro_batch;     ///< zero if nothing is a limit
  std::string limited_by;  ///< "preparation", "host storage", "file system"; empty if nothing is
};

/// A checkpoint, and what it costs. Steps are predicted without: one of them is written in many.
struct CheckpointUse {
  int every_steps = 0;
  Bytes bytes;         ///< of the whole job
  Seconds write;       ///< until all of it is in the store
  Seconds stall;       ///< that training loses to one checkpoint
  std::string limits;  ///< what sets the time of the write: "file system", "host storage", "host link"
  Seconds per_step() const { return stall / every_steps; }
};

}  // namespace clusterwright
