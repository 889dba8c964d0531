// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/changed_field.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include "calibration/validation/published_job.hpp"
#include "calibration/validation/step_pairs.hpp"

namespace clusterwright {

namespace {

enum Change { other_part, other_architecture, other_format, later_release, change_count };

constexpr std::array<const char*, change_count> change_names = {
    "another accelerator of one architecture", "another architecture", "another number format", "a later release"};

/// Software of a job without its date.
std::string undated_software(MeasuredJob job) {
  job.release = {};
  return JobKey().software(job).switches(job).text();
}

std::optional<Change> change_of(PairAxis axis, const Measurement& from, const Measurement& to, const Catalog& catalog) {
  if (axis == PairAxis::number_format) return other_format;
  if (axis == PairAxis::software && undated_software(from.step->job) == undated_software(to.step->job))
    return later_release;
  if (axis != PairAxis::accelerator) return {};
  const AcceleratorPart* one = catalog.find_accelerator(from.hardware.accelerator);
  const AcceleratorPart* other = catalog.find_accelerator(to.hardware.accelerator);
  const bool alike = one && other && architecture_of(*one) == architecture_of(*other);
  return alike ? other_part : other_architecture;
}

}  // namespace

std::vector<ChangedField> changed_fields(const std::vector<Measurement>& measurements,
                                         const std::vector<CaseResult>& results, const Catalog& catalog) {
  std::array<RatioErrors, change_count> errors;
  for (const StepPair& pair : step_pairs(measurements, results, PairChoice::with_ties_and_superseded)) {
    std::size_t from = pair.first, to = pair.second;
    const auto change = change_of(pair.axis, measurements[from], measurements[to], catalog);
    if (!change) continue;
    const auto release_of = [&](std::size_t i) { return measurements[i].step->job.release; };
    const bool backwards = *change == later_release ? release_of(to) < release_of(from)
                                                    : results[to].measured.front() < results[from].measured.front();
    if (backwards) std::swap(from, to);
    errors[*change].add(results[from], results[to], pair.weight);
  }
  std::vector<ChangedField> out;
  for (std::size_t i = 0; i < errors.size(); ++i) out.push_back({change_names[i], errors[i].figures()});
  return out;
}

}  // namespace clusterwright
