// SPDX-License-Identifier: Apache-2.0
#include "sim/breakdown.hpp"

#include <algorithm>

namespace clusterwright {
namespace {

/// Dependency that was met last, for each op that waited for its launch; "none" for other ops.
IndexedVector<OpId, OpId> find_last_dependencies(const StepStructure& structure, const ReplayResult& result) {
  IndexedVector<OpId, OpId> last(structure.op_count());
  std::vector<char> launched(
      structure.op_count());  // started by its own launch; bytes, because successors lie far apart
  for (std::size_t i = 0; i < structure.op_count(); ++i) launched[i] = !result.ops[OpId(i)].released_by.exists();
  const auto met = [&](OpId before, OpId after) {
    if (!launched[after.value]) return;
    OpId& candidate = last[after];
    if (!candidate.exists() || result.ops[before].end > result.ops[candidate].end) candidate = before;
  };
  for (std::size_t i = 0; i < structure.op_count(); ++i) {
    const OpId op(i);
    for (std::uint32_t k = structure.successor_begin[i]; k < structure.successor_begin[i + 1]; ++k)
      met(op, structure.successor[k]);
    if (structure.next_in_lane[op].exists()) met(op, structure.next_in_lane[op]);
  }
  return last;
}

/// Charges the stretch of one rank's compute lane from `begin` up to the cursor, backwards in time.
class GapWalk {
 public:
  GapWalk(const StepStructure& structure, const ReplayResult& result, const IndexedVector<OpId, OpId>& last_dependency,
          RankClassId rank, ChargedTime& charged)
      : structure_(structure), result_(result), last_dependency_(last_dependency), rank_(rank), charged_(charged) {}

  /// The gap ended because `op` started.
  void until_start(Picoseconds begin, OpId op) {
    open(begin, result_.ops[op].start);
    follow(op);
  }

  /// The gap ended because the partners of `op` had arrived.
  void until_active(Picoseconds begin, OpId op) {
    open(begin, result_.ops[op].active);
    follow(wait_for_partners(op));
  }

  /// The gap lasts to the end of the step; `op` ended last on this rank.
  void until_end(Picoseconds begin, OpId op) {
    open(begin, result_.end);
    if (op.exists()) {
      charge_back_to(result_.ops[op].end, structure_.engine_charges.idle);
      follow(run_back(op));
    }
    charge_back_to(begin_, structure_.engine_charges.idle);
  }

 private:
  void open(Picoseconds begin, Picoseconds end) {
    begin_ = begin;
    cursor_ = end;
  }

  void charge_back_to(Picoseconds time, ChargeId charge) {
    const Picoseconds from = std::max(begin_, time);
    if (from >= cursor_) return;
    charged_[charge.value] += cursor_ - from;
    cursor_ = from;
  }

  /// Upstream from the start of `op` at the cursor.
  void follow(OpId op);
  OpId wait_for_launch(OpId op);
  OpId run_back(OpId op);
  OpId wait_for_partners(OpId op);
  void leave_rank(OpId op);

  RankClassId rank_of(OpId op) const { return structure_.lanes[structure_.op_lane[op]].rank; }

  const StepStructure& structure_;
  const ReplayResult& result_;
  const IndexedVector<OpId, OpId>& last_dependency_;
  RankClassId rank_;
  ChargedTime& charged_;
  Picoseconds begin_;
  Picoseconds cursor_;
};

void GapWalk::follow(OpId op) {
  while (cursor_ > begin_) {
    const OpId released_by = result_.ops[op].released_by;
    const OpId before = released_by.exists() ? released_by : wait_for_launch(op);
    if (!before.exists()) break;
    if (rank_of(before) != rank_) {
      leave_rank(before);
      return;
    }
    op = run_back(before);
  }
  charge_back_to(begin_, structure_.engine_charges.idle);
}

/// @return the dependency that was met last
OpId GapWalk::wait_for_launch(OpId op) {
  const OpId dependency = last_dependency_[op];
  charge_back_to(dependency.exists() ? result_.ops[dependency].end : Picoseconds{0}, structure_.engine_charges.launch);
  return dependency;
}

/// Backwards through an op of this rank that ends at the cursor.
/// @return the op whose start to follow next
OpId GapWalk::run_back(OpId op) {
  charge_back_to(result_.ops[op].active, structure_.op_charge[op]);
  return wait_for_partners(op);
}

OpId GapWalk::wait_for_partners(OpId op) {
  if (result_.ops[op].start == result_.ops[op].active) return op;
  const RendezvousId rendezvous = structure_.op_rendezvous[op];
  const OpId last = result_.last_arrival[rendezvous];
  if (rank_of(last) == rank_) return last;
  charge_back_to(result_.ops[op].start, structure_.rendezvous[rendezvous].late);
  return op;
}

/// What another rank did before the release is charged on that rank.
void GapWalk::leave_rank(OpId op) {
  const RendezvousId rendezvous = structure_.op_rendezvous[op];
  charge_back_to(begin_, rendezvous.exists() ? structure_.rendezvous[rendezvous].late : structure_.engine_charges.idle);
}

/// Charges of all rank classes: compute ops in lane order, and the gaps between them.
class RankCharges {
 public:
  RankCharges(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result);
  Breakdown charge();

