// SPDX-License-Identifier: Apache-2.0
#pragma once
// The processes of ranks 1, 2, ... as the first process sees them: started, told what to do, and ended on every path.

#include <sys/types.h>

#include <vector>

#include "rank_channel.hpp"
#include "watchdog.hpp"

namespace clusterwright::probes {

class ChildRanks {
 public:
  /// Starts this program once more for each device; rank i + 1 is on devices[i]. None for one GPU.
  /// @throws SampleFailed
  ChildRanks(Watchdog& watchdog, const std::vector<int>& devices);
  ~ChildRanks();  // waits a few seconds for those that were told to stop, then kills
  ChildRanks(const ChildRanks&) = delete;
  ChildRanks& operator=(const ChildRanks&) = delete;

  /// To every rank. @throws SampleFailed when one is gone
  void send(const RankMessage& message);

  /// Waits until every rank has answered. @throws NotPossible, SampleFailed: its own words, or that it is gone or late
  void await_answers(const char* step);

  /// A cheap look. @throws as `await_answers` when a rank gave up or ended
  void require_alive() const;

  void kill();

 private:
  struct Child {
    int rank;
    pid_t process;
    int channel;
  };
  void start(int rank, int ranks, int device);
  void await_answer(const Child& child, const char* step) const;
  static void refuse(const Child& child, const RankAnswer& answer);
  void end(Child& child);

  Watchdog& watchdog_;
  std::vector<Child> children_;
};

}  // namespace clusterwright::probes
