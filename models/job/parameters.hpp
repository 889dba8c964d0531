// SPDX-License-Identifier: Apache-2.0
/// Fitted parameters of a device, its links and its kernels, and sampled times of single kernels.
#pragma once

#include <array>
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/job/attention_parameters.hpp"
#include "models/job/transport_parameters.hpp"
#include "sim/clocked_power.hpp"
#include "sim/quantity.hpp"
#include "sim/sourced.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

/// Work of a kernel that is neither GEMM nor attention.
enum class StreamingKernel { other, embedding, norm, residual, rotary, activation, softmax, loss, optimizer };
inline constexpr std::array<const char*, 9> streaming_kernel_names = {
    "other", "embedding", "norm", "residual", "rotary", "activation", "softmax", "loss", "optimizer"};
enum class KernelPass { forward, backward, update };
inline constexpr std::array<const char*, 3> kernel_pass_names = {"forward", "backward", "update"};

/// Kernel of one pass.
struct StreamedWork {
  StreamingKernel kernel = StreamingKernel::other;
  KernelPass pass = KernelPass::forward;

  auto operator<=>(const StreamedWork&) const = default;
};

/// Sampled times of one kernel over bytes, ascending.
struct KernelCurve {
  std::vector<std::pair<Bytes, Seconds>> points;

  /// Time on the line between the neighbours in log(bytes), log(time); beyond the ends in proportion to the bytes.
  /// @pre `points` is not empty
  Seconds time(Bytes bytes) const;
};

using KernelCurves = std::map<StreamedWork, KernelCurve>;

/// GEMM in one number format; formula in docs/models/compute.md, "GEMM time".
struct GemmParameters {
  Sourced<double> efficiency;        ///< share of the dense data-sheet peak, with large tiles and long K
  Sourced<double> tile_penalty;      ///< loss of tiles smaller than 256 x 128
  Sourced<double> k_overhead;        ///< prologue of a tile, in elements of K
  Sourced<double> wave_share;        ///< share of its idle part that a partly filled wave takes; 1: all of it
  Sourced<Seconds> split;            ///< time of a call to add up parts, where it divides K among multiprocessors
  Sourced<Seconds> fixed;            ///< time per call with its launch, as a microbenchmark sees it
  Sourced<double> bandwidth_share;   ///< share of the data-sheet memory bandwidth for operands
  Sourced<double> long_kernel_loss;  ///< relative slow-down of a 100-TFLOP kernel against a 1-TFLOP kernel (clock)
  Sourced<double> cast_bytes;        ///< traffic per element of A when the call quantises it; 0 for 16-bit formats
  Sourced<Seconds> cast_fixed;       ///< time of that quantisation per call
  /// Rate with rows of A or B that are no multiple of 16 bytes over that with aligned rows.
  Sourced<double> unaligned_factor{
      0.33,
      "prior: the head of 50,257 rows in published single-node steps runs at a third; padding them to 50,304 is "
      "known to make the whole of GPT-2 small a quarter faster"};
  /// The same where only rows of C are none.
  Sourced<double> unaligned_output_factor{0.33, "prior: as with operands"};
  /// Loss of efficiency with peak per watt: 1 + density_loss * power_density is the time of a GEMM over that at zero
  /// density. Matters only to parts other than the measured one.
  Sourced<double> density_loss{0, "definition: alike on all parts"};
  Sourced<double> density_reference{0, "definition: alike on all parts"};  ///< power_density of the measured part
};
const Record<GemmParameters>& record(const GemmParameters*);

/// Kernels that only move data, and copies from the host.
struct MemoryParameters {
  Sourced<double> bandwidth_share;  ///< share of the data sheet, large transfers, four tenths of them writes
  Sourced<double> read_share;       ///< share of the data sheet, large transfers, reads only
  Sourced<Bytes> half_size;         ///< traffic at which half of that bandwidth is reached
  Sourced<double> host_share;       ///< share of the data sheet of the host link, large pinned copies
};
const Record<MemoryParameters>& record(const MemoryParameters*);

