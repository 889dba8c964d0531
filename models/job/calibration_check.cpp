// SPDX-License-Identifier: Apache-2.0
#include "models/job/calibration_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sim/diagnostic.hpp"
#include "sim/field_table.hpp"
#include "sim/json_writer.hpp"

namespace clusterwright {

namespace {

[[noreturn]] void refuse(const std::string& code, std::string message, const JsonValue& document, const char* key,
                         std::string help = {}) {
  const JsonValue* value = document.find(key);
  throw ConfigError(
      {code, std::move(message), {(value ? *value : document).place(std::string("/") + key)}, "", std::move(help)});
}

/// Share of the mean variance that rounding to eight digits may take from a matrix.
constexpr double rounding = 1e-6;

/// Cholesky decomposition of the matrix with a little added to its diagonal. @return whether it exists
bool positive(std::vector<double> c, std::size_t n) {
  double mean = 0;
  for (std::size_t i = 0; i < n; ++i) mean += c[i * n + i] / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) c[i * n + i] += rounding * mean;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t k = 0; k < j; ++k) c[j * n + j] -= c[j * n + k] * c[j * n + k];
    if (!(c[j * n + j] > 0)) return false;
    c[j * n + j] = std::sqrt(c[j * n + j]);
    for (std::size_t i = j + 1; i < n; ++i) {
      for (std::size_t k = 0; k < j; ++k) c[i * n + j] -= c[i * n + k] * c[j * n + k];
      c[i * n + j] /= c[j * n + j];
    }
  }
  return true;
}

bool symmetric(const std::vector<double>& c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < i; ++k) {
      const double a = c[i * n + k], b = c[k * n + i];
      if (std::abs(a - b) > rounding * std::max(std::abs(a), std::abs(b))) return false;
    }
  return true;
}

/// Content of a stack: its fields, without what names it, without origins, and without the layouts that a search may
/// choose from, which change no step.
JsonValue content(JsonValue value) {
  if (value.is(JsonKind::list)) {
    for (JsonValue& element : value.elements()) element = content(std::move(element));
    return value;
  }
  if (!value.is(JsonKind::object)) return value;
  if (const JsonValue* fact = value.find("value"); fact && value.find("source")) return content(*fact);
  JsonValue out = JsonValue::object();
  for (auto& [key, member] : value.members())
    if (key != "name" && key != "source" && key != "date" && key != "calibrated" && key != "layouts")
      out.set(key, content(member));
  return out;
}

}  // namespace

void check_covariance(const StepCalibration& calibration, const JsonValue& document) {
  const std::size_t n = calibration.fitted.size();
  const std::vector<double>& c = calibration.covariance;
  for (std::size_t i = 0; i < n; ++i)
    if (!fitted_number(calibration, calibration.fitted[i]))
      refuse("E0203", fmt::format("\"{}\" is no number of this calibration", calibration.fitted[i].substr(0, 60)),
             document, "fitted",
             "write compute/STACK, communication/STACK, host/STACK, kernel_tax/ARCHITECTURE, drift, experts or "
             "expert_drift");
  if (c.size() != n * n)
    refuse("E0202", fmt::format("must have {} numbers, {} rows of {} (got {})", n * n, n, n, c.size()), document,
           "covariance", "one row for each name under \"fitted\"");
  if (n == 0) return;
  if (!symmetric(c, n)) refuse("E0202", "must be symmetric", document, "covariance");
  if (!positive(c, n))
    refuse("E0202", "must be positive semidefinite: no sum of the fitted logarithms has a negative variance", document,
           "covariance");
}

void check_entry(const SoftwareStack& stack, const StepCalibration& calibration, const JsonValue& document) {
  if (stack.calibrated.empty() || calibration.stacks.contains(stack.calibrated)) return;
  std::vector<std::string> known;
  for (const auto& [name, entry] : calibration.stacks) known.push_back(name);
  refuse("E0203", fmt::format("the step calibration has no entry \"{}\"", stack.calibrated.substr(0, 60)), document,
         "calibrated", fmt::format("leave it out for \"other\"; there are: {}", fmt::join(known, ", ")));
}

bool same_content(const SoftwareStack& a, const SoftwareStack& b) {
  return write_json(content(encode_record(a))) == write_json(content(encode_record(b)));
}

}  // namespace clusterwright
