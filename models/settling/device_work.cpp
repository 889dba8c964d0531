// SPDX-License-Identifier: Apache-2.0
#include "models/settling/device_work.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "sim/pass_traces.hpp"
#include "sim/step_works.hpp"

namespace clusterwright {

namespace {

double seconds(Picoseconds time) {
  return to_seconds(time).in(second);
}

/// Timeline of one rank class.
class Device {
 public:
  Device(const StepView& step, RankClassId rank)
      : step_(step), rank_(rank), window_(step.timing.control[rank].window.in(second)) {}

  /// @param traces  made where somebody first needs them
  void add_compute(OpId op, std::optional<PassTraces>& traces);
  void add_transfer(OpId op);
  /// Ops and waits up to the end of the step, once all have been added.
  std::vector<Stretch> stretches();

 private:
  struct Part {
    Picoseconds from;
    Stretch stretch;
  };

  const Stretch& work_of(OpId op);
  Stretch pass_work(PassId pass) const;
  bool may_wait(PassId pass) const;
  double collectives_between(const PassTrace& trace, PassId pass, Picoseconds from, Picoseconds to) const;
  void leave_out_waits(const PassTrace& trace, PassId pass, Stretch& stretch) const;
  void add_beside(Picoseconds from, Picoseconds to, Watts power);
  void add_wait(Picoseconds to);

  const StepView& step_;
  RankClassId rank_;
  double window_;
  Picoseconds done_;
  std::vector<Part> parts_;                             // in order of time, without gaps
  std::map<std::pair<PassId, WorkId>, Stretch> works_;  // at the reference clock
  mutable std::map<PassId, bool> may_wait_;
};

/// Work of all ops inside a pass. Its collectives meet no others.
Stretch Device::pass_work(PassId pass) const {
  const StepStructure& s = step_.structure;
  Stretch out;
  for (const PassOp& op : s.passes[pass].ops) {
    const WorkTiming& work = step_.timing.works[op.work];
    const bool kernel = op.collective == PassOp::kernel;
    if (s.lanes[s.pass_lanes[rank_][op.lane]].kind == LaneKind::compute)
      out.add_kernels(work.power.in(watt), seconds(work.duration), work.clock_share);
    else if (!kernel)
      out.energy.fixed += work.power.in(watt)*seconds(time_alone(s, step_.timing, s.pass_chains[rank_][op.collective]));
  }
  return out;
}

const Stretch& Device::work_of(OpId op) {
  const PassId pass = step_.structure.op_pass[op];
  const WorkId work = step_.structure.op_work[op];
  const auto [known, added] = works_.try_emplace({pass, work});
  if (!added) return known->second;
  if (pass.exists()) {
    known->second = pass_work(pass);
  } else {
    const WorkTiming& timing = step_.timing.works[work];
    known->second.add_kernels(timing.power.in(watt), seconds(timing.duration), timing.clock_share);
  }
  return known->second;
}

/// Whether a kernel of the pass may wait longer than the window: for a collective of at least half of it.
bool Device::may_wait(PassId pass) const {
  const auto [known, added] = may_wait_.try_emplace(pass, false);
  if (added)
    known->second = std::ranges::any_of(step_.structure.passes[pass].ops, [&](const PassOp& op) {
      if (op.collective == PassOp::kernel) return false;
      const ChainId chain = step_.structure.pass_chains[rank_][op.collective];
      return 2 * seconds(time_alone(step_.structure, step_.timing, chain)) >= window_;
    });
  return known->second;
}

/// Joules above idle of collectives inside a pass from one time to another.
double Device::collectives_between(const PassTrace& trace, PassId pass, Picoseconds from, Picoseconds to) const {
  const std::vector<PassOp>& ops = step_.structure.passes[pass].ops;
  double joules = 0;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].collective == PassOp::kernel) continue;
    const Picoseconds begin = std::max(from, trace.ops[i].start), end = std::min(to, trace.ops[i].end);
    if (begin < end) joules += step_.timing.works[ops[i].work].power.in(watt)*seconds(end - begin);
  }
  return joules;
}

/// Leaves a window of each wait, with its share of the energy of collectives.
void Device::leave_out_waits(const PassTrace& trace, PassId pass, Stretch& stretch) const {
  const std::vector<PassOp>& ops = step_.structure.passes[pass].ops;
  Picoseconds done = trace.ops.front().start;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (ops[i].lane != 0) continue;
    const Picoseconds start = trace.ops[i].start;
    const double wait = seconds(start - done);
    if (wait > window_) {
      const double left_out = 1 - window_ / wait;
      stretch.time -= left_out * wait;
      stretch.energy.fixed -= left_out * collectives_between(trace, pass, done, start);
    }
    done = std::max(done, trace.ops[i].end);
  }
}

