// SPDX-License-Identifier: Apache-2.0
/// Measurements under other names or with other answers: neither may move a prediction.
#pragma once

#include <cstddef>
#include <vector>

#include "calibration/measured/measurement.hpp"

namespace clusterwright::testing {

/// The same measurements under each other's labels.
inline std::vector<Measurement> relabelled(const std::vector<Measurement>& measurements) {
  std::vector<Measurement> out = measurements;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Measurement& other = measurements[(7 * i + 3) % out.size()];
    out[i].id = other.id;
    out[i].source = other.source;
    out[i].family = other.family;
    if (out[i].step && other.step) out[i].step->model.name = other.step->model.name;
  }
  return out;
}

/// The same question with other answers, of whatever kind.
inline Measurement with_other_answers(Measurement m) {
  if (m.gemm)
    for (auto& point : m.gemm->points) point.time *= 3;
  if (m.collective)
    for (auto& point : m.collective->points) point.time *= 3;
  if (m.memory) m.memory->bandwidth = m.memory->bandwidth * 3;
  if (m.attention) m.attention->rate = m.attention->rate * 3;
  if (m.footprint) m.footprint->value *= 3;
  if (m.power) m.power->node_mean = m.power->node_mean * 3;
  if (m.step) m.step->tokens_per_second_per_accelerator.reset(), m.step->step_time.reset(), m.step->peak_memory.reset();
  return m;
}

}  // namespace clusterwright::testing
