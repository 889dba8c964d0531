// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/predict_memory.hpp"

#include <algorithm>

#include "calibration/fit/memory_fit.hpp"
#include "calibration/measured/measured_cluster.hpp"
#include "models/kernels/collectives/collective_time.hpp"
#include "models/kernels/streaming_time.hpp"

namespace clusterwright {

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
