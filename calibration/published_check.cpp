#include "calibration/published_check.hpp"

#include <fmt/format.h>

#include <cmath>

#include "calibration/fit/collective_fit.hpp"
#include "calibration/fit/gemm_fit.hpp"
#include "calibration/fit/memory_fit.hpp"
#include "models/kernels/streaming_time.hpp"

namespace clusterwright {

namespace {

constexpr Bytes large_message = 1 * megabyte;

SectionFit without_fit(const std::string& name, std::vector<SampleResidual> residuals) {
  SectionRule rule{name, 0, 0, 0, "", ""};
  if (name.starts_with("gemm/")) rule.large = ", M >= 1024", rule.small = ", M < 1024";
  if (name.starts_with("collectives/")) rule.large = ", from 1 MB", rule.small = ", below 1 MB";
  return checked(rule, std::move(residuals));
}

SampleResidual residual(const std::string& section, std::string what, bool large, Seconds measured, double error) {
  return {section, what, what, large, measured, error, error, 0};
}

void add_multiplies(const std::vector<Measurement>& measurements, const AcceleratorPart& part, const ParameterSet& set,
                    std::vector<SectionFit>& out) {
  for (const GemmFormat& format : gemm_formats()) {
    const auto found = set.gemm.find(format.key);
    if (found == set.gemm.end() || format.key == "fp16") continue;  // fp16 rows are among those of bf16
    std::vector<SampleResidual> residuals;
    for (const GemmRow& row : gemm_rows(measurements, part, format.key))
      residuals.push_back(residual("gemm/" + format.key,
                                   fmt::format("{} x {} x {}", row.shape.m, row.shape.n, row.shape.k), is_large(row),
                                   row.time, gemm_log_error(row, found->second)));
    if (!residuals.empty()) out.push_back(without_fit("gemm/" + format.key, std::move(residuals)));
  }
}

void add_streams(const std::vector<Measurement>& measurements, const AcceleratorPart& part, const ParameterSet& set,
                 std::vector<SectionFit>& out) {
  std::vector<SampleResidual> residuals;
  for (const MemoryRow& row : memory_rows(measurements, part)) {
    // A bandwidth over another is a time under another.
    const double error = -std::log(row.data_sheet * streaming_share(row.writes, set.memory) / row.measured);
    residuals.push_back(residual("memory", row.op, true, {}, error));
  }
  if (!residuals.empty()) out.push_back(without_fit("memory", std::move(residuals)));
}

void add_collectives(const std::vector<Measurement>& measurements, const AcceleratorPart& part, const ParameterSet& set,
                     std::vector<SectionFit>& out) {
  std::map<std::string, std::vector<SampleResidual>> sections;
  for (const CollectiveRow& row : collective_rows(measurements, part)) {
    const std::string name = row.group.nodes > 1 ? "network" : "collectives/" + std::string(name_of(row.op));
    const double error = std::log(predicted_time(row, set.collectives, set.network) / row.time);
    sections[name].push_back(residual(name, fmt::format("{:.0f} bytes, {} ranks", row.size.in(byte), row.group.ranks()),
                                      row.size >= large_message, row.time, error));
  }
  for (auto& [name, residuals] : sections) out.push_back(without_fit(name, std::move(residuals)));
}

}  // namespace

std::vector<SectionFit> check_published(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                                        const ParameterSet& set) {
  std::vector<SectionFit> out;
  add_multiplies(measurements, part, set, out);
  add_streams(measurements, part, set, out);
  add_collectives(measurements, part, set, out);
  return out;
}

}  // namespace clusterwright
