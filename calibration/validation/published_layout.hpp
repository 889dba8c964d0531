/// How a published job is laid out on its accelerators: what a planner could have chosen otherwise.
#pragma once

#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"

namespace clusterwright {

struct LayoutField {
  const char* name;   ///< for people
  std::string value;  ///< empty: not published
};

/// Degrees, micro-batch, schedule, sharding, recomputation and offload, in a fixed order. Data parallelism is what
/// accelerators remain, no choice of its own.
std::vector<LayoutField> layout_fields(const MeasuredJob& job);

/// Whether a field that both publish differs; what one of them leaves open may be the same.
bool surely_differ(const MeasuredJob& one, const MeasuredJob& other);

/// "tensor 4, pipeline 12, micro-batch 2, recompute full": what is published and switched on.
std::string layout_words(const MeasuredJob& job);

}  // namespace clusterwright
