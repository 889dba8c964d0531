#include "calibration/validation/predict_attention.hpp"

#include "calibration/fit/attention_fit.hpp"
#include "calibration/measured/measured_cluster.hpp"

namespace clusterwright {

namespace {

constexpr std::int64_t wide_head = 128;

/// Share of the 16-bit peak, forward or backward.
double share_of(const MeasuredAttention& kernel, const AttentionParameters& fit) {
  const AttentionRow row{static_cast<double>(kernel.sequence), kernel.head_width < wide_head, 0};
  const double forward = forward_share(row, fit);
  return kernel.pass == "backward" ? forward * fit.backward_efficiency.value / fit.forward_efficiency.value : forward;
}

}  // namespace

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
