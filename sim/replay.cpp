// SPDX-License-Identifier: Apache-2.0
#include "sim/replay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "sim/contention_survey.hpp"
#include "sim/flat_step.hpp"
#include "sim/op_runs.hpp"
#include "sim/pass_runs.hpp"

namespace clusterwright {
namespace engine {

/// The event loop, and the parts that it joins:
/// - PreparedStep: the structure, laid out for replays;
/// - WorkTimes: what the works of the timing need and take;
/// - DeviceLoads, LaneProgress: what compute ops of a rank do to each other;
/// - Transfers: communication and what transfers do to each other;
/// - ContentionSurvey, OpRuns: what takes fewer events than one per op.
/// Loads and rates that change during an instant are settled once, after all events of that instant.
class Replay {
 public:
  explicit Replay(const StepStructure& structure) : step_(structure) {}
  /// Passes that must be taken apart at this timing: by rank class, then pass.
  std::vector<char> open_passes(const StepTiming& timing);
  ReplayResult run(const StepTiming& timing, ReplayResult spare);
  RoundTimes run_rounds(const StepTiming& timing, const SideBySide& wanted);

 private:
  void retime(const StepTiming& timing);
  bool is_closed(PassId pass, RankClassId rank, const std::vector<char>& free_chains) const;
  void reset(ReplayResult spare);

  void next_event();
  void begin_round(StepRounds::Job& job, Picoseconds at);
  void handle(PendingEvent event);
  void release(OpId op, OpId released_by);
  void start(OpId op, OpId released_by);
  void begin_pass(OpId op);
  void begin_chain(RendezvousId rendezvous);
  void end_members(RendezvousId rendezvous);
  void end(OpId op);
  void end_run(LaneId lane);
  void release_successors(OpId op);

  void settle();
  void share_device(RankClassId rank);
  [[noreturn]] void report_stuck() const;

