#include <algorithm>

#include "sim/replay_run.hpp"

namespace clusterwright::replay_state {

namespace {

constexpr std::uint32_t never = 1u << 31;

/// Finds runs: ops that follow each other whatever happens around them.
///
/// A run is a stretch of a rank's ops in the order of its host, from a compute op to a compute op. Each op waits for
/// the one before; whatever else it waits for has ended by then, because a compute op no later than the one before
/// waits for it too. Nobody outside learns that an op has ended before the whole run has.
class RunSearch {
 public:
  RunSearch(const StepStructure& structure, const IndexedVector<OpId, char>& allowed)
      : s_(structure),
        allowed_(allowed),
        met_(s_.op_count()),
        compute_before_(s_.op_count(), 0),
        heads_(s_.ranks.size()) {}

  /// Calls `found` with the ops of each run, two or more.
  template <class Found>
  void search(Found found);

 private:
  using Ops = std::span<const OpId>;

  /// What is known of the ops that an op waits for, but for the one right before it on its rank.
  struct Met {
    std::uint32_t count = 0;
    std::uint32_t latest = 0;  // one more than the compute op by whose start all had ended; `never`: none tells
  };
  struct Head {
    OpId last;              // op of the rank that the host issued last
    std::vector<OpId> run;  // that ends with it
  };

  bool is_compute(OpId op) const { return s_.lanes[s_.op_lane[op]].kind == LaneKind::compute; }
  RankClassId rank_of(OpId op) const { return s_.lanes[s_.op_lane[op]].rank; }
  template <class Visit>
  void for_each_successor(OpId op, Visit visit) const;
  bool joins(const Head& head, OpId op, bool heads_lane) const;
  void meet_successors(OpId op);
  OpId first_compute_behind(OpId op) const;
  void close(std::vector<OpId>& run);
  template <class Found>
  void cut(Ops run, Found& found) const;
  bool is_noticed(OpId op, OpId last) const;