void Device::add_wait(Picoseconds to) {
  if (to <= done_) return;
  parts_.push_back({done_, {}});
  parts_.back().stretch.time = seconds(to - done_);
  done_ = to;
}

void Device::add_compute(OpId op, std::optional<PassTraces>& traces) {
  const OpTrace& trace = step_.result.ops[op];
  add_wait(trace.active);
  Stretch stretch = work_of(op);
  const double extra = stretch.clocked_time * (1 / step_.timing.clock[rank_] - 1);
  stretch.time = std::max(0.0, seconds(trace.end - trace.active) - extra);
  const PassId pass = step_.structure.op_pass[op];
  if (pass.exists() && may_wait(pass)) {
    if (!traces) traces.emplace(step_.structure, step_.timing, step_.result);
    leave_out_waits(traces->of(op), pass, stretch);
  }
  parts_.push_back({trace.active, stretch});
  done_ = std::max(done_, trace.end);
}

void Device::add_transfer(OpId op) {
  const WorkTiming& work = step_.timing.works[step_.structure.op_work[op]];
  const OpTrace& trace = step_.result.ops[op];
  add_wait(step_.result.end);  // behind all work
  add_beside(trace.start, trace.active, work.waiting_power);
  add_beside(trace.active, trace.end, work.power);
}

/// Spreads a power over the parts that it overlaps.
void Device::add_beside(Picoseconds from, Picoseconds to, Watts power) {
  if (from >= to || power <= Watts() || parts_.empty()) return;
  auto part = std::ranges::upper_bound(parts_, from, {}, &Part::from);
  if (part != parts_.begin()) --part;
  for (; part != parts_.end() && part->from < to; ++part) {
    const auto next = std::next(part);
    const Picoseconds end = std::min(to, next == parts_.end() ? step_.result.end : next->from);
    part->stretch.energy.fixed += power.in(watt)*seconds(end - std::max(from, part->from));
  }
}

std::vector<Stretch> Device::stretches() {
  add_wait(step_.result.end);
  std::vector<Stretch> out;
  out.reserve(parts_.size());
  for (const Part& part : parts_) out.push_back(part.stretch);
  return out;
}

using Stretches = IndexedVector<RankClassId, std::vector<Stretch>>;

/// Ops and waits in order of time; none of devices without a governor.
Stretches stretches_of(const StepView& step) {
  const StepStructure& s = step.structure;
  std::vector<Device> devices;
  for (const RankClassId rank : s.ranks.ids()) devices.emplace_back(step, rank);
  const auto each = [&](const auto& visit) {
    for (const OpId op : s.op_lane.ids()) {
      const Lane& lane = s.lanes[s.op_lane[op]];
      if (step.timing.control[lane.rank].governed) visit(devices[lane.rank.value], lane.kind, op);
    }
  };
  std::optional<PassTraces> traces;
  each([&](Device& device, LaneKind kind, OpId op) {
    if (kind == LaneKind::compute) device.add_compute(op, traces);
  });
  each([&](Device& device, LaneKind kind, OpId op) {
    if (kind != LaneKind::compute) device.add_transfer(op);
  });
  Stretches out;
  for (const RankClassId rank : s.ranks.ids())
    out.push_back(step.timing.control[rank].governed ? devices[rank.value].stretches() : std::vector<Stretch>());
  return out;
}

/// Sum of stretches, of each wait no more than a window.
Stretch seen(const std::vector<Stretch>& stretches, double window) {
  Stretch sum;
  for (const Stretch& stretch : stretches) {
    const bool waits = stretch.clocked_time <= 0 && stretch.energy.clocked <= 0 && stretch.energy.crossed <= 0;
    sum += waits && stretch.time > window ? window / stretch.time * stretch : stretch;
  }
  return sum;
}

/// Step with what it does over and over in its middle.
class RepeatedStretches {
 public:
  /// @param longer, shorter  stretches of two steps, one period apart
  RepeatedStretches(const std::vector<Stretch>& longer, const std::vector<Stretch>& shorter, double window);

  /// Whether the longer step has more than the shorter one.
  bool repeats() const { return !unit_.empty(); }
  /// Copies of the unit that make up so many periods.
  double copies_of(double periods) const { return periods / periods_of_unit_; }
  /// Copies that show how all further ones go on.
  std::size_t telling_copies() const;
  /// `longer` with so many further units in its middle.
  std::vector<Stretch> with(double copies) const;

 private:
  bool find_period(const std::vector<Stretch>& shorter);

  const std::vector<Stretch>& longer_;
  double window_;
  std::size_t begin_;
  Stretch more_;  ///< of one period
  /// Stretches of a period; where a window covers it, one for as many periods as a window does not tell apart.
  std::vector<Stretch> unit_;
  double periods_of_unit_ = 1;
};

