// SPDX-License-Identifier: Apache-2.0
/// Steps that run side by side, each of which begins again as soon as it has ended.
#pragma once

#include <algorithm>
#include <cstddef>
#include <ranges>
#include <vector>

#include "sim/prepared_step.hpp"

namespace clusterwright {

/// What to replay of joined steps (joined_steps.hpp).
struct SideBySide {
  std::vector<RankClassId> ends;    ///< by step: the last of its rank classes, whose only op ends it
  std::vector<Picoseconds> starts;  ///< by step: begin of its first round
  std::size_t rounds = 1;           ///< that every step must end; shorter steps end more
};

/// By step: times of its rounds, each from its begin to its end.
using RoundTimes = std::vector<std::vector<Picoseconds>>;

namespace engine {

/// What belongs to each of the steps side by side, and how often it has ended.
class StepRounds {
 public:
  StepRounds(const PreparedStep& step, const SideBySide& wanted);

  struct Job {
    std::vector<OpId> ops;
    std::vector<OpId> first_ops;
    std::vector<RendezvousId> meetings;
    OpId last_op;
    Picoseconds begun;
    std::vector<Picoseconds> times;
  };
  std::vector<Job>& jobs() { return jobs_; }
  /// Job that ends with `op`; nullptr if none does.
  Job* ended_by(OpId op) {
    const auto found = std::ranges::find(jobs_, op, &Job::last_op);
    return found == jobs_.end() ? nullptr : &*found;
  }
  bool done() const {
    return std::ranges::all_of(jobs_, [&](const Job& job) { return job.times.size() >= rounds_; });
  }
  RoundTimes take() &&;

 private:
  Job& job_of(const PreparedStep& step, OpId op);

  std::vector<RankClassId> ends_;
  std::vector<Job> jobs_;
  std::size_t rounds_;
};

}  // namespace engine
}  // namespace clusterwright
