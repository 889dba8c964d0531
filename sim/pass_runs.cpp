// SPDX-License-Identifier: Apache-2.0
#include "sim/pass_runs.hpp"

#include <algorithm>

namespace clusterwright::engine {

namespace {
constexpr unsigned remembered_bits = 10;
}  // namespace

/// Fibonacci hashing of what differs most.
std::size_t PassRuns::Question::hash() const {
  std::uint64_t mixed = (std::uint64_t{pass.value} << 40) ^ (std::uint64_t{variant} << 20) ^ segment;
  const auto mix = [&](std::int64_t number) {
    mixed = (mixed ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15;
  };
  mix(host.count);
  for (const Change& change : changes) {
    mix(change.at.count);
    mix(static_cast<std::int64_t>(change.load.sms));
  }
  return mixed >> (64 - remembered_bits);
}

void PassRuns::reset() {
  const StepStructure& structure = step_.structure();
  runs_.resize(structure.lanes.size());
  for (Run& run : runs_) {
    run.op = OpId();
    run.load = {};
    run.load_place = 0;
  }
  result_.pass_charges.resize(structure.ranks.size());
  for (std::vector<Picoseconds>& charged : result_.pass_charges) charged.assign(structure.charge_names.size(), {});
  result_.pass_changes.clear();
  result_.pass_loads.assign(1, {});
  remembered_.resize(1u << remembered_bits);
  for (Remembered& remembered : remembered_) remembered.question.pass = PassId();
}

void PassRuns::begin(OpId op) {
  const LaneId lane = step_.op(op).lane;
  Run& run = runs_[lane];
  run.op = op;
  run.pass = step_.structure().op_pass[op];
  run.rank = step_.rank_of(lane);
  run.planned = run.partial = false;
  run.segment = 0;
  run.since = events_.now();
  run.host = step_.issued(op) - times_.first_issue(run.pass);
}

OutsideLoad PassRuns::load_beside(LaneId lane) const {
  const Takers& sms = lanes_.loads().sms(step_.rank_of(lane));
  if (sms.amount == 0) return {};
  const OpId holder = lanes_.largest_other_holder_op(lane);
  return {sms.amount, lanes_.works().needs(step_.op(holder).work).reserved_sms, step_.op(holder).charge,
          holder < lanes_[lane].op};
}

void PassRuns::plan(LaneId lane) {
  Run& run = runs_[lane];
  const OutsideLoad load = load_beside(lane);
  if (run.planned && load == run.load) return;
  if (run.planned) catch_up(run);
  if (load != run.load) run.load_place = place_of(load);
  run.load = load;
  result_.pass_changes.push_back({events_.now(), run.op, run.load_place});
  if (run.partial) run.question.changes.push_back({events_.now() - run.since, load});
  const Picoseconds end = forecast(run);
  if (run.planned && end == run.end) return;
  run.planned = true;
  run.end = end;
  events_.push(end, {PendingEvent::passed, lane.value, ++lanes_[lane].version});
}

std::uint32_t PassRuns::place_of(const OutsideLoad& load) {
  std::vector<OutsideLoad>& loads = result_.pass_loads;
  const auto known = std::find(loads.begin(), loads.end(), load);
  const auto place = static_cast<std::uint32_t>(known - loads.begin());
  if (known == loads.end()) loads.push_back(load);
  return place;
}

void PassRuns::end(LaneId lane) {
  Run& run = runs_[lane];
  catch_up(run);
  run.op = OpId();
}

bool PassRuns::host_is_ahead(const Run& run, const PassTable& table, std::size_t segment, Picoseconds at) const {
  return at >= run.host + table.lead[segment];
}

/// Up to now, beside the load that was there so far.
void PassRuns::catch_up(Run& run) {
  if (run.partial && !leave_partial(run)) return;
  const PassTable& table = table_of(run);
  const std::size_t segments = times_.shape(run.pass).segments();
  while (run.segment < segments && run.since < events_.now()) {
    if (host_is_ahead(run, table, run.segment, run.since)) {
      skip_segments(run, table);
      if (run.segment < segments && run.since < events_.now()) return enter(run);
      continue;
    }
    enter(run);
    play(run);
    if (run.segment_end() > events_.now()) return;
    leave(run);
  }
}

/// @return whether the segment is over
bool PassRuns::leave_partial(Run& run) {
  if (run.segment_end() > events_.now()) return false;
  leave(run);
  return true;
}

void PassRuns::leave(Run& run) {
  std::vector<Picoseconds>& charged = result_.pass_charges[run.rank];
  for (const auto& [charge, time] : run.answer.charges) charged[charge.value] += time;
  run.since = run.segment_end();
  ++run.segment;
  run.partial = false;
}

void PassRuns::skip_segments(Run& run, const PassTable& table) {
  const Picoseconds at = events_.now() - run.since + table.begin[run.segment];
  const auto behind =
      std::upper_bound(table.begin.begin() + static_cast<std::ptrdiff_t>(run.segment), table.begin.end(), at);
  const auto to = static_cast<std::size_t>(behind - table.begin.begin()) - 1;
  std::vector<Picoseconds>& charged = result_.pass_charges[run.rank];
  for (std::size_t i = 0; i < table.charges.size(); ++i)
    charged[table.charges[i].value] += table.charged_between(run.segment, to, i);
  run.since += table.begin[to] - table.begin[run.segment];
  run.segment = to;
}

void PassRuns::enter(Run& run) {
  run.partial = true;
  run.question.pass = run.pass;
  run.question.variant = times_.variant(run.rank);
  run.question.segment = run.segment;
  const bool issued = run.host + times_.issued_through(run.pass, run.segment) <= run.since;
  run.question.host = issued ? PassPlayer::host_ahead : run.host - run.since;
  run.question.changes.assign(1, {{}, run.load});
}

/// Plays the segment from its begin to its end, if the load stays. A second change in one segment is rare: it plays the
/// segment once more.
void PassRuns::play(Run& run) {
  Remembered& remembered = remembered_[run.question.hash()];
  if (run.question != remembered.question) {
    play(run.question, run.rank, remembered.answer);
    remembered.question = run.question;
  }
  run.answer = remembered.answer;
}

void PassRuns::play(const Question& question, RankClassId rank, Answer& answer) {
  player_.begin(times_.on(question.pass, rank), question.segment, {}, question.host, question.changes[0].load);
  for (std::size_t i = 1; i < question.changes.size(); ++i) {
    player_.advance(question.changes[i].at);
    player_.change(question.changes[i].at, question.changes[i].load);
  }
  player_.finish();
  answer.length = player_.end();
  answer.charges.clear();
  player_.charge([&](ChargeId charge, Picoseconds time) {
    if (time.count != 0) answer.charges.emplace_back(charge, time);
  });
}

/// End of the pass, if the load stays.
Picoseconds PassRuns::forecast(Run& run) {
  std::size_t segment = run.segment;
  Picoseconds at = run.since;
  if (run.partial) {
    play(run);
    at = run.segment_end();
    ++segment;
  }
  const std::size_t segments = times_.shape(run.pass).segments();
  const PassTable& table = table_of(run);
  while (segment < segments && !host_is_ahead(run, table, segment, at)) {
    player_.begin(times_.on(run.pass, run.rank), segment, at, run.host, run.load);
    player_.finish();
    at = player_.end();
    ++segment;
  }
  return segment < segments ? at + table.begin.back() - table.begin[segment] : at;
}

}  // namespace clusterwright::engine
