#pragma once

#include <optional>
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

/// Fields one after another; what is not published is a value of its own. A comparison adds the blocks that both sides
/// have to share.
class JobKey {
 public:
  /// Dimensions, sequence, what is trained.
  JobKey& model(const MeasuredModel& model);
  /// Task, framework, release, number format, and what the software does beside the layout.
  JobKey& software(const MeasuredJob& job);
  /// What a planner chooses, data parallelism aside.
  JobKey& layout(const MeasuredJob& job);
  /// Kind of node and network; not how many of them.
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
