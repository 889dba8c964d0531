// SPDX-License-Identifier: Apache-2.0
#include "models/job/parameters.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "sim/field_table.hpp"

namespace clusterwright {

Seconds KernelCurve::time(Bytes bytes) const {
  const auto above =
      std::find_if(points.begin(), points.end(), [&](const auto& point) { return point.first >= bytes; });
  if (above == points.begin()) return points.front().second * (bytes / points.front().first);
  if (above == points.end()) return points.back().second * (bytes / points.back().first);
  const auto& [low_bytes, low_time] = *(above - 1);
  const double share = std::log(bytes / low_bytes) / std::log(above->first / low_bytes);
  return low_time * std::pow(above->second / low_time, share);
}

// Copied and moved here, not in every file that holds one: their members are many.
ParameterSet::ParameterSet() = default;
ParameterSet::ParameterSet(const ParameterSet&) = default;
ParameterSet::ParameterSet(ParameterSet&&) noexcept = default;
ParameterSet& ParameterSet::operator=(const ParameterSet&) = default;
ParameterSet& ParameterSet::operator=(ParameterSet&&) noexcept = default;
ParameterSet::~ParameterSet() = default;

namespace {

FieldRule share_above_zero(const char* help) {
  return {.help = help, .min = 0, .max = 1, .above_min = true};
}

}  // namespace

const Record<GemmParameters>& record(const GemmParameters*) {
  using P = GemmParameters;
  static const auto table =
      Record<P>("gemm_parameters", "GEMM in one number format")
          .required("efficiency", &P::efficiency,
                    {.help = "share of the dense data-sheet peak with large tiles and long K",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("tile_penalty", &P::tile_penalty,
                    {.help = "loss of efficiency with tiles smaller than 256 x 128", .min = 0, .max = 10})
          .required("k_overhead", &P::k_overhead,
                    {.help = "prologue of a tile, as elements of K", .min = 0, .max = 1e5})
          .required("wave_share", &P::wave_share,
                    {.help = "share of the idle multiprocessors of the last wave whose time is lost; 1: all",
                     .min = 0,
                     .max = 1})
          .required("split_us", &P::split,
                    {.help = "time that a call adds if it divides K among multiprocessors", .min = 0})
          .required("fixed_us", &P::fixed,
                    {.help = "fixed time of a call in a microbenchmark, launch included", .min = 0})
          .required("bandwidth_share", &P::bandwidth_share,
                    {.help = "share of the data-sheet memory bandwidth at which operands are read and written",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("long_kernel_loss", &P::long_kernel_loss,
                    {.help = "relative slow-down of a 100-TFLOP kernel against a 1-TFLOP kernel, caused by its clock",
                     .min = 0,
                     .max = 2})
          .required("cast_bytes", &P::cast_bytes,
                    {.help = "memory traffic per element of A when the call quantises A", .min = 0, .max = 1000})
          .required("cast_fixed_us", &P::cast_fixed,
                    {.help = "fixed time of quantising an operand, per call", .min = 0})
          .optional(
              "unaligned_factor", &P::unaligned_factor,
              share_above_zero("rate with operand rows that are not a multiple of 16 bytes over the rate with others"))
          .optional("unaligned_output_factor", &P::unaligned_output_factor,
                    share_above_zero("the same where only rows of the result are not a multiple of 16 bytes"))
          .optional("density_loss", &P::density_loss,
                    {.help = "relative increase of GEMM time per dense 16-bit TFLOP/s of peak per rated watt; parts "
                             "with a denser peak reach less of it",
                     .min = 0,
                     .max = 5})
          .optional("density_reference", &P::density_reference,
                    {.help = "dense 16-bit TFLOP/s per rated watt of the part that `efficiency` was measured on; 0 if "
                             "`efficiency` is extrapolated to density zero",
                     .min = 0,
                     .max = 1000});
  return table;
}

const Record<MemoryParameters>& record(const MemoryParameters*) {
  using P = MemoryParameters;
  static const auto table =
      Record<P>("memory_parameters", "Memory-bound kernels, and copies from the host")
          .required("bandwidth_share", &P::bandwidth_share,
                    {.help = "share of the data-sheet memory bandwidth, large transfers, 40 % of them writes",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("read_share", &P::read_share,
                    {.help = "share of the data-sheet memory bandwidth, large transfers, reads only",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("host_share", &P::host_share,
                    {.help = "share of the data-sheet bandwidth of the host link, large pinned copies",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("half_size_kb", &P::half_size,
                    {.help = "traffic at which half of bandwidth_share is reached", .min = 0});
  return table;
}

const Record<CollectiveParameters>& record(const CollectiveParameters*) {
  using P = CollectiveParameters;
  static const auto table =
      Record<P>("collective_parameters", "One collective operation inside a scale-up domain")
          .required("base_latency_us", &P::base_latency,
                    {.help = "latency before the part that each rank beyond the first adds", .min = 0})
          .required("rank_latency_us", &P::rank_latency,
                    {.help = "latency that each rank beyond the first adds", .min = 0})
          .required("bandwidth_share", &P::bandwidth_share,
                    {.help = "share of the data-sheet scale-up bandwidth, many ranks, large messages",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("small_group_loss", &P::small_group_loss,
                    {.help = "share of that bandwidth lost with 2 ranks; the loss shrinks as 2 / ranks",
                     .min = 0,
                     .max = 0.99})
          .required(
              "half_time_us", &P::half_time,
              {.help = "message size at which half of the bandwidth is reached, as its time on the link", .min = 0})
          .required("ramp_exponent", &P::ramp_exponent,
                    share_above_zero(
                        "growth of bandwidth with message size; 1: as with a fixed cost per message, less: over a "
                        "wider range of sizes"))
          .optional("low_latency_share", &P::low_latency_share,
                    {.help = "share of the data-sheet scale-up bandwidth that the protocols LL and LL128 move, flags "
                             "included, many ranks; 0: one curve for every protocol",
                     .min = 0,
                     .max = 1.2})
          .optional("simple_latency", &P::simple_latency,
                    {.help = "latency of the protocol Simple beyond that of LL, over the same difference in NCCL's "
                             "tuner",
                     .min = 0,
                     .max = 20});
  return table;
}

TransportParameters NetworkParameters::of(const std::string& transport) const {
  const auto found = transports.find(transport);
  if (found != transports.end()) return found->second;
  return {{1, "definition: as InfiniBand", true}, {1, "definition: as InfiniBand", true}};
}

const Record<NetworkParameters>& record(const NetworkParameters*) {
  using P = NetworkParameters;
  static const auto table =
      Record<P>("network_parameters", "Collectives and messages between nodes")
          .required("bandwidth_share", &P::bandwidth_share,
                    {.help = "share of the data-sheet NIC bandwidth, large messages",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("latency_scale", &P::latency_scale,
                    {.help = "measured latencies between nodes over those assumed by NCCL's tuner",
                     .min = 0,
                     .max = 100,
                     .above_min = true})
          .required("message_latency_us", &P::message_latency,
                    {.help = "latency of a point-to-point message, switches excluded", .min = 0})
          .required("structural_error", &P::structural_error,
                    {.help = "standard deviation of log(predicted/measured) from fabric to fabric", .min = 0, .max = 2})
          .required("tcp_bandwidth_share", &P::tcp_bandwidth_share,
                    {.help = "share of the data-sheet NIC bandwidth that TCP sockets reach",
                     .min = 0,
                     .max = 1.2,
                     .above_min = true})
          .required("tcp_latency_us", &P::tcp_latency,
                    {.help = "latency that TCP sockets add to each step between nodes", .min = 0})
          .optional("tcp_send_per_core_gb_per_s", &P::tcp_send_per_core,
                    {.help = "rate at which one core copies data to TCP sockets", .min = 0, .above_min = true})
          .optional("tcp_receive_per_core_gb_per_s", &P::tcp_receive_per_core,
                    {.help = "rate at which one core copies data from TCP sockets", .min = 0, .above_min = true})
          .optional("tcp_cores", &P::tcp_cores,
                    {.help = "cores that serve the sockets of one accelerator, in both directions",
                     .min = 0,
                     .max = 1024,
                     .above_min = true})
          .optional("tcp_memory_passes", &P::tcp_memory_passes,
                    {.help = "times that host memory is read or written for a byte that TCP sends or receives",
                     .min = 1,
                     .max = 16})
          .optional("transports", &P::transports,
                    {.help = "protocols other than InfiniBand and TCP sockets, by their names in fabric.transport"});
  return table;
}

const Record<DevicePowerParameters>& record(const DevicePowerParameters*) {
  using P = DevicePowerParameters;
  static const auto table =
      Record<P>("device_power_parameters", "Power above idle at full utilisation, as shares of (rated - idle)")
          .optional("reference_power_w", &P::reference_power,
                    {.help = "board power that the weights refer to; the part's own if not given", .min = 0})
          .required("tensor_weight", &P::tensor_weight,
                    {.help = "share that a matrix kernel draws, active_weight included", .min = 0, .max = 2})
          .optional("short_term_power", &P::short_term_power,
                    {.help = "maximum power above idle during one kernel, over (rated - idle)", .min = 1, .max = 4})
          .optional("governor_window_ms", &P::governor_window,
                    {.help = "time that a power governor averages over", .min = 0, .max = 1000, .above_min = true})
          .optional("active_weight", &P::active_weight,
                    {.help = "share of any kernel on all multiprocessors, whatever it computes", .min = 0, .max = 1})
          .required("memory_weight", &P::memory_weight, {.help = "share that device memory draws", .min = 0, .max = 2})
          .required("link_weight", &P::link_weight,
                    {.help = "share that scale-up and network links draw", .min = 0, .max = 2})
          .required("waiting_share", &P::waiting_share,
                    {.help = "share drawn while spinning in a collective", .min = 0, .max = 1})
          .required("clock_exponent", &P::clock_exponent,
                    {.help = "exponent of power in the clock; voltage falls with the clock", .min = 1, .max = 4})
          .optional("voltage_floor", &P::voltage_floor,
                    {.help = "clock, over that of the rates, below which voltage stays", .min = 0, .max = 1})
          .optional("idle_w", &P::idle,
                    {.help = "idle power measured with the weights; the part's own if not given", .min = 0});
  return table;
}

const Record<ThermalParameters>& record(const ThermalParameters*) {
  using P = ThermalParameters;
  static const auto table =
      Record<P>("thermal_parameters", "Temperature model of one accelerator in its node")
          .required("inlet_c", &P::inlet_c, {.help = "temperature of the die without load", .min = -50, .max = 150})
          .required("resistance_c_per_w", &P::resistance_c_per_w,
                    {.help = "thermal resistance in equilibrium", .min = 0, .max = 10})
          .required("fast_resistance_c_per_w", &P::fast_resistance_c_per_w,
                    {.help = "part of the thermal resistance that follows power at once", .min = 0, .max = 10})
          .required("capacity_j_per_c", &P::capacity_j_per_c,
                    {.help = "heat capacity behind the rest of the thermal resistance", .min = 0});
  return table;
}

const Record<StepParameters>& record(const StepParameters*) {
  using P = StepParameters;
  static const auto table =
      Record<P>("step_parameters", "Overheads of a step beyond the sum of its microbenchmarks")
          .required("kernel_gap_us", &P::kernel_gap,
                    {.help = "gap between dependent kernels on a busy stream", .min = 0})
          .required("communication_sms", &P::communication_sms,
                    {.help = "multiprocessors that one collective kernel occupies", .min = 0, .max = 1024})
          .required("message_sms", &P::message_sms,
                    {.help = "multiprocessors that one point-to-point message occupies", .min = 0, .max = 1024});
  return table;
}

const Record<FitReport>& record(const FitReport*) {
  using P = FitReport;
  static const auto table =
      Record<P>("fit_report", "How well a fit reproduces its rows, and rows held out")
          .required("name", &P::name, {.help = "name of the fit, and of the part of its rows that is judged"})
          .required("rows", &P::rows, {.help = "number of measured points", .min = 0, .max = 1e9})
          .required("median_abs_log", &P::median_abs_log,
                    {.help = "median of |log(predicted/measured)|", .min = 0, .max = 100})
          .required("p90_abs_log", &P::p90_abs_log,
                    {.help = "90th percentile of |log(predicted/measured)|", .min = 0, .max = 100})
          .required("left_out_median_abs_log", &P::held_out_median_abs_log,
                    {.help = "median of |log(predicted/measured)| over held-out rows", .min = 0, .max = 100})
          .required("left_out_p90_abs_log", &P::held_out_p90_abs_log,
                    {.help = "90th percentile of |log(predicted/measured)| over held-out rows", .min = 0, .max = 100})
          .required("rows_from", &P::rows_from, {.help = "source of the measurements, and what was held out in turn"});
  return table;
}

namespace {

/// Every job may ask for them; all_reduce_switch only where switches reduce.
constexpr std::array<std::string_view, 7> needed_curves = {
    "all_gather", "reduce_scatter", "all_reduce", "all_to_all", "send", "expert_exchange", "expert_exchange_direct"};
constexpr const char* curves_help =
    "parameters by operation: all_gather, reduce_scatter, all_reduce, all_reduce_switch, all_to_all, send, "
    "expert_exchange (bulk kernels), expert_exchange_direct (low-latency ones)";

}  // namespace

const Record<ParameterSet>& record(const ParameterSet*) {
  using P = ParameterSet;
  static const auto table =
      Record<P>("parameter_set", "Fitted parameters of one accelerator, its links and its kernels")
          .required("name", &P::name, {.help = "name of this set"})
          .optional(
              "accelerator", &P::accelerator,
              {.help = "accelerator that the set was fitted for; empty: any accelerator without a file of its own",
               .catalog = "accelerators"})
          .optional("also_for", &P::also_for,
                    {.help = "accelerators with the same die that may use this set", .catalog = "accelerators"})
          .optional("pooled_vendors", &P::pooled_vendors,
                    {.help = "of a generic set: vendors of the parts that it was fitted to; intervals of other "
                             "vendors are wider"})
          .required("gemm", &P::gemm,
                    {.help = "GEMM by number format of the operands: bf16, fp16, fp8 (one scale per tensor), "
                             "fp8-rowwise, fp8-block, mxfp8, nvfp4, int8, int8-weight-only, int4-weight-only"})
          .required("attention", &P::attention,
                    {.help = "attention by kernel family: flash-2, flash-triton, cudnn, xla, unfused"})
          .required("memory", &P::memory, {.help = "memory-bound kernels"})
          .required("collectives", &P::collectives, {.help = curves_help, .needed_keys = needed_curves})
          .required("network", &P::network, {.help = "collectives and messages between nodes"})
          .required("power", &P::power, {.help = "power of one accelerator"})
          .required("step", &P::step, {.help = "overheads of a whole step"})
          .optional("thermal", &P::thermal, {.help = "temperature model, if a warm-up was measured"})
          .optional("fits", &P::fits, {.help = "quality of the fits"});
  return table;
}

const Record<CollectiveSet>& record(const CollectiveSet*) {
  using P = CollectiveSet;
  static const auto table =
      Record<P>("collective_set", "Fitted parameters of collectives without those of kernels")
          .required("name", &P::name, {.help = "name of this set"})
          .optional(
              "accelerator", &P::accelerator,
              {.help =
                   "accelerator that the set was measured on; empty: any accelerator without measurements of its own",
               .catalog = "accelerators"})
          .required("collectives", &P::collectives, {.help = curves_help, .needed_keys = needed_curves})
          .required("network", &P::network, {.help = "collectives and messages between nodes"})
          .optional("fits", &P::fits, {.help = "quality of the fits"});
  return table;
}

std::string curves_from(const ParameterSet& set, const AcceleratorPart& part) {
  if (set.accelerator.empty()) return "generic, from measured relatives, on the data sheet of " + part.id;
  const std::string measured = "published microbenchmarks of " + set.accelerator;
  if (set.accelerator == part.id) return measured;
  return measured + (part.like.empty() ? "" : ", which it is like") + ", on the data sheet of " + part.id;
}

CollectiveSet collective_set(const ParameterSet& set) {
  std::vector<FitReport> fits;
  for (const FitReport& fit : set.fits)
    if (fit.name.starts_with("collectives/")) fits.push_back(fit);
  return {set.name, set.accelerator, set.collectives, set.network, std::move(fits)};
}

}  // namespace clusterwright
