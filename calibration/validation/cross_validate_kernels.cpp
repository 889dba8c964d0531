// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/cross_validate_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "calibration/fit/gemm_fit.hpp"
#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/memory_fit.hpp"
#include "calibration/fit/parameter_fit.hpp"

namespace clusterwright {

namespace {

constexpr const char* formats[] = {"bf16", "fp8", "fp8-block"};

std::string accelerator_fold(const GemmRow& row) {
  return row.accelerator;
}

/// Name of the rows that are fitted together: an accelerator, an architecture, or all.
std::string fitted_together(const GemmRow& row, KernelFold fold) {
  if (fold == KernelFold::generation) return "";
  return fold == KernelFold::shape ? row.accelerator : row.architecture;
}

GemmFold fold_of(KernelFold fold) {
  if (fold == KernelFold::generation) return architecture_fold;
  return fold == KernelFold::shape ? shape_fold : accelerator_fold;
}

std::size_t fold_count(const std::vector<GemmRow>& rows, const GemmFold& fold) {
  std::set<std::string> names;
  for (const GemmRow& row : rows) names.insert(fold(row));
  return names.size();
}

void hold_gemm_out(const std::vector<GemmRow>& all, const std::string& format, KernelFold fold,
                   std::vector<HeldOutRow>& out) {
  const auto scope = fold == KernelFold::shape ? GemmFitScope::one_part : GemmFitScope::many_parts;
  std::map<std::string, std::vector<GemmRow>> sets;
  for (const GemmRow& row : all) sets[fitted_together(row, fold)].push_back(row);
  for (const auto& [name, rows] : sets) {
    if (fold_count(rows, fold_of(fold)) < 2) continue;
    const std::vector<double> errors = held_out_gemm_errors(rows, fold_of(fold), nullptr, scope);
    for (std::size_t i = 0; i < rows.size(); ++i)
      out.push_back({"gemm/" + format, rows[i].accelerator, rows[i].architecture, is_large(rows[i]), errors[i]});
  }
}

/// Holds out streaming kernels and copies, one accelerator after the other or all together.
void hold_memory_out(const std::vector<Measurement>& measurements, const std::vector<AcceleratorPart>& catalog,
                     bool by_generation, std::vector<HeldOutRow>& out) {
  std::vector<MemoryRow> streams, copies;
  const auto judge = [&] {
    const std::vector<double> stream_errors = held_out_memory_errors(streams, by_generation);
    const std::vector<double> copy_errors = held_out_host_errors(copies, by_generation);
    for (std::size_t i = 0; i < streams.size(); ++i)
      out.push_back({"memory", "", streams[i].architecture, true, stream_errors[i]});
    for (std::size_t i = 0; i < copies.size(); ++i)
      out.push_back({"host link", "", copies[i].architecture, true, copy_errors[i]});
    streams.clear();
    copies.clear();
  };
  for (const AcceleratorPart& part : catalog) {
    for (const MemoryRow& row : memory_rows(measurements, part)) streams.push_back(row);
    for (const MemoryRow& row : host_rows(measurements, part)) copies.push_back(row);
    if (!by_generation) judge();
  }
  if (by_generation) judge();
}

ErrorFigures figures(const std::string& name, const std::vector<double>& errors) {
  ErrorFigures out;
  out.name = name;
  out.n = static_cast<int>(errors.size());
  if (errors.empty()) return out;
  const ErrorSummary summary = summarise(errors);
  out.coverage = 1;
  out.median_abs_log = summary.median;
  out.p90_abs_log = summary.p90;
  std::vector<double> sorted = errors;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  out.bias = sorted[sorted.size() / 2];
  const auto close = [](double error) { return std::abs(error) <= std::log(1.1); };
  out.within_10_percent = static_cast<double>(std::count_if(errors.begin(), errors.end(), close)) / out.n;
  return out;
}

/// Way to hold rows out.
struct KernelWay {
  KernelFold fold;
  const char* key;   ///< key of the target that it is compared with
  const char* name;  ///< suffix to the name of the kernel
};
constexpr KernelWay kernel_ways[] = {{KernelFold::shape, "by_size", ", shape held out"},
                                     {KernelFold::accelerator, "by_accelerator", ", accelerator held out"},
                                     {KernelFold::generation, "by_generation", ", generation held out"}};

/// Group of a row: "GEMM, Hopper, M >= 1024", or the kernel.
std::string group_of(const HeldOutRow& row) {
  if (!row.kernel.starts_with("gemm")) return row.kernel;
  return "GEMM, " + row.architecture + (row.large ? ", M >= 1024" : ", M < 1024");
}

}  // namespace

std::vector<HeldOutRow> held_out_kernels(const std::vector<Measurement>& measurements,
                                         const std::vector<AcceleratorPart>& all, KernelFold fold) {
  const std::vector<AcceleratorPart> catalog = fold == KernelFold::generation ? pooled_parts(all) : all;
  std::vector<HeldOutRow> out;
  for (const char* format : formats) hold_gemm_out(all_gemm_rows(measurements, catalog, format), format, fold, out);
  if (fold != KernelFold::accelerator) hold_memory_out(measurements, catalog, fold == KernelFold::generation, out);
  return out;
}

std::vector<HeldOutFigures> cross_validate_kernels(const std::vector<Measurement>& measurements,
                                                   const std::vector<AcceleratorPart>& catalog) {
  std::vector<HeldOutFigures> out;
  for (const auto& [fold, key, name] : kernel_ways) {
    std::map<std::string, std::vector<double>> groups;
    for (const HeldOutRow& row : held_out_kernels(measurements, catalog, fold))
      groups[group_of(row)].push_back(row.error);
    for (const auto& [group, errors] : groups) out.push_back({key, figures(group + name, errors)});
  }
  return out;
}

}  // namespace clusterwright