  const StepStructure& s_;
  const IndexedVector<OpId, char>& allowed_;
  IndexedVector<OpId, Met> met_;
  IndexedVector<OpId, std::uint32_t> compute_before_;  // one more than the last compute op of its rank to wait for
  IndexedVector<RankClassId, Head> heads_;
  std::vector<OpId> ops_;           // of all stretches, one after the other
  std::vector<std::size_t> begin_;  // of each
};

template <class Visit>
void RunSearch::for_each_successor(OpId op, Visit visit) const {
  for (std::uint32_t i = s_.successor_begin[op.value]; i < s_.successor_begin[op.value + 1]; ++i)
    visit(s_.successor[i]);
  if (s_.next_in_lane[op].exists()) visit(s_.next_in_lane[op]);
}

template <class Found>
void RunSearch::search(Found found) {
  IndexedVector<LaneId, char> begun(s_.lanes.size(), 0);
  for (std::size_t i = 0; i < s_.op_count(); ++i) {
    const OpId op(i);
    Head& head = heads_[rank_of(op)];
    char& lane_begun = begun[s_.op_lane[op]];
    const bool goes_on = joins(head, op, lane_begun == 0);
    lane_begun = 1;
    if (head.last.exists()) meet_successors(head.last);
    if (!goes_on) close(head.run);
    if (goes_on || (allowed_[op] && is_compute(op))) head.run.push_back(op);
    head.last = op;
  }
  for (Head& head : heads_) {
    if (head.last.exists()) meet_successors(head.last);
    close(head.run);
  }
  begin_.push_back(ops_.size());
  for (std::size_t i = 0; i + 1 < begin_.size(); ++i)
    cut(Ops(ops_).subspan(begin_[i], begin_[i + 1] - begin_[i]), found);
}

bool RunSearch::joins(const Head& head, OpId op, bool heads_lane) const {
  if (head.run.empty() || !allowed_[op]) return false;
  const Met& met = met_[op];
  if (met.count + 1 != s_.predecessor_count[op] + (heads_lane ? 0 : 1)) return false;
  bool follows = false;
  for_each_successor(head.last, [&](OpId successor) { follows = follows || successor == op; });
  return follows && met.latest <= head.last.value + 1;
}

void RunSearch::meet_successors(OpId op) {
  const OpId known_by = is_compute(op) ? op : first_compute_behind(op);
  for_each_successor(op, [&](OpId successor) {
    const bool near = rank_of(successor) == rank_of(op);
    Met& met = met_[successor];
    ++met.count;
    met.latest = std::max(met.latest, near && known_by.exists() ? known_by.value + 1 : never);
    if (near && is_compute(op)) compute_before_[successor] = std::max(compute_before_[successor], op.value + 1);
  });
}

OpId RunSearch::first_compute_behind(OpId op) const {
  OpId first;
  for_each_successor(op, [&](OpId successor) {
    const bool near = is_compute(successor) && rank_of(successor) == rank_of(op);
    if (near && (!first.exists() || successor < first)) first = successor;
  });
  return first;
}

void RunSearch::close(std::vector<OpId>& run) {
  if (run.size() > 1) {
    begin_.push_back(ops_.size());
    ops_.insert(ops_.end(), run.begin(), run.end());
  }
  run.clear();
}

/// Cuts behind ops whose end somebody outside waits for.
template <class Found>
void RunSearch::cut(Ops run, Found& found) const {
  while (!run.empty() && !is_compute(run.front())) run = run.subspan(1);
  while (!run.empty() && !is_compute(run.back())) run = run.first(run.size() - 1);
  if (run.size() < 2) return;
  std::size_t i = 0;
  while (i + 1 < run.size() && !is_noticed(run[i], run.back())) ++i;
  if (i + 1 == run.size()) return found(run);
  cut(run.first(i + 1), found);
  cut(run.subspan(i + 1), found);
}

/// Whether some op outside the run that ends with `last` could start before that, were it not for `op`.
bool RunSearch::is_noticed(OpId op, OpId last) const {
  bool noticed = false;
  for_each_successor(op, [&](OpId successor) {
    const bool near = rank_of(successor) == rank_of(op) && successor > op;
    const bool inside = near && successor <= last;
    const bool waits_anyway = near && (is_compute(successor) || compute_before_[successor] > last.value);
    noticed = noticed || (!inside && !waits_anyway);
  });
  return noticed;
}

}  // namespace

/// Kernels, and collectives that take their time alone. Where memory can be short, or several lanes compute, ops
/// disturb each other in more ways than runs know of.
IndexedVector<OpId, char> Replay::ops_for_runs() const {
  IndexedVector<OpId, char> allowed(structure_.op_count(), 0);
  if (run_ground_->memory_can_be_short) return allowed;
  for (std::size_t i = 0; i < structure_.op_count(); ++i) {
    const OpState& op = ops_[OpId(i)];
    const Lane& lane = structure_.lanes[op.lane];
    if (compute_lanes_of_[lane.rank].size() != 1) continue;
    if (op.rendezvous.exists()) {
      const Rendezvous& meeting = structure_.rendezvous[op.rendezvous];
      const bool own = lane.kind == LaneKind::communication && meeting.members == 1;
      allowed[OpId(i)] = own && run_ground_->free_chains[meeting.chain.value];
    } else {
      allowed[OpId(i)] = lane.kind == LaneKind::compute && !run_ground_->reserving_works[op.work.value];
    }
  }
  return allowed;
}

void Replay::find_runs() {
  RunGround ground{{}, free_chains_, memory_can_be_short()};
  for (const WorkState& work : works_) ground.reserving_works.push_back(work.reserved_sms > 0);
  if (run_ground_ == ground) return;
  run_ground_ = std::move(ground);
  waiting_at_first_ = predecessors_;
  for (OpState& op : ops_) op.next_in_run = OpId();
  const IndexedVector<OpId, char> allowed = ops_for_runs();
  RunSearch(structure_, allowed).search([&](std::span<const OpId> run) { detach_run(run); });
}

/// Only the last op of a run releases others, only the first is released.
void Replay::detach_run(std::span<const OpId> run) {
  for (std::size_t i = 0; i + 1 < run.size(); ++i) {
    OpState& op = ops_[run[i]];
    op.next_in_run = run[i + 1];
    waiting_at_first_[run[i + 1]] += started_by_run;
    const std::uint32_t end = ops_[OpId(run[i].value + 1)].successor_begin;
    for (std::uint32_t k = op.successor_begin; k < end; ++k) --waiting_at_first_[structure_.successor[k]];
    if (op.next_in_lane.exists()) --waiting_at_first_[op.next_in_lane];
  }
}

}  // namespace clusterwright::replay_state
