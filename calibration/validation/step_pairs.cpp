// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/step_pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "calibration/validation/published_job.hpp"

namespace clusterwright {

namespace {

/// Difference of the logarithms of measured rates below which neither is faster.
constexpr double tie = 0.005;

/// What tells two steps apart.
enum Trait {
  trait_model,
  trait_sequence,
  trait_part,
  trait_machine,
  trait_size,
  trait_batch,
  trait_layout,
  trait_format,
  trait_software,
  trait_count
};

using Traits = std::array<std::string, trait_count>;

/// Traits of one axis: one that differs, and others that may follow it.
struct AxisRule {
  Trait differs;
  std::vector<Trait> follow;
};

AxisRule rule_of(PairAxis axis) {
  switch (axis) {
    case PairAxis::accelerator:
      return {trait_part, {trait_machine, trait_batch, trait_layout}};
    case PairAxis::accelerators:
      return {trait_size, {trait_batch}};
    case PairAxis::layout:
      return {trait_layout, {}};
    case PairAxis::number_format:
      return {trait_format, {}};
    case PairAxis::sequence:
      return {trait_sequence, {trait_batch, trait_layout}};
    case PairAxis::software:
      break;
  }
  return {trait_software, {}};
}

template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : std::string("-");
}

std::string software_of(MeasuredJob job) {
  job.precision.reset();
  job.pure_low_precision.reset();
  return JobKey().software(job).switches(job).text();
}

Traits traits_of(const Measurement& m) {
  const MeasuredJob& job = m.step->job;
  MeasuredModel model = m.step->model;
  Traits out;
  out[trait_sequence] = text_of(model.sequence);
  model.sequence.reset();
  out[trait_model] = JobKey().model(model).add(job.task).text();
  out[trait_part] = m.hardware.accelerator;
  out[trait_machine] = JobKey().machine(m.hardware).add(m.hardware.scale_out_kind).text();
  out[trait_size] = fmt::format("{}", m.hardware.accelerators);
  out[trait_batch] = text_of(job.global_batch);
  out[trait_layout] = JobKey().layout(job).add(job.offload_what.value_or("-")).text();
  out[trait_format] = text_of(job.precision) + " " + text_of(job.pure_low_precision);
  out[trait_software] = software_of(job);
  return out;
}

/// Publisher and every trait that steps of one axis share.
std::string shared_key(const Measurement& m, const Traits& traits, const AxisRule& rule) {
  std::string key = m.source.substr(0, m.source.find(' '));
  for (std::size_t i = 0; i < trait_count; ++i) {
    const bool open = i == rule.differs || std::ranges::find(rule.follow, static_cast<Trait>(i)) != rule.follow.end();
    key += "|" + (open ? std::string() : traits[i]);
  }
  return key;
}

/// Whether what an axis compares is published on both sides and differs.
bool differ(const Measurement& a, const Measurement& b, PairAxis axis) {
  const MeasuredStep &one = *a.step, &other = *b.step;
  switch (axis) {
    case PairAxis::accelerator:
      return a.hardware.accelerator != b.hardware.accelerator;
    case PairAxis::accelerators:
      return a.hardware.accelerators != b.hardware.accelerators;
    case PairAxis::layout:
      return surely_differ(one.job, other.job);
    case PairAxis::number_format:
      return one.job.precision && other.job.precision && one.job.precision != other.job.precision;
    case PairAxis::sequence:
      return one.model.sequence && other.model.sequence && one.model.sequence != other.model.sequence;
    case PairAxis::software:
      break;
  }
  return one.job.release.known() && other.job.release.known() && software_of(one.job) != software_of(other.job);
}

/// Steps that an axis may compare.
struct PairFinder {
  const std::vector<Measurement>& measurements;
  const std::vector<CaseResult>& results;
  PairChoice choice;

  bool takes_all() const { return choice == PairChoice::with_ties_and_superseded; }

  bool comparable(std::size_t a, std::size_t b, PairAxis axis) const {
    const CaseResult &one = results[a], &other = results[b];
    const bool one_cell = !one.cell.empty() && one.cell == other.cell;
    const bool is_tie = std::abs(std::log(one.measured.front() / other.measured.front())) < tie;
    return !one_cell && (takes_all() || !is_tie) && (one.scored || other.scored) &&
           differ(measurements[a], measurements[b], axis);
  }

  /// Pairs of one axis, by publisher.
  std::map<std::string, std::vector<StepPair>> pairs(PairAxis axis) const {
    const AxisRule rule = rule_of(axis);
    std::map<std::string, std::vector<std::size_t>> groups;
    for (std::size_t i = 0; i < results.size(); ++i)
      if ((takes_all() || results[i].scored) && results[i].step && measurements[i].step && is_valid(results[i]))
        groups[shared_key(measurements[i], traits_of(measurements[i]), rule)].push_back(i);
    std::map<std::string, std::vector<StepPair>> out;
    for (const auto& [key, members] : groups)
      for (std::size_t k = 1; k < members.size(); ++k)
        for (std::size_t l = 0; l < k; ++l)
          if (comparable(members[l], members[k], axis))
            out[key.substr(0, key.find('|'))].push_back({members[l], members[k], axis, 0});
    return out;
  }

  void weigh(std::vector<StepPair>& pairs) const {
    std::map<std::size_t, double> partners;
    for (const StepPair& pair : pairs) ++partners[pair.first], ++partners[pair.second];
    const auto part = [&](std::size_t step) { return results[step].weight / partners[step] / 2; };
    double sum = 0;
    for (StepPair& pair : pairs) sum += pair.weight = part(pair.first) + part(pair.second);
    for (StepPair& pair : pairs) pair.weight /= std::sqrt(sum);
  }
};

}  // namespace

std::vector<StepPair> step_pairs(const std::vector<Measurement>& measurements, const std::vector<CaseResult>& results,
                                 PairChoice choice) {
  const PairFinder finder{measurements, results, choice};
  std::vector<StepPair> out;
  for (std::size_t axis = 0; axis < pair_axis_names.size(); ++axis)
    for (auto& [publisher, pairs] : finder.pairs(static_cast<PairAxis>(axis))) {
      finder.weigh(pairs);
      out.insert(out.end(), pairs.begin(), pairs.end());
    }
  return out;
}

}  // namespace clusterwright
