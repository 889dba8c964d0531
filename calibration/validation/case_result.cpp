// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/case_result.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

namespace clusterwright {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 10> units = {
    {{"tokens_per_s_per_accelerator", "tokens/s"},
     {"time_us", "us"},
     {"bandwidth_gb_per_s", "GB/s"},
     {"memory_gb", "GB"},
     {"activation_ratio", "ratio"},
     {"tflops", "TFLOP/s"},
     {"output_tokens_per_s", "tokens/s"},
     {"tpot_ms", "ms"},
     {"node_power_w_mean", "W"},
     {"mtbf_hours", "hours"}}};

std::string unit_of(const std::string& score_field) {
  for (const auto& [field, unit] : units)
    if (field == score_field) return std::string(unit);
  return {};
}

std::vector<double> measured_values(const Measurement& m) {
  std::vector<double> out;
  if (m.gemm)
    for (const auto& point : m.gemm->points) out.push_back(point.time.in(microsecond));
  if (m.collective)
    for (const auto& point : m.collective->points) out.push_back(point.time.in(microsecond));
  if (m.memory) out.push_back(m.memory->bandwidth.in(gigabyte_per_second));
  if (m.attention) out.push_back(m.attention->rate.in(teraflop_per_second));
  if (m.step && measurement_kind(m.kind) == MeasurementKind::training_step && m.step->tokens_per_second_per_accelerator)
    out.push_back(*m.step->tokens_per_second_per_accelerator);
  if (m.footprint) out.push_back(m.footprint->value);
  if (m.power) out.push_back(m.power->node_mean.in(watt));
  return out;
}

/// Field of a job in the measurement set, and whether it has a value.
struct JobField {
  std::string_view name;
  bool (*has_value)(const MeasuredJob&);
};
constexpr std::array<JobField, 15> job_fields = {
    {{"micro_batch", [](const MeasuredJob& job) { return job.micro_batch.has_value(); }},
     {"global_batch", [](const MeasuredJob& job) { return job.global_batch.has_value(); }},
     {"tp", [](const MeasuredJob& job) { return job.tensor.has_value(); }},
     {"pp", [](const MeasuredJob& job) { return job.pipeline.has_value(); }},
     {"vpp", [](const MeasuredJob& job) { return job.virtual_pipeline.has_value(); }},
     {"cp", [](const MeasuredJob& job) { return job.context.has_value(); }},
     {"ep", [](const MeasuredJob& job) { return job.expert.has_value(); }},
     {"dp", [](const MeasuredJob& job) { return job.data.has_value(); }},
     {"sequence_parallel", [](const MeasuredJob& job) { return job.sequence_parallel.has_value(); }},
     {"sharding", [](const MeasuredJob& job) { return !job.sharding.empty(); }},
     {"shard_group", [](const MeasuredJob& job) { return job.shard_group.has_value(); }},
     {"recompute", [](const MeasuredJob& job) { return job.recompute.has_value(); }},
     {"precision", [](const MeasuredJob& job) { return job.precision.has_value(); }},
     {"offload", [](const MeasuredJob& job) { return job.offload.has_value(); }},
     {"release", [](const MeasuredJob& job) { return job.release.known(); }}}};

/// Whether a job field has a value in the case although the source does not publish it.
bool is_filled_in(const MeasuredJob& job, std::string_view name) {
  const auto field =
      std::find_if(job_fields.begin(), job_fields.end(), [&](const JobField& one) { return one.name == name; });
  return field != job_fields.end() && field->has_value(job);
}

}  // namespace

std::vector<std::string> fields_to_choose(const Measurement& measurement) {
  std::vector<std::string> out;
  if (!measurement.step) return out;
  for (const std::string& path : measurement.unknown)
    if (path.starts_with("job.") && !is_filled_in(measurement.step->job, path.substr(4))) out.push_back(path.substr(4));
  return out;
}

void share_cells(std::vector<CaseResult>& results) {
  std::map<std::string, int> rows;
  for (const CaseResult& one : results)
    if (one.scored && !one.cell.empty()) ++rows[one.cell];
  for (CaseResult& one : results) one.weight = one.scored && !one.cell.empty() ? 1.0 / rows[one.cell] : 1;
}

CaseResult blank_result(const Measurement& measurement) {
  CaseResult out;
  out.id = measurement.id;
  out.family = measurement.family;
  out.kind = measurement.kind;
  out.accelerator = measurement.hardware.accelerator;
  out.scored = measurement.scored;
  out.cell = measurement.cell;
  out.unit = unit_of(measurement.score_field);
  out.is_list = measurement.gemm || measurement.collective;
  out.measured = measured_values(measurement);
  if (measurement_kind(measurement.kind) == MeasurementKind::training_step && measurement.step) {
    out.precision = measurement.step->job.precision.value_or("");
    out.known = fields_to_choose(measurement).empty();
    out.mixture = measurement.step->model.experts.has_value();
  }
  return out;
}

bool is_valid(const CaseResult& result) {
  const auto good = [](double value) { return std::isfinite(value) && value > 0; };
  return result.status == CaseStatus::ok && !result.predicted.empty() &&
         result.predicted.size() == result.measured.size() &&
         std::all_of(result.predicted.begin(), result.predicted.end(), good) &&
         std::all_of(result.measured.begin(), result.measured.end(), good);
}

double log_error(const CaseResult& result) {
  return std::log(result.predicted.front() / result.measured.front());
}

}  // namespace clusterwright
