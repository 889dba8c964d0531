// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/predict_kernels.hpp"

#include <cmath>

#include "calibration/fit/attention_fit.hpp"
#include "calibration/fit/gemm_fit.hpp"
#include "calibration/measured/measured_cluster.hpp"

namespace clusterwright {

namespace {

/// Reports on the sizes of a point; 8-bit formats lean on fp8, all others on bf16.
struct ReportNames {
  std::string own, relative;
};

ReportNames reports_on(const GemmRow& row, const GemmFormat& format, const ParameterSet& set) {
  const std::string sizes = is_large(row) ? ", M >= 1024" : ", M < 1024";
  const std::string relative = format.below_16_bit() && set.gemm.contains("fp8") ? "gemm/fp8" : "gemm/bf16";
  return {"gemm/" + format.key + sizes, relative + sizes};
}

/// Factor on the time of a shape that a search found best, where libraries do best: the 5 % quantile of the fit's
/// error. It is 1 for a transferred set, whose error is that between generations.
double luck_of_search(const ReportNames& names, const ParameterSet& set) {
  if (set.accelerator.empty()) return 1;
  const FitReport* fit = find_report(set, names.own);
  if (!fit) fit = find_report(set, names.relative);
  return fit ? std::exp(-fit->p90_abs_log) : 1;
}

constexpr std::int64_t wide_head = 128;

/// Share of the 16-bit peak of a pass.
double share_of(const MeasuredAttention& kernel, const AttentionParameters& fit) {
  const AttentionRow row{static_cast<double>(kernel.sequence), kernel.head_width < wide_head, 0};
  const double forward = forward_share(row, fit);
  return kernel.pass == "backward" ? forward * fit.backward_efficiency.value / fit.forward_efficiency.value : forward;
}

}  // namespace

Prediction predict_gemm(const Measurement& measurement, const std::vector<AcceleratorPart>& catalog,
                        const ParameterSetOf& set_of) {
  if (!measurement.gemm) return "no matrix multiply";
  const GemmFormat* format = measured_gemm_format(measurement.gemm->dtype);
  if (!format) return "no model of matrix multiplies in " + measurement.gemm->dtype;
  const std::optional<AcceleratorPart> part = measured_part(measurement.hardware, catalog);
  if (!part) return "neither the catalog nor a whole data sheet has the accelerator";
  const ParameterSet* set = set_of(part->id);
  if (!set || !set->gemm.contains(format->key)) return "no parameters for " + format->key + " on " + part->id;
  PredictedValues values;
  for (const GemmRow& row : rows_of_case(measurement, *part)) {
    if (row.device.peak <= FlopsPerSecond{}) return "the data sheet has no rate in " + format->key;
    const GemmParameters& fit = set->gemm.at(format->key);
    const ReportNames names = reports_on(row, *format, *set);
    const double luck = measurement.gemm->best_of_search ? luck_of_search(names, *set) : 1;
    add_value(luck * predicted_time(row, fit).in(microsecond),
              half_width_of(*set, names.own, names.relative, fit.efficiency), values);
  }
  return values;
}

Prediction predict_attention(const Measurement& measurement, const std::vector<AcceleratorPart>& catalog,
                             const ParameterSetOf& set_of) {
  if (!measurement.attention) return "no attention kernel";
  const MeasuredAttention& kernel = *measurement.attention;
  const std::optional<AcceleratorPart> part = measured_part(measurement.hardware, catalog);
  if (!part) return "neither the catalog nor a whole data sheet has the accelerator";
  const std::string family = attention_family(kernel.kernel);
  if (family.empty()) return "no model of the attention kernel " + kernel.kernel;
  if (kernel.dtype != "bf16" && kernel.dtype != "fp16") return "no model of attention in " + kernel.dtype;
  if (kernel.pass != "forward" && kernel.pass != "backward") return "no model of the pass " + kernel.pass;
  const ParameterSet* set = set_of(part->id);
  if (!set || !set->attention.contains(family)) return "no parameters for " + family + " on " + part->id;
  const AttentionParameters& fit = set->attention.at(family);
  const Sourced<double>& rate = kernel.pass == "forward" ? fit.forward_efficiency : fit.backward_efficiency;
  PredictedValues values;
  add_value(share_of(kernel, fit) * peak(*part, NumberFormat::bf16).in(teraflop_per_second),
            half_width_of(*set, "attention/" + family, "", rate), values);
  return values;
}

}  // namespace clusterwright