RepeatedStretches::RepeatedStretches(const std::vector<Stretch>& longer, const std::vector<Stretch>& shorter,
                                     double window)
    : longer_(longer), window_(window), begin_(longer.size() / 2), more_(seen(longer, window)) {
  more_ += -1 * seen(shorter, window);
  if (more_.time <= 0 || more_.clocked_time < 0) return;
  if (more_.time > window / 2 && find_period(shorter)) return;
  periods_of_unit_ = std::max(1.0, std::floor(window / 8 / more_.time));
  unit_ = {periods_of_unit_ * more_};
}

double joules(const Stretch& stretch) {
  return stretch.energy.clocked + stretch.energy.crossed + stretch.energy.fixed;
}

/// What the longer step has more, taken from its middle. @return false if the middle is clearly something else
bool RepeatedStretches::find_period(const std::vector<Stretch>& shorter) {
  if (longer_.size() <= shorter.size()) return false;
  const std::size_t begin = shorter.size() / 2, end = begin + longer_.size() - shorter.size();
  std::vector<Stretch> middle(longer_.begin() + static_cast<std::ptrdiff_t>(begin),
                              longer_.begin() + static_cast<std::ptrdiff_t>(end));
  const Stretch sum = seen(middle, window_);
  const auto alike = [](double a, double b) { return std::abs(a - b) <= 0.02 * std::abs(b); };
  if (!alike(sum.time, more_.time) || !alike(sum.clocked_time, more_.clocked_time) ||
      !alike(joules(sum), joules(more_)))
    return false;
  Stretch left = more_;
  left += -1 * sum;
  const double time = std::transform_reduce(middle.begin(), middle.end(), 0.0, std::plus<>(),
                                            [](const Stretch& stretch) { return stretch.time; });
  for (Stretch& stretch : middle) stretch += stretch.time / time * left;
  begin_ = begin;
  unit_ = std::move(middle);
  return true;
}

std::size_t RepeatedStretches::telling_copies() const {
  constexpr double stretches = 512, windows = 32;
  const double of_windows = windows * window_ / (periods_of_unit_ * more_.time);
  return static_cast<std::size_t>(std::max({2.0, stretches / static_cast<double>(unit_.size()), of_windows}));
}

std::vector<Stretch> RepeatedStretches::with(double copies) const {
  const auto begin = longer_.begin() + static_cast<std::ptrdiff_t>(begin_);
  std::vector<Stretch> out(longer_.begin(), begin);
  for (; copies >= 1; --copies) out.insert(out.end(), unit_.begin(), unit_.end());
  if (copies > 0)
    for (const Stretch& stretch : unit_) out.push_back(copies * stretch);
  out.insert(out.end(), begin, longer_.end());
  return out;
}

GovernedTime governed_time(const StepTiming& timing, RankClassId rank, const std::vector<Stretch>& stretches) {
  const PowerControl& control = timing.control[rank];
  if (!control.governed) return {};
  const double headroom = (timing.power_limit[rank] - timing.idle_power[rank]).in(watt);
  return Governor(headroom, control.voltage, control.window.in(second)).time_of(stretches);
}

/// Of a step with `periods` further ones: those beyond some go on as these do.
GovernedTime continued_time(const StepTiming& timing, RankClassId rank, const RepeatedStretches& step, double periods) {
  if (!step.repeats()) return governed_time(timing, rank, step.with(0));
  const double copies = step.copies_of(periods);
  const auto telling = static_cast<double>(step.telling_copies());
  GovernedTime out = governed_time(timing, rank, step.with(std::min(copies, telling)));
  if (copies <= telling) return out;
  const double half = std::floor(telling / 2);
  const GovernedTime few = governed_time(timing, rank, step.with(half));
  const double more = (copies - telling) / (telling - half);
  out.clocked += more * (out.clocked - few.clocked);
  out.lost += more * std::max(0.0, out.lost - few.lost);
  return out;
}

}  // namespace

IndexedVector<RankClassId, GovernedTime> governed_times(const StepView& step) {
  const Stretches stretches = stretches_of(step);
  IndexedVector<RankClassId, GovernedTime> out;
  for (const RankClassId rank : stretches.ids()) out.push_back(governed_time(step.timing, rank, stretches[rank]));
  return out;
}

IndexedVector<RankClassId, GovernedTime> governed_times(const StepView& shorter, const StepView& longer,
                                                        double repeats) {
  const Stretches few = stretches_of(shorter), many = stretches_of(longer);
  IndexedVector<RankClassId, GovernedTime> out;
  for (const RankClassId rank : many.ids()) {
    const double window = longer.timing.control[rank].window.in(second);
    out.push_back(continued_time(longer.timing, rank, RepeatedStretches(many[rank], few[rank], window), repeats));
  }
  return out;
}

}  // namespace clusterwright
