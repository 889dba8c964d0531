// SPDX-License-Identifier: Apache-2.0
/// A machine on which a picosecond is a byte of device memory or a FLOP, so that the durations of a lowered step are
/// counts to be checked by hand. Multiplies must have 16 n rows and 64 n columns, as tiles have.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "models/job/scenario.hpp"
#include "models/job/stack.hpp"
#include "sim/step_works.hpp"

namespace clusterwright::testing {

inline AcceleratorPart counting_part(const std::string& format) {
  AcceleratorPart part;
  part.id = "counter";
  part.vendor = "test";
  part.peak_dense_tflops[format] = {1 * teraflop_per_second, "test"};
  part.memory = {1 * terabyte, "test"};
  part.memory_bandwidth = {1 * terabyte_per_second, "test"};
  part.multiprocessors = Sourced<int>{1, "test"};
  return part;
}

inline ParameterSet counting_parameters(const std::string& format, const std::string& attention) {
  ParameterSet set;
  GemmParameters& gemm = set.gemm[format];
  gemm.efficiency.value = gemm.wave_share.value = gemm.unaligned_factor.value = 1;
  gemm.unaligned_output_factor.value = 1;
  gemm.bandwidth_share.value = 1e9;  // operands cost nothing
  AttentionParameters& fused = set.attention[attention];
  fused.forward_efficiency.value = fused.backward_efficiency.value = 1;
  fused.block_queries.value = 0;
  fused.executed_share.value = 0.5;
  set.memory.bandwidth_share.value = set.memory.read_share.value = set.memory.host_share.value = 1;
  for (const char* op : {"all_reduce", "all_gather", "reduce_scatter", "send"}) {
    set.collectives[op].bandwidth_share.value = 1;
    set.collectives[op].ramp_exponent.value = 1;
  }
  return set;
}

/// A stack with one kernel for each op and no time of the host.
inline SoftwareStack counting_stack(const std::string& attention) {
  SoftwareStack stack;
  stack.name = "counted";
  stack.attention = attention;
  stack.graph_capture = GraphCapture::all;
  stack.kernels_per_op.value = stack.kernels_per_message.value = 1;
  stack.gradient_size.value = stack.reduced_size.value = 4;
  stack.gathered_size.value = 2;
  stack.elementwise_traffic.value = 1;
  stack.kernels.update_clocks.value = 0;
  stack.bucket.value = 1 * gigabyte;
  return stack;
}

/// Bytes of streaming kernels and FLOPs of multiplies and attention, by the name of the op; ops of one name together.
inline std::map<std::string, std::int64_t> counts_of(const StepGraph& graph) {
  std::map<std::string, std::int64_t> out;
  for_each_work(graph.structure, [&](const StepWork& op) {
    const std::int64_t count = graph.timing.works[op.work].duration.count;
    if (count > 0) out[graph.structure.work_names[op.work]] += count * static_cast<std::int64_t>(op.count);
  });
  return out;
}

}  // namespace clusterwright::testing
