// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/repetitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace clusterwright {

namespace {

using Clock = std::chrono::steady_clock;

Seconds elapsed(Clock::time_point begin, Clock::time_point end) {
  return std::chrono::duration<double>(end - begin).count() * second;
}

/// Time of one call, at least a tenth of a nanosecond, since even an invisible call takes some time.
Seconds timed_run(ProbeCase& subject, std::int64_t calls) {
  subject.prepare();
  const auto begin = Clock::now();
  for (std::int64_t i = 0; i < calls; ++i) subject.run();
  const auto end = Clock::now();
  return std::max(elapsed(begin, end) / static_cast<double>(calls), 0.1 * nanosecond);
}

std::int64_t calls_for(Seconds one, const PlannedCase& planned, const RepetitionRule& rule) {
  constexpr std::int64_t most = 100000;
  if (!planned.repeats_in_place || one >= rule.shortest) return 1;
  return std::clamp<std::int64_t>(std::llround(std::ceil(rule.shortest / one)), 1, most);
}

void require_time_for(std::size_t done, Seconds each, const TimeBudget& all) {
  const double wanted = static_cast<double>(least_repetitions - done);
  if (done < least_repetitions && wanted * each > all.left())
    throw ProbeFailure(fmt::format("time budget used up after {} of at least {} repetitions", done, least_repetitions));
}

/// @return calls between two readings of the clock
std::int64_t warm_up(ProbeCase& subject, const PlannedCase& planned, const RepetitionRule& rule,
                     const TimeBudget& all) {
  constexpr double is_short = 100;  // multiples of the time of a clock reading
  Seconds one = timed_run(subject, 1);
  if (one < is_short * rule.shortest) one = timed_run(subject, 1);
  require_time_for(0, one, all);
  return calls_for(one, planned, rule);
}

}  // namespace

TimeBudget::TimeBudget(Seconds length)
    : end_(Clock::now() + std::chrono::nanoseconds(std::llround(std::max(length, Seconds{}).in(nanosecond)))) {}

Seconds TimeBudget::left() const {
  return std::max(elapsed(Clock::now(), end_), Seconds{});
}

ProbeSample measure_case(const PlannedCase& planned, const RepetitionRule& rule, Seconds own, const TimeBudget& all) {
  ProbeSample out;
  out.what = planned.what;
  out.flops = planned.flops;
  out.bytes = planned.bytes;
  if (all.used_up()) throw ProbeFailure("time budget used up before it began");
  const std::unique_ptr<ProbeCase> subject = planned.build();
  out.launches = warm_up(*subject, planned, rule, all);
  const TimeBudget usual(own);
  Seconds each;
  while (out.repetitions.size() < rule.most) {
    const bool enough = out.repetitions.size() >= least_repetitions;
    if (enough && (usual.used_up() || each > all.left())) break;
    require_time_for(out.repetitions.size(), each, all);
    const Seconds time = timed_run(*subject, out.launches);
    each = static_cast<double>(out.launches) * time;
    out.repetitions.push_back(planned.time_share * time);
  }
  subject->check();
  return out;
}

}  // namespace clusterwright
