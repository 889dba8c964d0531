// SPDX-License-Identifier: Apache-2.0
/// Passes as they are replayed: one event for each, and one more whenever the load beside it changes.
///
/// A pass under way knows the segment in which it is, and since when. Beside a constant load whole segments are skipped
/// by table (pass_times.hpp); the segment in which the load changes is played op by op (pass_player.hpp), and so are
/// segments whose host is late. Times, losses and charges equal those of a replay op by op, to the picosecond.
#pragma once

#include <utility>
#include <vector>

#include "sim/lane_progress.hpp"
#include "sim/pass_times.hpp"

namespace clusterwright::engine {

class PassRuns {
 public:
  PassRuns(const PreparedStep& step, PassTimes& times, LaneProgress& lanes, Events& events, ReplayResult& result)
      : step_(step), times_(times), lanes_(lanes), events_(events), result_(result) {}
  void reset();

  bool under_way(LaneId lane) const { return runs_[lane].op.exists(); }
  /// The pass starts. When it ends follows when the instant is settled and loads are known.
  void begin(OpId op);
  /// Decides when the pass ends: it has just begun, or loads of the rank have changed.
  void plan(LaneId lane);
  void end(LaneId lane);

 private:
  struct Change {
    Picoseconds at;  ///< from the begin of the segment
    OutsideLoad load;
    bool operator==(const Change&) const = default;
  };
  /// A segment beside loads that change, from its begin.
  struct Question {
    PassId pass;
    std::size_t variant = 0;  ///< of the rank (PassTimes)
    std::size_t segment = 0;
    Picoseconds host;             ///< when the host began to issue the pass; host_ahead: early enough for all ops
    std::vector<Change> changes;  ///< of the load, the first at the begin
    bool operator==(const Question&) const = default;
    std::size_t hash() const;
  };
  struct Answer {
    Picoseconds length;
    std::vector<std::pair<ChargeId, Picoseconds>> charges;
  };
  struct Run {
    OpId op;
    PassId pass;
    RankClassId rank;
    OutsideLoad load;
    std::uint32_t load_place = 0;  ///< in ReplayResult::pass_loads
    bool planned = false;
    bool partial = false;     ///< inside the segment, which `changes` describe
    std::size_t segment = 0;  ///< first one that is not over
    Picoseconds since;        ///< its begin
    Picoseconds host;         ///< when the host began to issue the pass
    Picoseconds end;
    Question question;  ///< of the segment, if `partial`
    Answer answer;      ///< if the load stays
    Picoseconds segment_end() const { return since + answer.length; }
  };

  OutsideLoad load_beside(LaneId lane) const;
  std::uint32_t place_of(const OutsideLoad& load);
  const PassTable& table_of(const Run& run) { return times_.table(run.pass, run.rank, run.load, run.load_place); }
  bool host_is_ahead(const Run& run, const PassTable& table, std::size_t segment, Picoseconds at) const;
  void catch_up(Run& run);
  bool leave_partial(Run& run);
  void leave(Run& run);
  void skip_segments(Run& run, const PassTable& table);
  void enter(Run& run);
  void play(Run& run);
  void play(const Question& question, RankClassId rank, Answer& answer);
  Picoseconds forecast(Run& run);

  const PreparedStep& step_;
  PassTimes& times_;
  LaneProgress& lanes_;
  Events& events_;
  ReplayResult& result_;
  IndexedVector<LaneId, Run> runs_;
  PassPlayer player_ = times_.player();
  /// Segments that were played, by a hash of the question: alike ranks ask the same at the same instant, and a pipeline
  /// that has filled asks the same for every micro-batch.
  struct Remembered {
    Question question;
    Answer answer;
  };
  std::vector<Remembered> remembered_;
};

}  // namespace clusterwright::engine
