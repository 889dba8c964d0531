#include "calibration/validation/case_result.hpp"

#include <algorithm>
#include <array>
#include <cmath>
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
  if (m.step && m.kind == "training_step" && m.step->tokens_per_second_per_accelerator)
    out.push_back(*m.step->tokens_per_second_per_accelerator);
  if (m.footprint) out.push_back(m.footprint->value);
  if (m.power) out.push_back(m.power->node_mean.in(watt));
  return out;
}

/// Whether the value of a job field stands in the case although the source does not publish it.
bool is_filled_in(const MeasuredJob& job, const std::string& field) {
  if (field == "micro_batch") return job.micro_batch.has_value();
  if (field == "global_batch") return job.global_batch.has_value();
  if (field == "tp") return job.tensor.has_value();
  if (field == "pp") return job.pipeline.has_value();
  if (field == "vpp") return job.virtual_pipeline.has_value();
  if (field == "cp") return job.context.has_value();
  if (field == "ep") return job.expert.has_value();
  if (field == "dp") return job.data.has_value();
  if (field == "sequence_parallel") return job.sequence_parallel.has_value();
  if (field == "sharding") return !job.sharding.empty();
  if (field == "shard_group") return job.shard_group.has_value();
  if (field == "recompute") return job.recompute.has_value();
  if (field == "precision") return job.precision.has_value();
  if (field == "offload") return job.offload.has_value();
  return field == "release" && !job.release.empty();
}

}  // namespace

std::vector<std::string> fields_to_choose(const Measurement& measurement) {
  std::vector<std::string> out;
  if (!measurement.step) return out;
  for (const std::string& path : measurement.unknown)
    if (path.starts_with("job.") && !is_filled_in(measurement.step->job, path.substr(4))) out.push_back(path.substr(4));
  return out;
}

CaseResult blank_result(const Measurement& measurement) {
  CaseResult out;
  out.id = measurement.id;
  out.family = measurement.family;
  out.kind = measurement.kind;
  out.accelerator = measurement.hardware.accelerator;
  out.scored = measurement.scored;
  out.unit = unit_of(measurement.score_field);
  out.is_list = measurement.gemm || measurement.collective;
  out.measured = measured_values(measurement);
  if (measurement.kind == "training_step" && measurement.step) {
    out.precision = measurement.step->job.precision.value_or("");
    out.known = fields_to_choose(measurement).empty();
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
