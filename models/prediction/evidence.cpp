// SPDX-License-Identifier: Apache-2.0
#include "models/prediction/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/job/parameter_choice.hpp"
#include "models/prediction/prediction_interval.hpp"

namespace clusterwright {

namespace {

bool lists(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// Whether the kernels of a part are those of its vendor: a generic set may pool parts of others only.
bool own_kernels(const ParameterSet& set, const std::string& vendor) {
  return !set.accelerator.empty() || set.pooled_vendors.empty() || lists(set.pooled_vendors, vendor);
}

MeasuredAccelerator accelerator_of(const Scenario& s) {
  const StepCalibration& c = s.steps;
  const AcceleratorPart& part = s.cluster.accelerator;
  if (lists(c.accelerators, measured_id(part))) return MeasuredAccelerator::itself;
  if (lists(c.fitted, "kernel_tax/" + step_architecture(part))) return MeasuredAccelerator::architecture;
  const bool vendor = c.vendors.empty() || lists(c.vendors, part.vendor);
  return vendor && own_kernels(s.parameters, part.vendor) ? MeasuredAccelerator::vendor : MeasuredAccelerator::none;
}

MeasuredStack stack_of(const Scenario& s) {
  const std::string entry = step_factors(s.steps, s.stack, s.job, s.cluster.accelerator).entry;
  if (entry.empty() || entry == other_entry) return MeasuredStack::none;
  return s.stack_changed ? MeasuredStack::entry : MeasuredStack::itself;
}

/// "-27/+38 %"
std::string interval_text(double sigma) {
  const double half = half_width_90 * sigma;
  return fmt::format("-{:.0f}/+{:.0f} %", -100 * std::expm1(-half), 100 * std::expm1(half));
}

std::string parameters_text(const Scenario& s) {
  const std::string& fitted = s.parameters.accelerator;
  if (fitted.empty()) return "its kernel parameters are generic";
  return fitted == s.cluster.accelerator.id ? "its kernels are measured"
                                            : "its kernel parameters are those of " + fitted;
}

const char* relatives_text(const Scenario& s, MeasuredAccelerator evidence) {
  const bool none = evidence == MeasuredAccelerator::none;
  if (none && !lists(s.steps.vendors, s.cluster.accelerator.vendor)) return ", nor of its vendor";
  return none || evidence == MeasuredAccelerator::vendor ? ", nor of its architecture" : "";
}

std::string accelerator_text(const Scenario& s, const Evidence& evidence) {
  const AcceleratorPart& part = s.cluster.accelerator;
  if (evidence.accelerator == MeasuredAccelerator::itself)
    return fmt::format("{} takes its parameters from {}, from which its data sheet differs: {}", part.id, part.like,
                       s.like->differences);
  return fmt::format("no published step of {} is in the calibration{}; {}", part.id,
                     relatives_text(s, evidence.accelerator), parameters_text(s));
}

std::string stack_text(const Scenario& s, const Evidence& evidence) {
  const std::string& name = s.stack.name;
  if (evidence.stack == MeasuredStack::none)
    return fmt::format(
        "no published step of the stack \"{}\" is in the calibration; it takes the factors of all others", name);
  return fmt::format("the stack \"{}\" differs from the stacks that its entry \"{}\" of the calibration describes",
                     name, s.stack.calibrated);
}

/// "only 3 published steps of CDNA3 are in the calibration"; empty: enough, or the part itself is not measured.
std::string few_steps_text(const Scenario& s, const Evidence& evidence) {
  const std::string architecture = step_architecture(s.cluster.accelerator);
  const auto found = s.steps.measured_steps.find(architecture);
  const bool known = evidence.accelerator == MeasuredAccelerator::itself && found != s.steps.measured_steps.end();
  if (!known || found->second >= mixed_in_steps) return {};
  return fmt::format("only {:.0f} published {} of {} are in the calibration", found->second,
                     found->second > 1 ? "steps" : "step", architecture);
}

void add_release(const Scenario& s, std::vector<std::string>& out) {
  const CalendarDate release = release_of(s.stack, s.job), measured = measured_release(s.steps, release);
  if (release == measured) return;
  const bool newer = measured < release;
  out.push_back(
      fmt::format("the release {} is {} than the {} measured one, {}; the progress of software {} is not known "
                  "and not counted",
                  release.text(), newer ? "newer" : "older", newer ? "newest" : "oldest", measured.text(),
                  newer ? "after it" : "before it"));
}

}  // namespace

Evidence evidence_of(const Scenario& s) {
  return {accelerator_of(s), stack_of(s), s.like ? s.like->distance : 0};
}

std::vector<std::string> evidence_warnings(const Scenario& s, double sigma) {
  const Evidence evidence = evidence_of(s);
  const auto wide = [&](const std::string& text) {
    return fmt::format("{}; 90 % interval of the step time {}", text, interval_text(sigma));
  };
  std::vector<std::string> out;
  if (evidence.accelerator != MeasuredAccelerator::itself || (s.like && !s.like->differences.empty()))
    out.push_back(wide(accelerator_text(s, evidence)));
  if (const std::string few = few_steps_text(s, evidence); !few.empty()) out.push_back(wide(few));
  if (evidence.stack != MeasuredStack::itself) out.push_back(wide(stack_text(s, evidence)));
  add_release(s, out);
  return out;
}

}  // namespace clusterwright