  PreparedStep step_;
  ContentionSurvey survey_{step_};
  Events events_;
  ReplayResult result_;
  WorkTimes works_;
  DeviceLoads loads_{step_, works_};
  LaneProgress lanes_{step_, works_, loads_, events_, result_};
  Transfers transfers_{step_, loads_, events_, result_};
  OpRuns runs_{step_, lanes_, transfers_, events_, result_};
  PassTimes pass_times_{step_.structure(), works_};
  PassRuns passes_{step_, pass_times_, lanes_, events_, result_};
  IndexedVector<OpId, std::uint32_t> waiting_;  // number of ops that have not ended
  std::size_t ended_ = 0;                       // ops outside runs
  std::optional<StepRounds> rounds_;            // while steps run side by side
};

ReplayResult Replay::run(const StepTiming& timing, ReplayResult spare) {
  retime(timing);
  reset(std::move(spare));
  for (const OpId op : step_.first_ops()) release(op, OpId());
  settle();
  while (ended_ + runs_.ended() < step_.op_count()) next_event();
  result_.end = events_.now();
  result_.sharing_losses = lanes_.losses();
  return std::move(result_);
}

void Replay::next_event() {
  if (events_.empty()) report_stuck();
  const auto event = events_.pop();
  ++result_.events;
  handle(event.payload);
  if (!events_.more_now()) settle();
}

RoundTimes Replay::run_rounds(const StepTiming& timing, const SideBySide& wanted) {
  retime(timing);
  reset({});
  rounds_.emplace(step_, wanted);
  for (std::size_t i = 0; i < wanted.ends.size(); ++i) begin_round(rounds_->jobs()[i], wanted.starts[i]);
  settle();
  while (!rounds_->done()) next_event();
  step_.forget_issued();
  RoundTimes times = std::move(*rounds_).take();
  rounds_.reset();
  return times;
}

/// Puts the ops of a step back to its begin. @pre none of them runs
void Replay::begin_round(StepRounds::Job& job, Picoseconds at) {
  for (const OpId op : job.ops) {
    waiting_[op] = runs_.predecessors()[op];
    step_.issue_later(op, at - job.begun);
  }
  for (const RendezvousId meeting : job.meetings) transfers_.renew(meeting);
  job.begun = at;
  for (const OpId op : job.first_ops) release(op, OpId());
}

void Replay::retime(const StepTiming& timing) {
  step_.issue(timing);
  works_.reset(timing);
  OpRuns::Ground ground;
  ground.memory_can_be_short = survey_.memory_can_be_short(works_);
  if (ground.memory_can_be_short)
    ground.free_chains.assign(step_.structure().chain_begin.size() - 1, 0);
  else
    ground.free_chains = survey_.free_chains(timing);
  for (const WorkTiming& work : timing.works) ground.reserving_works.push_back(work.reserved_sms > 0);
  transfers_.retime(timing, ground.free_chains);
  runs_.find(std::move(ground));
  pass_times_.reset(timing, transfers_.alone());
}

std::vector<char> Replay::open_passes(const StepTiming& timing) {
  const StepStructure& structure = step_.structure();
  std::vector<char> open(structure.passes.size() * structure.ranks.size(), 0);
  if (open.empty()) return open;
  works_.reset(timing);
  const bool short_of_memory = survey_.memory_can_be_short(works_);
  const std::vector<char> free_chains = short_of_memory ? std::vector<char>() : survey_.free_chains(timing);
  for (const OpId op : structure.op_pass.ids()) {
    const PassId pass = structure.op_pass[op];
    if (!pass.exists()) continue;
    const RankClassId rank = step_.rank_of(op);
    char& known = open[rank.value * structure.passes.size() + pass.value];
    constexpr char seen_closed = 2;
    if (known == 0) known = !short_of_memory && is_closed(pass, rank, free_chains) ? seen_closed : 1;
  }
  for (char& known : open) known &= 1;
  return open;
}

/// Kernels that hold multiprocessors against others, and collectives that meet other transfers, are no passes' own
/// business.
bool Replay::is_closed(PassId pass, RankClassId rank, const std::vector<char>& free_chains) const {
  const StepStructure& structure = step_.structure();
  if (step_.compute_lanes_of(rank).size() != 1) return false;
  for (const PassOp& op : structure.passes[pass].ops) {
    const bool kernel = op.collective == PassOp::kernel;
    if (kernel ? works_.needs(op.work).reserved_sms > 0
               : free_chains[structure.pass_chains[rank][op.collective].value] == 0)
      return false;
  }
  return true;
}

void Replay::reset(ReplayResult spare) {
  result_ = std::move(spare);
  result_.ops.resize(step_.op_count());
  result_.last_arrival.assign(step_.structure().rendezvous.size(), OpId());
  result_.events = 0;
  events_.clear();
  loads_.reset();
  lanes_.reset();
  transfers_.reset();
  runs_.reset();
  passes_.reset();
  waiting_ = runs_.predecessors();
  ended_ = 0;
}

void Replay::handle(PendingEvent event) {
  const std::uint32_t index = event.index();
  switch (event.kind()) {
    case PendingEvent::issued:
      return start(OpId(index), OpId());
    case PendingEvent::computed:
      if (event.is_of(lanes_[LaneId(index)].version)) end(lanes_[LaneId(index)].op);
      return;
    case PendingEvent::ran:
      if (event.is_of(lanes_[LaneId(index)].version)) release_successors(runs_.end(LaneId(index)));
      return;
    case PendingEvent::passed: {
      const LaneId lane(index);
      if (!event.is_of(lanes_[lane].version)) return;
      passes_.end(lane);
      return end(lanes_[lane].op);
    }
    case PendingEvent::delayed:
      if (transfers_.end_delay(RendezvousId(index))) end_members(RendezvousId(index));
      return;
    case PendingEvent::transferred:
      if (!transfers_.is_current(event)) return;
      if (transfers_.end_transfer(RendezvousId(index))) end_members(RendezvousId(index));
      return;
  }
}

/// Everything that `op` waited for has ended.
void Replay::release(OpId op, OpId released_by) {
  const Picoseconds issued = step_.issued(op);
  if (issued > events_.now())
    events_.push(issued, {PendingEvent::issued, op.value});
  else
    start(op, released_by);
}

void Replay::start(OpId op, OpId released_by) {
  lanes_.take(op, released_by);
  const RendezvousId rendezvous = step_.op(op).rendezvous;
  if (step_.structure().op_pass[op].exists())
    begin_pass(op);
  else if (!rendezvous.exists())
    runs_.begins_with(op) ? runs_.begin(op) : lanes_.compute(op);
  else if (transfers_.arrive(op))
    begin_chain(rendezvous);
}

void Replay::begin_pass(OpId op) {
  lanes_.activate(op, {});
  passes_.begin(op);
  lanes_.mark_changed(step_.op(op).lane);
}

void Replay::begin_chain(RendezvousId rendezvous) {
  const Picoseconds alone = transfers_.alone(step_.structure().rendezvous[rendezvous].chain);
  transfers_.for_each_member(rendezvous, [&](OpId member) { lanes_.activate(member, alone); });
  transfers_.begin(rendezvous);
}

void Replay::end_members(RendezvousId rendezvous) {
  transfers_.for_each_member(rendezvous, [&](OpId member) { end(member); });
}

void Replay::end(OpId op) {
  lanes_.leave(op);
  ++ended_;
  release_successors(op);
  StepRounds::Job* const job = rounds_ ? rounds_->ended_by(op) : nullptr;
  if (!job) return;
  job->times.push_back(events_.now() - job->begun);
  begin_round(*job, events_.now());
}

void Replay::release_successors(OpId op) {
  step_.for_each_successor(op, [&](OpId successor) {
    if (--waiting_[successor] == 0) release(successor, op);
  });
}

void Replay::settle() {
  for (const RankClassId rank : loads_.changed()) share_device(rank);
  loads_.clear_changed();
  transfers_.settle();
}

void Replay::share_device(RankClassId rank) {
  for (const LaneId lane : step_.compute_lanes_of(rank)) {
    if (passes_.under_way(lane))
      passes_.plan(lane);
    else
      runs_.under_way(lane) ? runs_.plan(lane) : lanes_.share(lane);
  }
  if (!loads_.bounds_changed(rank)) return;
  for (const LaneId lane : step_.lanes_of(rank)) {
    const OpId op = lanes_[lane].op;
    if (op.exists() && step_.op(op).rendezvous.exists()) transfers_.on_memory_changed(step_.op(op).rendezvous);
  }
}

/// An op that has not ended waits for others, or for its partners.
void Replay::report_stuck() const {
  const auto has_ended = [&](OpId op) {
    const bool waits = waiting_[op] > 0 && !OpRuns::starts(waiting_[op]);
    const RendezvousId rendezvous = step_.op(op).rendezvous;
    return !waits && (!rendezvous.exists() || !transfers_.members_missing(rendezvous));
  };
  OpId op(0);
  while (has_ended(op)) ++op.value;
  const StepStructure& structure = step_.structure();
  const Lane& lane = structure.lanes[structure.op_lane[op]];
  throw std::logic_error(fmt::format("replay: op {} ({}) on lane {} of rank {} can never end", op.value,
                                     structure.work_names[structure.op_work[op]], lane.name,
                                     structure.ranks[lane.rank].name));
}

}  // namespace engine

namespace {

StepStructure opened(const StepStructure& structure, const std::vector<char>& open) {
  return flatten(structure,
                 [&](PassId pass, RankClassId rank) {
                   return open[rank.value * structure.passes.size() + pass.value] != 0;
                 })
      .structure;
}

bool any(const std::vector<char>& flags) {
  return std::find(flags.begin(), flags.end(), 1) != flags.end();
}

}  // namespace

StepStructure with_closed_passes(StepStructure structure, const StepTiming& timing) {
  const std::vector<char> open = engine::Replay(structure).open_passes(timing);
  return any(open) ? opened(structure, open) : std::move(structure);
}

Replayer::Replayer(const StepStructure& structure)
    : structure_(structure), replay_(std::make_unique<engine::Replay>(structure)) {}
Replayer::~Replayer() = default;

ReplayResult Replayer::run(const StepTiming& timing, ReplayResult spare) {
  return replay_at(timing).run(timing, std::move(spare));
}

RoundTimes Replayer::run_rounds(const StepTiming& timing, const SideBySide& wanted) {
  return replay_at(timing).run_rounds(timing, wanted);
}

/// Replay of the step, with those passes taken apart that must be at this timing.
engine::Replay& Replayer::replay_at(const StepTiming& timing) {
  std::vector<char> open = replay_->open_passes(timing);
  if (!any(open)) {
    flat_replay_.reset();
    return *replay_;
  }
  if (!flat_replay_ || open != opened_) {
    opened_ = std::move(open);
    flat_ = opened(structure_, opened_);
    flat_replay_ = std::make_unique<engine::Replay>(flat_);
  }
  return *flat_replay_;
}

const StepStructure& Replayer::structure() const {
  return flat_replay_ ? flat_ : structure_;
}

ReplayResult replay(const StepStructure& structure, const StepTiming& timing) {
  return Replayer(structure).run(timing);
}

}  // namespace clusterwright
