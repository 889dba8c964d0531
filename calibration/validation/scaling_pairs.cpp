#include "calibration/validation/scaling_pairs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "calibration/validation/weighted_quantile.hpp"

namespace clusterwright {

namespace {

/// Fields one after another; what is not published is a value of its own.
class JobKey {
 public:
  JobKey& operator<<(const std::string& value) {
    text_ += value + "/";
    return *this;
  }
  JobKey& operator<<(std::int64_t value) { return *this << fmt::format("{}", value); }
  template <class T>
  JobKey& operator<<(const std::optional<T>& value) {
    return value ? *this << T(*value) : *this << std::string("-");
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// Everything that two sizes of one job share.
std::string job_of(const Measurement& m) {
  const MeasuredModel& model = m.step->model;
  const MeasuredJob& job = m.step->job;
  JobKey key;
  key << model.layers << model.hidden << model.heads << model.kv_heads << model.ffn << model.vocabulary
      << model.sequence << model.gated_mlp << model.trainable;
  key << job.task << job.framework << job.release << job.precision << job.micro_batch << job.tensor << job.pipeline
      << job.virtual_pipeline << job.context << job.expert << job.sharding << job.shard_group << job.recompute
      << job.sequence_parallel << job.offload << job.compiled << job.async_tensor;
  key << m.hardware.accelerator << std::int64_t{m.hardware.accelerators_per_node};
  if (m.hardware.scale_out) key << fmt::format("{:.3g}", m.hardware.scale_out->in(gigabit_per_second));
  return key.text();
}

struct Row {
  const Measurement* measurement;
  const CaseResult* result;
};

struct Ratios {
  std::vector<Weighted> errors, absolute, unchanged;

  void add(const CaseResult& small, const CaseResult& large) {
    const double error = log_error(large) - log_error(small);
    errors.push_back({error});
    absolute.push_back({std::abs(error)});
    unchanged.push_back({std::abs(std::log(large.measured.front() / small.measured.front()))});
  }

  ScalingFigures figures() const {
    return {static_cast<int>(errors.size()), weighted_quantile(absolute, 0.5), weighted_quantile(absolute, 0.9),
            weighted_quantile(errors, 0.5), weighted_quantile(unchanged, 0.5)};
  }
};

void add_pair(const Row& small, const Row& large, Ratios& strong, Ratios& weak) {
  const MeasuredHardware &from = small.measurement->hardware, &to = large.measurement->hardware;
  if (from.accelerators >= to.accelerators || to.accelerators <= to.accelerators_per_node) return;
  const std::int64_t batch = *small.measurement->step->job.global_batch;
  const std::int64_t larger_batch = *large.measurement->step->job.global_batch;
  if (batch == larger_batch) strong.add(*small.result, *large.result);
  if (batch * to.accelerators == larger_batch * from.accelerators) weak.add(*small.result, *large.result);
}

}  // namespace

ScalingShape scaling_shape(const std::vector<Measurement>& measurements, const std::vector<CaseResult>& results) {
  std::map<std::string, std::vector<Row>> jobs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Measurement& m = measurements[i];
    if (results[i].scored && results[i].step && is_valid(results[i]) && m.step && m.step->job.global_batch)
      jobs[job_of(m)].push_back({&m, &results[i]});
  }
  Ratios strong, weak;
  for (const auto& [key, rows] : jobs)
    for (const Row& small : rows)
      for (const Row& large : rows) add_pair(small, large, strong, weak);
  return {strong.figures(), weak.figures()};
}

}  // namespace clusterwright
