/// Which published jobs are the same but for one thing; made of fields of model, job and hardware, of no name.
#pragma once

#include <optional>
#include <string>

#include "calibration/measured/measurement.hpp"

namespace clusterwright {

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
