// SPDX-License-Identifier: Apache-2.0
/// Fields of published jobs that comparisons need: layouts, and keys of equal jobs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"

namespace clusterwright {

struct LayoutField {
  const char* name;   ///< name in messages
  std::string value;  ///< empty: not published
};

/// Degrees, micro-batch, schedule, sharding, recomputation and offload, in a fixed order. Data parallelism follows from
/// the accelerators that remain.
std::vector<LayoutField> layout_fields(const MeasuredJob& job);

/// Whether a field that both publish differs; open fields may be equal.
bool surely_differ(const MeasuredJob& one, const MeasuredJob& other);

/// Published fields that are switched on: "tensor 4, pipeline 12, micro-batch 2, recompute full".
std::string layout_words(const MeasuredJob& job);

/// Key of a job: fields one after another; a field that is not published is a value of its own. A comparison adds the
/// blocks that both sides must share. It holds fields of model, job and hardware, and no names.
class JobKey {
 public:
  /// Dimensions, sequence, trained parameters.
  JobKey& model(const MeasuredModel& model);
  /// Task, framework, release, number format, and switches of the software beside the layout.
  JobKey& software(const MeasuredJob& job);
  /// What the recipe says beyond: dispatcher, overlaps, captured graphs, capacity, recomputation in its own words.
  JobKey& switches(const MeasuredJob& job);
  /// Layout that a planner chooses, without data parallelism.
  JobKey& layout(const MeasuredJob& job);
  /// Kind of node and network, without their number.
  JobKey& machine(const MeasuredHardware& hardware);

  JobKey& add(const std::string& value);
  JobKey& add(std::int64_t value);

  const std::string& text() const { return text_; }

 private:
  template <class T>
  JobKey& add(const std::optional<T>& value) {
    return value ? add(T(*value)) : add(std::string("-"));
  }

  std::string text_;
};

}  // namespace clusterwright