 private:
  ChargedTime charge_rank(RankClassId rank);
  void charge_compute(OpId op, ChargedTime& charged) const;

  const StepStructure& structure_;
  const StepTiming& timing_;
  const ReplayResult& result_;
  IndexedVector<OpId, OpId> last_dependency_;
  IndexedVector<RankClassId, OpId> first_compute_;  // head of the compute lane
  IndexedVector<RankClassId, OpId> last_;           // op that ended last on any lane
};

RankCharges::RankCharges(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result)
    : structure_(structure),
      timing_(timing),
      result_(result),
      last_dependency_(find_last_dependencies(structure, result)),
      first_compute_(structure.ranks.size()),
      last_(structure.ranks.size()) {
  for (std::size_t i = 0; i < structure.op_count(); ++i) {
    const OpId op(i);
    const Lane& lane = structure.lanes[structure.op_lane[op]];
    OpId& first = first_compute_[lane.rank];
    OpId& last = last_[lane.rank];
    if (lane.kind == LaneKind::compute && !first.exists()) first = op;
    if (!last.exists() || result.ops[op].end > result.ops[last].end) last = op;
  }
}

Breakdown RankCharges::charge() {
  Breakdown breakdown;
  breakdown.by_rank.reserve(structure_.ranks.size());
  for (std::size_t rank = 0; rank < structure_.ranks.size(); ++rank)
    breakdown.by_rank.push_back(charge_rank(RankClassId(rank)));
  for (const RankClassId rank : result_.pass_charges.ids())
    for (std::size_t charge = 0; charge < result_.pass_charges[rank].size(); ++charge)
      breakdown.by_rank[rank][charge] += result_.pass_charges[rank][charge];
  for (const SharingLoss& loss : result_.sharing_losses) breakdown.by_rank[loss.rank][loss.charge.value] += loss.lost;
  return breakdown;
}

ChargedTime RankCharges::charge_rank(RankClassId rank) {
  ChargedTime charged(structure_.charge_names.size());
  GapWalk gap(structure_, result_, last_dependency_, rank, charged);
  Picoseconds cursor;
  for (OpId op = first_compute_[rank]; op.exists(); op = structure_.next_in_lane[op]) {
    const OpTrace& trace = result_.ops[op];
    if (cursor < trace.start) gap.until_start(cursor, op);
    if (trace.start < trace.active) gap.until_active(trace.start, op);
    if (structure_.op_pass[op].exists()) {
      cursor = trace.end;  // ReplayResult::pass_charges holds it
      continue;
    }
    if (structure_.op_rendezvous[op].exists())
      charged[structure_.op_charge[op].value] += trace.end - trace.active;
    else
      charge_compute(op, charged);
    cursor = trace.end;
  }
  if (cursor < result_.end) gap.until_end(cursor, last_[rank]);
  return charged;
}

/// Charges a compute op without its losses to sharing, which ReplayResult::sharing_losses holds as sums.
void RankCharges::charge_compute(OpId op, ChargedTime& charged) const {
  const Picoseconds unshared = result_.ops[op].unshared;
  const Picoseconds own = std::min(unshared, timing_.works[structure_.op_work[op]].duration);
  charged[structure_.op_charge[op].value] += own;
  charged[structure_.engine_charges.throttle.value] += unshared - own;
}

}  // namespace

std::vector<Seconds> mean_over_ranks(const StepStructure& structure, const Breakdown& breakdown) {
  std::vector<Seconds> mean(structure.charge_names.size());
  double ranks = 0;
  for (std::size_t i = 0; i < structure.ranks.size(); ++i) {
    const double multiplicity = structure.ranks[RankClassId(i)].multiplicity;
    const ChargedTime& charged = breakdown.by_rank[RankClassId(i)];
    ranks += multiplicity;
    for (std::size_t charge = 0; charge < mean.size(); ++charge)
      mean[charge] += multiplicity * to_seconds(charged[charge]);
  }
  for (Seconds& time : mean) time = time / ranks;
  return mean;
}

Breakdown charge_time(const StepStructure& structure, const StepTiming& timing, const ReplayResult& result) {
  Breakdown breakdown = RankCharges(structure, timing, result).charge();
  breakdown.mean = mean_over_ranks(structure, breakdown);
  return breakdown;
}

}  // namespace clusterwright
