// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/predict_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "calibration/fit/attention_fit.hpp"
#include "calibration/fit/gemm_fit.hpp"
#include "calibration/fit/memory_fit.hpp"
#include "calibration/measured/measured_cluster.hpp"
#include "models/kernels/collectives/collective_time.hpp"
#include "models/kernels/streaming_time.hpp"

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
/// error. It is 1 for a generic set, whose error is that between generations.
double luck_of_search(const ReportNames& names, const ParameterSet& set) {
  if (set.accelerator.empty()) return 1;
  const FitReport* fit = find_report(set, names.own);
  if (!fit) fit = find_report(set, names.relative);
  return fit ? std::exp(-fit->p90_abs_log) : 1;
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
  AttentionRow row = attention_row(measurement, *part);
  row.device.traffic = streaming_rate(usual_writes, part->memory_bandwidth.value, set->memory);
  const AttentionTiming timing = attention_time(row.shape, fit, row.device);
  add_value((timing.flops / timing.time()).in(teraflop_per_second),
            half_width_of(*set, "attention/" + family, "", rate), values);
  return values;
}

namespace {

const Bytes large_copy = 1 * gigabyte;  // where the size is not published
constexpr double device_spread = 0.05;  // hosts and drivers differ by as much: one kernel alone cannot show it

/// Where the size is not published, of a transfer so large that its start does not count.
BytesPerSecond streaming_bandwidth(const MeasuredMemory& memory, double writes, BytesPerSecond data_sheet,
                                   const MemoryParameters& parameters) {
  if (!memory.size) return streaming_rate(writes, data_sheet, parameters);
  return *memory.size / streaming_time(*memory.size, writes, data_sheet, parameters);
}

Prediction on_device(const Measurement& measurement, const AcceleratorPart& part, const ParameterSet& set) {
  const MeasuredMemory& memory = *measurement.memory;
  const double writes = write_share(memory.op);
  if (writes < 0) return "no model of the memory kernel " + memory.op;
  const BytesPerSecond sheet = measurement.hardware.memory_bandwidth.value_or(part.memory_bandwidth.value);
  const double fit = half_width_of(set, "memory", "memory", set.memory.bandwidth_share);
  PredictedValues values;
  const BytesPerSecond bandwidth = streaming_bandwidth(memory, writes, sheet, set.memory);
  add_value(bandwidth.in(gigabyte_per_second), std::max(device_spread, fit), values);
  return values;
}

Prediction from_host(const AcceleratorPart& part, const ParameterSet& set) {
  if (!part.host_bandwidth) return "the data sheet has no link to the host";
  const double fit = half_width_of(set, "host link", "host link", set.memory.host_share);
  PredictedValues values;
  add_value((part.host_bandwidth->value * set.memory.host_share.value).in(gigabyte_per_second),
            std::max(device_spread, fit), values);
  return values;
}

Prediction between_peers(const Measurement& measurement, const AcceleratorPart& part, const ParameterSet& set) {
  const bool linked = measurement.hardware.scale_up || part.scale_up_bandwidth;
  if (!linked) return "no links between the accelerators";
  GroupLinks links;
  links.scale_up = measurement.hardware.scale_up ? *measurement.hardware.scale_up : part.scale_up_bandwidth->value;
  const Bytes size = measurement.memory->size.value_or(large_copy);
  const Seconds time = collective_time(CollectiveOp::send, size, {1, 2}, links, set.collectives, set.network).time();
  const Sourced<double>& share = set.collectives.at("send").bandwidth_share;
  PredictedValues values;
  add_value((size / time).in(gigabyte_per_second),
            half_width_of(set, "collectives/reduce_scatter, from 1 MB", "collectives/all_reduce, from 1 MB", share),
            values);
  return values;
}

}  // namespace

Prediction predict_memory(const Measurement& measurement, const std::vector<AcceleratorPart>& catalog,
                          const ParameterSetOf& set_of) {
  if (!measurement.memory) return "no memory bandwidth";
  const std::optional<AcceleratorPart> part = measured_part(measurement.hardware, catalog);
  if (!part) return "neither the catalog nor a whole data sheet has the accelerator";
  const ParameterSet* set = set_of(part->id);
  if (!set) return "no parameters for " + part->id;
  const std::string& path = measurement.memory->path;
  if (path == "device-memory") return on_device(measurement, *part, *set);
  if (path == "host-to-device") return from_host(*part, *set);
  if (path == "peer") return between_peers(measurement, *part, *set);
  return "no model of the path " + path;
}

}  // namespace clusterwright