/// One collective inside a scale-up domain; formula in docs/models/collectives.md, "Inside a domain".
struct CollectiveParameters {
  Sourced<Seconds> base_latency;
  Sourced<Seconds> rank_latency;     ///< latency per rank beyond the first
  Sourced<double> bandwidth_share;   ///< share of the scale-up data sheet, many ranks, large messages
  Sourced<double> small_group_loss;  ///< share lost at 2 ranks; shrinks as 2 / ranks
  Sourced<Seconds> half_time;        ///< time of the link for the bytes at which half of its rate is reached
  Sourced<double> ramp_exponent;     ///< exponent of the approach: 1 is a fixed time, less spreads over more sizes
  /// Share of the scale-up data sheet that the low-latency protocols move, flags included, with many ranks. 0:
  /// bandwidth and ramp above hold for every protocol.
  Sourced<double> low_latency_share{0, "definition: one curve for every protocol"};
  /// Latency of Simple beyond that of LL, over the same difference in NCCL's tuner.
  Sourced<double> simple_latency{0, "definition: one curve for every protocol"};
};
const Record<CollectiveParameters>& record(const CollectiveParameters*);

/// Collectives and messages between nodes.
struct NetworkParameters {
  Sourced<double> bandwidth_share;      ///< share of the NIC data sheet, large messages
  Sourced<double> latency_scale;        ///< latencies over those of NCCL's tuner
  Sourced<Seconds> message_latency;     ///< point to point, without switches
  Sourced<double> structural_error;     ///< standard deviation of log(predicted/measured) from fabric to fabric
  Sourced<double> tcp_bandwidth_share;  ///< bandwidth_share of TCP sockets instead of RDMA
  Sourced<Seconds> tcp_latency;         ///< latency that sockets add to each step between nodes
  /// Rates at which one core copies to and from sockets, and cores that do so for each accelerator.
  Sourced<BytesPerSecond> tcp_send_per_core{
      11 * gigabyte / second,
      "prior: 89 Gbit/s of one sending core, Linux TCP on 100 Gbit/s (Cai et al., SIGCOMM 2021, outcast)", false, 3};
  Sourced<BytesPerSecond> tcp_receive_per_core{
      5.25 * gigabyte / second,
      "prior: 42 Gbit/s of one receiving core, Linux TCP on 100 Gbit/s (Cai et al., SIGCOMM 2021, single flow)", false,
      1.5};
  Sourced<double> tcp_cores{
      1, "default of NCCL: sockets are served by the proxy thread of each rank alone (src/transport/net_socket.cc)",
      true};
  /// Times that host memory is read or written for one byte that a host sends, and for one that it receives.
  Sourced<double> tcp_memory_passes{
      4, "arithmetic: GPU to host buffer, copy (read and write) to the socket, NIC; the same backwards", true};
  std::map<std::string, TransportParameters> transports = usual_transports();
  /// Of a transport; 1 and 1 for those without an entry.
  TransportParameters of(const std::string& transport) const;
};
const Record<NetworkParameters>& record(const NetworkParameters*);

/// Power of one accelerator above idle at full utilisation; weights are shares of (rated - idle).
struct DevicePowerParameters {
  /// Board power that the weights refer to; absent: the part's own.
  std::optional<Sourced<Watts>> reference_power;
  Sourced<double> tensor_weight;
  Sourced<double> memory_weight;
  Sourced<double> link_weight;
  Sourced<double> waiting_share;   ///< weight of a kernel that spins in a collective
  Sourced<double> clock_exponent;  ///< exponent of power in the clock: voltage falls with it
  /// Clock below which voltage no longer falls, relative to the reference clock: power then falls as the clock does.
  Sourced<double> voltage_floor{
      0.7,
      "estimate: published limits of V100 and A40 bend at 0.85 of the free clock, sweeps of H100 and H200 near 0.7",
      false, 0.1};
  VoltageCurve voltage() const { return {clock_exponent.value, voltage_floor.value}; }
  /// Power over the rated range for the length of one kernel: governors average over many.
  Sourced<double> short_term_power{1.4, "estimate: overshoot of racks below a millisecond, a secondary source"};
  /// Time that a power governor averages over. No more than this of a wait counts in the mean that it limits.
  Sourced<Seconds> governor_window{
      22 * millisecond,
      "derived: one H200, multiplies of 105 ms and waits of 100 ms in turn at 700 W ran at "
      "734 TFLOP/s, held ones at 672, short ones at 796"};
  /// Weight of any kernel on all multiprocessors; part of `tensor_weight`.
  Sourced<double> active_weight{0.25, "estimate: streaming kernels draw 0.5 to 0.6 of the range, memory 0.3 of it"};
  std::optional<Sourced<Watts>> idle;  ///< idle power measured with the weights; absent: the part's own
};
const Record<DevicePowerParameters>& record(const DevicePowerParameters*);

