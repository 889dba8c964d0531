// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/changed_field.hpp"

#include <functional>
#include <map>
#include <utility>

#include "calibration/validation/published_job.hpp"

namespace clusterwright {

namespace {

struct PairedStep {
  const Measurement* measurement;
  const CaseResult* result;
};

/// Key of all that both steps of a pair share. @param m  without the field that changes
std::string shared(const Measurement& m) {
  const MeasuredStep& step = *m.step;
  JobKey key;
  key.model(step.model).software(step.job).layout(step.job).machine(m.hardware);
  return key.add(m.hardware.accelerators).add(*step.job.global_batch).text();
}

/// A field that changes: how to forget it, and what it says.
struct Field {
  const char* name;
  std::function<void(Measurement&)> forget;
  std::function<std::string(const Measurement&)> value;
};

std::vector<Field> fields() {
  return {{"another accelerator",
           [](Measurement& m) {
             m.hardware.accelerator.clear();
             m.hardware.accelerators_per_node = 0;
             m.hardware.scale_out.reset();
             m.hardware.power_limit.reset();
           },
           [](const Measurement& m) { return m.hardware.accelerator; }},
          {"another power limit", [](Measurement& m) { m.hardware.power_limit.reset(); },
           [](const Measurement& m) {
             const auto& limit = m.hardware.power_limit;
             return limit ? std::to_string(limit->in(watt)) : std::string();
           }},
          {"another number format", [](Measurement& m) { m.step->job.precision.reset(); },
           [](const Measurement& m) { return m.step->job.precision.value_or(""); }},
          {"a later release", [](Measurement& m) { m.step->job.release = {}; },
           [](const Measurement& m) { return m.step->job.release.text(); }}};
}

bool is_later(const Field& field, const PairedStep& from, const PairedStep& to) {
  const std::string one = field.value(*from.measurement), other = field.value(*to.measurement);
  const bool dated = from.measurement->step->job.release.text() != to.measurement->step->job.release.text();
  if (dated) return one < other;
  return one != other && from.result->measured.front() < to.result->measured.front();
}

RatioFigures figures_of(const Field& field, const std::vector<Measurement>& measurements,
                        const std::vector<CaseResult>& results) {
  std::map<std::string, std::vector<PairedStep>> jobs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Measurement& m = measurements[i];
    if (!results[i].step || !is_valid(results[i]) || !m.step || !m.step->job.global_batch) continue;
    if (field.value(m).empty() && field.name != std::string("another power limit")) continue;
    Measurement rest = m;
    field.forget(rest);
    jobs[shared(rest)].push_back({&m, &results[i]});
  }
  RatioErrors errors;
  for (const auto& [key, rows] : jobs)
    for (const PairedStep& from : rows)
      for (const PairedStep& to : rows)
        if ((from.result->scored || to.result->scored) && is_later(field, from, to))
          errors.add(*from.result, *to.result);
  return errors.figures();
}

}  // namespace

std::vector<ChangedField> changed_fields(const std::vector<Measurement>& measurements,
                                         const std::vector<CaseResult>& results) {
  std::vector<ChangedField> out;
  for (const Field& field : fields()) out.push_back({field.name, figures_of(field, measurements, results)});
  return out;
}

}  // namespace clusterwright
