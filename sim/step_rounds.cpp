// SPDX-License-Identifier: Apache-2.0
#include "sim/step_rounds.hpp"

#include <utility>

namespace clusterwright::engine {

StepRounds::StepRounds(const PreparedStep& step, const SideBySide& wanted)
    : ends_(wanted.ends), jobs_(wanted.ends.size()), rounds_(wanted.rounds) {
  std::vector<char> met(step.structure().rendezvous.size(), 0);
  for (std::size_t i = 0; i < step.op_count(); ++i) {
    const OpId op(i);
    Job& job = job_of(step, op);
    job.ops.push_back(op);
    job.last_op = op;  // that of the end is the last one
    const RendezvousId meeting = step.op(op).rendezvous;
    if (meeting.exists() && !std::exchange(met[meeting.value], 1)) job.meetings.push_back(meeting);
  }
  for (const OpId op : step.first_ops()) job_of(step, op).first_ops.push_back(op);
}

StepRounds::Job& StepRounds::job_of(const PreparedStep& step, OpId op) {
  const auto end = std::ranges::lower_bound(ends_, step.rank_of(op));
  return jobs_[static_cast<std::size_t>(end - ends_.begin())];
}

RoundTimes StepRounds::take() && {
  RoundTimes times;
  for (Job& job : jobs_) times.push_back(std::move(job.times));
  return times;
}

}  // namespace clusterwright::engine