/// Heat of one accelerator in its node, see calibration/fit/thermal_fit.hpp. Temperatures are in degrees Celsius.
struct ThermalParameters {
  Sourced<double> inlet_c;             ///< temperature of the die without load: that of the air or water at its inlet
  Sourced<double> resistance_c_per_w;  ///< rise per watt in equilibrium
  Sourced<double> fast_resistance_c_per_w;  ///< part of the rise that follows power at once
  Sourced<double> capacity_j_per_c;         ///< heat capacity behind the other part
};
const Record<ThermalParameters>& record(const ThermalParameters*);

/// Effects of whole steps that microbenchmarks do not show.
struct StepParameters {
  Sourced<Seconds> kernel_gap;        ///< gap between dependent kernels on a busy stream
  Sourced<double> communication_sms;  ///< multiprocessors that one collective kernel holds
  Sourced<double> message_sms;        ///< multiprocessors that a point-to-point message holds
};
const Record<StepParameters>& record(const StepParameters*);

/// Errors of a fit on its own rows and on held-out rows, as |log(predicted/measured)|.
struct FitReport {
  std::string name;  ///< "gemm/bf16"
  int rows = 0;      ///< number of measured points
  double median_abs_log = 0;
  double p90_abs_log = 0;
  double held_out_median_abs_log = 0;  ///< median on held-out rows
  double held_out_p90_abs_log = 0;
  std::string rows_from;  ///< measurements that the rows are from
};
const Record<FitReport>& record(const FitReport*);

/// All fitted parameters of one accelerator.
struct ParameterSet {
  ParameterSet();
  ParameterSet(const ParameterSet&);
  ParameterSet(ParameterSet&&) noexcept;
  ParameterSet& operator=(const ParameterSet&);
  ParameterSet& operator=(ParameterSet&&) noexcept;
  ~ParameterSet();

  std::string name;
  std::string accelerator;                     ///< accelerator of the fit; empty: all without a file
  std::vector<std::string> also_for;           ///< siblings that may use the set
  std::vector<std::string> pooled_vendors;     ///< of a generic set: vendors of the parts that it was fitted to
  std::map<std::string, GemmParameters> gemm;  ///< GEMMs by format: "bf16", "fp8-block", "int4-weight-only", ...
  std::map<std::string, AttentionParameters>
      attention;  ///< attention by kernel family: "flash-2", "cudnn", "unfused", ...
  MemoryParameters memory;
  std::map<std::string, CollectiveParameters> collectives;  ///< curves by name of CollectiveOp, and all_reduce_switch
  NetworkParameters network;
  DevicePowerParameters power;
  StepParameters step;
  std::optional<ThermalParameters> thermal;  ///< present if its warm-up was measured
  /// Sampled kernels that replace `memory`, for processors, whose kernels are not limited by memory alone. No file has
  /// them.
  std::optional<KernelCurves> kernels;
  std::vector<FitReport> fits;
};
const Record<ParameterSet>& record(const ParameterSet*);

/// Origin of the curves of a set in words: "published microbenchmarks of H200", or that they are generic.
std::string curves_from(const ParameterSet& set, const AcceleratorPart& part);

/// Part of a parameter set that collectives need; users may keep it in a file of its own.
struct CollectiveSet {
  std::string name;
  std::string accelerator;  ///< accelerator of the measurements; empty: all without measurements
  std::map<std::string, CollectiveParameters> collectives;
  NetworkParameters network;
  std::vector<FitReport> fits;
};
const Record<CollectiveSet>& record(const CollectiveSet*);

CollectiveSet collective_set(const ParameterSet& set);

}  // namespace clusterwright
