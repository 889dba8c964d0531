// SPDX-License-Identifier: Apache-2.0
#include "sim/pass_player.hpp"

#include <algorithm>

#include "sim/progress.hpp"

namespace clusterwright::engine {

void PassPlayer::begin(const TimedPass& pass, std::size_t segment, Picoseconds at, Picoseconds host,
                       const OutsideLoad& load) {
  pass_ = pass;
  first_ = pass.shape->gates[segment];
  end_ = pass.shape->gates[segment + 1];
  now_ = at;
  host_ = host;
  load_ = load;
  ops_.assign(end_ - first_ + (end_ < pass.shape->size() ? 1 : 0), {});
  for (std::uint32_t op = first_; op < end_; ++op) ops_[op - first_].waits = shape(op).waits;
  if (end_ < pass.shape->size()) ops_.back().waits = shape(end_).waits_at_gate;
  events_.clear();
  holders_.clear();
  losses_.clear();
  kernel_ = {};
  changed_ = done_ = false;
  start(first_, none);
}

/// Events of one instant come first, then speeds change, then time goes on.
void PassPlayer::advance(Picoseconds until) {
  while (!done_) {
    const auto next = std::min_element(events_.begin(), events_.end(),
                                       [](const Event& a, const Event& b) { return a.time < b.time; });
    if (next == events_.end() || next->time > now_) {
      if (now_ == until) return;
      if (changed_) {
        share();
        continue;
      }
      if (next->time > until) return;
    }
    const Event event = *next;
    events_.erase(next);
    now_ = event.time;
    if (event.issues)
      start(event.op, none);
    else
      end(event.op);
  }
}

void PassPlayer::change(Picoseconds at, const OutsideLoad& load) {
  now_ = at;
  load_ = load;
  changed_ = true;
}

void PassPlayer::push(Picoseconds time, std::uint32_t op, bool issues) {
  events_.push_back({time, op, issues});
}

void PassPlayer::release(std::uint32_t op, std::uint32_t by) {
  const Picoseconds issued = host_ + (*pass_.issued)[op];
  if (issued > now_)
    push(issued, op, true);
  else
    start(op, by);
}

void PassPlayer::start(std::uint32_t op, std::uint32_t by) {
  OpTimes& times = ops_[op - first_];
  times.start = now_;
  times.released_by = by;
  if (is_next_gate(op)) {
    done_ = true;
    return;
  }
  if (shape(op).is_kernel()) return start_kernel(op);
  times.unshared = (*pass_.alone)[shape(op).collective];
  if (held_by(op) > 0) {
    holders_.push_back(op);
    changed_ = true;
  }
  push(now_ + times.unshared, op, false);
}

void PassPlayer::start_kernel(std::uint32_t op) {
  OpTimes& times = ops_[op - first_];
  times.unshared = works_->alone(shape(op).work, pass_.rank);
  kernel_ = {op, full_speed, progress_of(times.unshared), now_, {}, {}};
  if (load_.sms > 0 || !holders_.empty()) changed_ = true;
  if (changed_)
    kernel_.speed = 0;
  else
    push(now_ + times.unshared, op, false);
}

void PassPlayer::end(std::uint32_t op) {
  ops_[op - first_].end = now_;
  if (op == kernel_.op) {
    if (kernel_.culprit.exists()) progress();
    kernel_ = {};
  } else if (held_by(op) > 0) {
    holders_.erase(std::find(holders_.begin(), holders_.end(), op));
    changed_ = true;
  }
  if (op + 1 == pass_.shape->size()) {
    done_ = true;
    return;
  }
  for (std::uint32_t i = shape(op).successor_begin; i < pass_.shape->ops[op + 1].successor_begin; ++i) {
    const std::uint32_t next = pass_.shape->successors[i];
    if (next <= end_ && --ops_[next - first_].waits == 0) release(next, op);
  }
}

void PassPlayer::share() {
  changed_ = false;
  if (kernel_.op == none) return;
  std::uint64_t reserved = load_.sms;
  for (const std::uint32_t holder : holders_) reserved += held_by(holder);
  const std::uint32_t speed = works_->speed_beside_reserved(works_->needs(shape(kernel_.op).work).sm_table, reserved);
  const ChargeId culprit = speed < full_speed ? largest_other() : kernel_.culprit;
  if (speed == kernel_.speed && culprit == kernel_.culprit) return;
  progress();
  kernel_.culprit = culprit;
  if (speed == kernel_.speed) return;
  kernel_.speed = speed;
  std::erase_if(events_, [&](const Event& event) { return event.op == kernel_.op && !event.issues; });
  push(now_ + time_for(kernel_.remaining, speed), kernel_.op, false);
}

/// The op with most multiprocessors; of equals, the one that was issued first.
ChargeId PassPlayer::largest_other() const {
  std::uint32_t largest = none, most = 0;
  for (const std::uint32_t holder : holders_)
    if (held_by(holder) > most || (held_by(holder) == most && holder < largest)) {
      largest = holder;
      most = held_by(holder);
    }
  const bool outside = load_.most > most || (load_.most == most && load_.first);
  return outside || largest == none ? load_.charge : shape(largest).charge;
}

/// Whole picoseconds of progress count, so that the losses add up to the extra time of the op.
void PassPlayer::progress() {
  kernel_.remaining = std::max<Int128>(0, kernel_.remaining - Int128{kernel_.speed} * (now_ - kernel_.since).count);
  kernel_.since = now_;
  if (!kernel_.culprit.exists()) return;
  const OpTimes& times = ops_[kernel_.op - first_];
  const Int128 made = progress_of(times.unshared) - kernel_.remaining;
  const Picoseconds lost = now_ - times.start - Picoseconds{static_cast<std::int64_t>(made >> full_speed_bits)};
  losses_.emplace_back(kernel_.culprit, lost - kernel_.lost);
  kernel_.lost = lost;
}

/// Dependency that was met last; of equals, the one that was issued first.
std::uint32_t PassPlayer::last_dependency(std::uint32_t op) const {
  std::uint32_t last = none;
  for (std::uint32_t before = first_; before < op; ++before)
    for (std::uint32_t i = shape(before).successor_begin; i < pass_.shape->ops[before + 1].successor_begin; ++i)
      if (pass_.shape->successors[i] == op && (last == none || this->op(before).end > this->op(last).end))
        last = before;
  return last;
}

}  // namespace clusterwright::engine
