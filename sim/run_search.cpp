// SPDX-License-Identifier: Apache-2.0
#include "sim/run_search.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace clusterwright::engine {
namespace {

using RunFound = std::function<void(std::span<const OpId>)>;

/// Search in two steps: stretches are gathered in one pass over all ops, then cut behind every op whose end matters
/// outside.
class RunSearch {
 public:
  RunSearch(const StepStructure& structure, const IndexedVector<OpId, char>& allowed)
      : structure_(structure),
        allowed_(allowed),
        met_(structure_.op_count()),
        compute_before_(structure_.op_count(), 0),
        heads_(structure_.ranks.size()) {}

  void search(const RunFound& found);

 private:
  static constexpr std::uint32_t never = 1u << 31;

  using Ops = std::span<const OpId>;

  /// Predecessors of an op met so far, without the op right before it on its rank.
  struct Met {
    std::uint32_t count = 0;
    std::uint32_t latest = 0;  // one more than the compute op by whose start all have ended; `never`: there is none
  };
  struct Head {
    OpId last;              // op of the rank that the host issued last
    std::vector<OpId> run;  // stretch that ends with `last`
  };

  bool is_compute(OpId op) const { return structure_.lanes[structure_.op_lane[op]].kind == LaneKind::compute; }
  RankClassId rank_of(OpId op) const { return structure_.lanes[structure_.op_lane[op]].rank; }
  template <class Visit>
  void for_each_successor(OpId op, Visit visit) const;
  bool joins(const Head& head, OpId op, bool heads_lane) const;
  void meet_successors(OpId op);
  OpId first_compute_behind(OpId op) const;
  void close(std::vector<OpId>& run);
  void cut(Ops run, const RunFound& found) const;
  bool is_noticed(OpId op, OpId last) const;

  const StepStructure& structure_;
  const IndexedVector<OpId, char>& allowed_;
  IndexedVector<OpId, Met> met_;
  IndexedVector<OpId, std::uint32_t> compute_before_;  // one more than the last compute op of its rank to wait for
  IndexedVector<RankClassId, Head> heads_;
  std::vector<OpId> ops_;           // ops of all stretches, one after the other
  std::vector<std::size_t> begin_;  // begin of each stretch in ops_
};

template <class Visit>
void RunSearch::for_each_successor(OpId op, Visit visit) const {
  for (std::uint32_t i = structure_.successor_begin[op.value]; i < structure_.successor_begin[op.value + 1]; ++i)
    visit(structure_.successor[i]);
  if (structure_.next_in_lane[op].exists()) visit(structure_.next_in_lane[op]);
}

void RunSearch::search(const RunFound& found) {
  IndexedVector<LaneId, char> begun(structure_.lanes.size(), 0);
  for (std::size_t i = 0; i < structure_.op_count(); ++i) {
    const OpId op(i);
    Head& head = heads_[rank_of(op)];
    char& lane_begun = begun[structure_.op_lane[op]];
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
  if (met.count + 1 != structure_.predecessor_count[op] + (heads_lane ? 0 : 1)) return false;
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

/// Cuts a stretch behind ops whose end matters outside.
void RunSearch::cut(Ops run, const RunFound& found) const {
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

void find_runs(const StepStructure& structure, const IndexedVector<OpId, char>& allowed, const RunFound& found) {
  RunSearch(structure, allowed).search(found);
}

}  // namespace clusterwright::engine
