// SPDX-License-Identifier: Apache-2.0
#include "models/job/parameters.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

// Copied and moved here, not in every file that holds one: their members are many.
ParameterSet::ParameterSet() = default;
ParameterSet::ParameterSet(const ParameterSet&) = default;
ParameterSet::ParameterSet(ParameterSet&&) noexcept = default;
ParameterSet& ParameterSet::operator=(const ParameterSet&) = default;
ParameterSet& ParameterSet::operator=(ParameterSet&&) noexcept = default;
ParameterSet::~ParameterSet() = default;

const Record<GemmParameters>& record(const GemmParameters*) {
  using P = GemmParameters;
  static const auto table =
      Record<P>("gemm_parameters", "Matrix multiply in one number format")
          .required("efficiency", &P::efficiency,
                    {.help = "share of the dense data-sheet peak with large tiles and long K",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("tile_penalty", &P::tile_penalty,
                    {.help = "loss of tiles smaller than 256 x 128", .min = 0, .max = 10})
          .required("k_overhead", &P::k_overhead,
                    {.help = "prologue of a tile, in elements of K", .min = 0, .max = 1e5})
          .required("wave_share", &P::wave_share,
                    {.help = "share of its idle multiprocessors that a partly filled wave waits for; 1: all",
                     .min = 0,
                     .max = 1})
          .required("split_us", &P::split, {.help = "per call that divides K among multiprocessors", .min = 0})
          .required("fixed_us", &P::fixed, {.help = "per call of a microbenchmark, launch included", .min = 0})
          .required("bandwidth_share", &P::bandwidth_share,
                    {.help = "share of the data-sheet memory bandwidth that operands reach",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("long_kernel_loss", &P::long_kernel_loss,
                    {.help = "relative slow-down of a 100-TFLOP kernel against a 1-TFLOP one, by its clock",
                     .min = 0,
                     .max = 2})
          .required("cast_bytes", &P::cast_bytes,
                    {.help = "memory traffic per element of A when the call quantises it", .min = 0, .max = 1000})
          .required("cast_fixed_us", &P::cast_fixed, {.help = "per call that quantises its operand", .min = 0})
          .optional("unaligned_factor", &P::unaligned_factor,
                    {.help = "rate with operand rows that are no multiple of 16 bytes over that with others",
                     .min = 0,
                     .max = 1,
                     .above_min = true})
          .optional("density_loss", &P::density_loss,
                    {.help = "parts with more dense 16-bit TFLOP/s per rated watt reach less of their peak: so much "
                             "longer takes a multiply per TFLOP/s and watt",
                     .min = 0,
                     .max = 5})
          .optional("density_reference", &P::density_reference,
                    {.help = "TFLOP/s per watt of the part that `efficiency` was measured on; 0 where it was "
                             "extrapolated to none",
                     .min = 0,
                     .max = 1000});
  return table;
}

const Record<AttentionParameters>& record(const AttentionParameters*) {
  using P = AttentionParameters;
  static const auto table =
      Record<P>("attention_parameters", "Fused attention of one kernel family")
          .required("forward_efficiency", &P::forward_efficiency,
                    {.help = "share of the 16-bit peak on executed FLOPs, head width 128, long sequence",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("backward_efficiency", &P::backward_efficiency,
                    {.help = "the same for the backward pass", .min = 0, .max = 1.2, .above_min = true})
          .required("half_sequence", &P::half_sequence,
                    {.help = "tokens at which half of the efficiency is reached", .min = 0, .max = 1e6})
          .required("narrow_head_factor", &P::narrow_head_factor,
                    {.help = "efficiency at head width 64 over that at 128", .min = 0, .max = 1.5, .above_min = true})
          .optional("unaligned_factor", &P::unaligned_factor,
                    {.help = "efficiency at head widths that are no multiple of 8 elements over that at others",
                     .min = 0,
                     .max = 1,
                     .above_min = true})
          .required("executed_share", &P::executed_share,
                    {.help = "share of the full square of scores; 0.5 where a causal mask skips work",
                     .min = 0,
                     .max = 1,
                     .above_min = true})
          .required("score_bytes_forward", &P::score_bytes_forward,
                    {.help = "memory traffic per score element; 0 where scores stay on chip",
                     .min = 0,
                     .max = 1000,
                     .unit = "B"})
          .required("score_bytes_backward", &P::score_bytes_backward,
                    {.help = "the same, backward", .min = 0, .max = 1000, .unit = "B"});
  return table;
}

const Record<MemoryParameters>& record(const MemoryParameters*) {
  using P = MemoryParameters;
  static const auto table =
      Record<P>("memory_parameters", "Kernels that only move data, and copies from the host")
          .required("bandwidth_share", &P::bandwidth_share,
                    {.help = "share of the data-sheet memory bandwidth, large transfers, four tenths of them writes",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("read_share", &P::read_share,
                    {.help = "the same of kernels that only read", .min = 0, .max = 1.2, .above_min = true})
          .required("host_share", &P::host_share,
                    {.help = "share of the data-sheet bandwidth of the link to the host, large pinned copies",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("half_size_kb", &P::half_size, {.help = "traffic at which half of that is reached", .min = 0});
  return table;
}

const Record<CollectiveParameters>& record(const CollectiveParameters*) {
  using P = CollectiveParameters;
  static const auto table =
      Record<P>("collective_parameters", "One collective inside a scale-up domain")
          .required("base_latency_us", &P::base_latency,
                    {.help = "of two ranks but for the part of the second", .min = 0})
          .required("rank_latency_us", &P::rank_latency, {.help = "per rank beyond the first", .min = 0})
          .required("bandwidth_share", &P::bandwidth_share,
                    {.help = "share of the scale-up data sheet, many ranks, large messages",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("small_group_loss", &P::small_group_loss,
                    {.help = "share of that lost at 2 ranks, shrinking as 2 / ranks", .min = 0, .max = 0.99})
          .required("half_time_us", &P::half_time,
                    {.help = "time of the link for the bytes at which half of the bandwidth is reached", .min = 0})
          .required("ramp_exponent", &P::ramp_exponent,
                    {.help = "1: bandwidth grows as after a fixed cost; less: over a wider range of sizes",
                     .min = 0,
                     .max = 1,
                     .above_min = true});
  return table;
}

const Record<NetworkParameters>& record(const NetworkParameters*) {
  using P = NetworkParameters;
  static const auto table =
      Record<P>("network_parameters", "Collectives and messages between nodes")
          .required("bandwidth_share", &P::bandwidth_share,
                    {.help = "share of the NIC data sheet, large messages", .min = 0, .max = 1.2, .above_min = true})
          .required("latency_scale", &P::latency_scale,
                    {.help = "latencies between nodes over those that NCCL's tuner counts with",
                     .min = 0,
                     .max = 100,
                     .above_min = true})
          .required("message_latency_us", &P::message_latency, {.help = "point to point, without switches", .min = 0})
          .required(
              "structural_error", &P::structural_error,
              {.help = "one standard deviation of log(predicted/measured) from fabric to fabric", .min = 0, .max = 2})
          .required(
              "tcp_bandwidth_share", &P::tcp_bandwidth_share,
              {.help = "share of the NIC data sheet that TCP sockets reach", .min = 0, .max = 1.2, .above_min = true})
          .required("tcp_latency_us", &P::tcp_latency,
                    {.help = "that sockets add to each step between nodes", .min = 0});
  return table;
}

const Record<DevicePowerParameters>& record(const DevicePowerParameters*) {
  using P = DevicePowerParameters;
  static const auto table =
      Record<P>("device_power_parameters", "Watts above idle at full utilisation, as shares of rated less idle")
          .optional("reference_power_w", &P::reference_power,
                    {.help = "board power that the weights refer to; absent: the part's own", .min = 0})
          .required("tensor_weight", &P::tensor_weight,
                    {.help = "matrix units, with what any kernel draws", .min = 0, .max = 2})
          .optional("short_term_power", &P::short_term_power,
                    {.help = "for the length of a kernel, over the rated range", .min = 1, .max = 4})
          .optional("active_weight", &P::active_weight,
                    {.help = "any kernel on all multiprocessors, whatever it does", .min = 0, .max = 1})
          .required("memory_weight", &P::memory_weight, {.help = "device memory", .min = 0, .max = 2})
          .required("link_weight", &P::link_weight, {.help = "scale-up and network links", .min = 0, .max = 2})
          .required("waiting_share", &P::waiting_share, {.help = "spinning in a collective", .min = 0, .max = 1})
          .required("clock_exponent", &P::clock_exponent,
                    {.help = "of power in the clock: voltage falls with it", .min = 1, .max = 4})
          .optional("idle_w", &P::idle, {.help = "as measured with the weights; absent: the part's own", .min = 0});
  return table;
}

const Record<ThermalParameters>& record(const ThermalParameters*) {
  using P = ThermalParameters;
  static const auto table =
      Record<P>("thermal_parameters", "Heat of one accelerator in its node")
          .required("inlet_c", &P::inlet_c, {.help = "of the die without load", .min = -50, .max = 150})
          .required("resistance_c_per_w", &P::resistance_c_per_w, {.help = "in balance", .min = 0, .max = 10})
          .required("fast_resistance_c_per_w", &P::fast_resistance_c_per_w,
                    {.help = "the part of it that follows power at once", .min = 0, .max = 10})
          .required("capacity_j_per_c", &P::capacity_j_per_c, {.help = "behind the rest", .min = 0});
  return table;
}

const Record<StepParameters>& record(const StepParameters*) {
  using P = StepParameters;
  static const auto table =
      Record<P>("step_parameters", "What steps add to the sum of their microbenchmarks")
          .required("kernel_gap_us", &P::kernel_gap, {.help = "between dependent kernels on a busy stream", .min = 0})
          .required("communication_sms", &P::communication_sms,
                    {.help = "multiprocessors that one collective kernel holds", .min = 0, .max = 1024})
          .required("message_sms", &P::message_sms,
                    {.help = "multiprocessors that one point-to-point message holds", .min = 0, .max = 1024});
  return table;
}

const Record<FitReport>& record(const FitReport*) {
  using P = FitReport;
  static const auto table =
      Record<P>("fit_report", "How well a fit reproduces its rows, and rows left out")
          .required("name", &P::name, {.help = "what was fitted, and the part of its rows that is judged"})
          .required("rows", &P::rows, {.help = "measured points", .min = 0})
          .required("median_abs_log", &P::median_abs_log, {.help = "median of |log(predicted/measured)|", .min = 0})
          .required("p90_abs_log", &P::p90_abs_log, {.help = "its 90th percentile", .min = 0})
          .required("left_out_median_abs_log", &P::held_out_median_abs_log,
                    {.help = "the median of rows that the fit did not see", .min = 0})
          .required("left_out_p90_abs_log", &P::held_out_p90_abs_log, {.help = "their 90th percentile", .min = 0})
          .required("rows_from", &P::rows_from, {.help = "which measurements, and what was left out in turn"});
  return table;
}

const Record<ParameterSet>& record(const ParameterSet*) {
  using P = ParameterSet;
  static const auto table =
      Record<P>("parameter_set", "Fitted parameters of one accelerator, its links and its kernels")
          .required("name", &P::name, {.help = "of this set"})
          .optional("accelerator", &P::accelerator,
                    {.help = "that it was fitted for; empty: for all without a file", .catalog = "accelerators"})
          .optional("also_for", &P::also_for,
                    {.help = "accelerators with the same die that may use it", .catalog = "accelerators"})
          .required("gemm", &P::gemm,
                    {.help = "by number format of the operands: bf16, fp16, fp8 (one scale per tensor), fp8-rowwise, "
                             "fp8-block, mxfp8, nvfp4, int8, int8-weight-only, int4-weight-only"})
          .required("attention", &P::attention,
                    {.help = "by kernel family: flash-2, flash-triton, cudnn, xla, unfused"})
          .required("memory", &P::memory, {.help = "element-wise kernels"})
          .required("collectives", &P::collectives,
                    {.help = "all_gather, reduce_scatter, all_reduce, all_reduce_switch, all_to_all, send"})
          .required("network", &P::network, {.help = "between nodes"})
          .required("power", &P::power, {.help = "of one accelerator"})
          .required("step", &P::step, {.help = "of a whole step"})
          .optional("thermal", &P::thermal, {.help = "where somebody watched it warm up"})
          .optional("fits", &P::fits, {.help = "how good the fits are"});
  return table;
}

const Record<CollectiveSet>& record(const CollectiveSet*) {
  using P = CollectiveSet;
  static const auto table =
      Record<P>("collective_set", "Fitted parameters of collectives alone")
          .required("name", &P::name, {.help = "of this set"})
          .optional("accelerator", &P::accelerator,
                    {.help = "that it was measured on; empty: for all that nobody measured", .catalog = "accelerators"})
          .required("collectives", &P::collectives,
                    {.help = "all_gather, reduce_scatter, all_reduce, all_reduce_switch, all_to_all, send"})
          .required("network", &P::network, {.help = "between nodes"})
          .optional("fits", &P::fits, {.help = "how good the fits are"});
  return table;
}

std::string curves_from(const ParameterSet& set, const std::string& accelerator) {
  if (set.accelerator.empty()) return "transferred from measured relatives, on the data sheet of " + accelerator;
  const std::string measured = "published microbenchmarks of " + set.accelerator;
  return set.accelerator == accelerator ? measured : measured + ", on the data sheet of " + accelerator;
}

CollectiveSet collective_set(const ParameterSet& set) {
  std::vector<FitReport> fits;
  for (const FitReport& fit : set.fits)
    if (fit.name.starts_with("collectives/")) fits.push_back(fit);
  return {set.name, set.accelerator, set.collectives, set.network, std::move(fits)};
}

}  // namespace clusterwright
