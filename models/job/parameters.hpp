// SPDX-License-Identifier: Apache-2.0
/// Fitted parameters: what measurements say about a device, its links and its kernels.
#pragma once

#include <array>
#include <compare>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"
#include "topology/parts/number_format.hpp"

namespace clusterwright {

/// What a kernel that is no matrix multiply and no attention computes.
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

/// Time over bytes of one kernel, in the order of bytes.
struct KernelCurve {
  std::vector<std::pair<Bytes, Seconds>> points;

  /// On the line between the neighbours in log(bytes), log(time); beyond the ends in proportion to the bytes.
  /// @pre `points` is not empty
  Seconds time(Bytes bytes) const;
};

using KernelCurves = std::map<StreamedWork, KernelCurve>;

/// Matrix multiply in one number format; formula in docs/models/compute.md, "GEMM time".
struct GemmParameters {
  Sourced<double> efficiency;        ///< of the dense data-sheet peak, large tiles, long K
  Sourced<double> tile_penalty;      ///< loss of tiles smaller than 256 x 128
  Sourced<double> k_overhead;        ///< prologue of a tile, in elements of K
  Sourced<double> wave_share;        ///< of a wave that a partly filled one costs beyond its own tiles; 1: all of it
  Sourced<Seconds> split;            ///< per call that divides K among multiprocessors and adds up the parts
  Sourced<Seconds> fixed;            ///< per call, launch included, as a microbenchmark sees it
  Sourced<double> bandwidth_share;   ///< of the data-sheet memory bandwidth for operands
  Sourced<double> long_kernel_loss;  ///< relative slow-down of a 100-TFLOP kernel against a 1-TFLOP one (clock)
  Sourced<double> cast_bytes;        ///< traffic per element of A when the call quantises it; 0 for 16-bit formats
  Sourced<Seconds> cast_fixed;       ///< per call, of that quantisation
  /// Rate with operand rows that are no multiple of 16 bytes over that with others: wide loads need aligned rows.
  Sourced<double> unaligned_factor{
      0.33,
      "prior: the head of 50,257 rows in published single-node steps runs at a third; padding them to 50,304 is "
      "known to make the whole of GPT-2 small a quarter faster"};
  /// A part whose peak asks for more of its power reaches less of it: 1 + density_loss * power_density is the time of
  /// a multiply over that at no density. Matters to parts other than the measured one only.
  Sourced<double> density_loss{0, "definition: alike on all parts"};
  Sourced<double> density_reference{0, "definition: alike on all parts"};  ///< of the part that `efficiency` is of
};
const Record<GemmParameters>& record(const GemmParameters*);

/// Fused attention of one kernel family.
struct AttentionParameters {
  Sourced<double> forward_efficiency;  ///< of the 16-bit peak on executed FLOPs, head width 128, long sequence
  Sourced<double> backward_efficiency;
  Sourced<double> half_sequence;       ///< sequence at which half the efficiency is reached
  Sourced<double> narrow_head_factor;  ///< efficiency at head width 64 over that at 128
  /// Efficiency at head widths that are no multiple of 8 elements over that at others: matrix units need aligned rows.
  Sourced<double> unaligned_factor{1, "kernels pad"};
  Sourced<double> executed_share;       ///< of the full square of scores: 0.5 where a causal mask skips work
  Sourced<double> score_bytes_forward;  ///< memory traffic per score element; 0 where scores stay on chip
  Sourced<double> score_bytes_backward;
};
const Record<AttentionParameters>& record(const AttentionParameters*);

/// Kernels that only move data, and copies from the host.
struct MemoryParameters {
  Sourced<double> bandwidth_share;  ///< of the data sheet, large transfers, four tenths of them writes
  Sourced<double> read_share;       ///< the same of kernels that only read: memory need not turn round
  Sourced<Bytes> half_size;         ///< traffic at which half of it is reached
  Sourced<double> host_share;       ///< of the data sheet of the link to the host, large pinned copies
};
const Record<MemoryParameters>& record(const MemoryParameters*);

/// One collective inside a scale-up domain; formula in docs/models/collectives.md, "Inside a domain".
struct CollectiveParameters {
  Sourced<Seconds> base_latency;
  Sourced<Seconds> rank_latency;     ///< per rank beyond the first
  Sourced<double> bandwidth_share;   ///< of the scale-up data sheet, many ranks, large messages
  Sourced<double> small_group_loss;  ///< share lost at 2 ranks, shrinking as 2 / ranks
  Sourced<Seconds> half_time;        ///< the link takes this long for the bytes at which half of it is reached
  Sourced<double> ramp_exponent;     ///< how fast: 1 is a fixed cost, less a slower approach over more sizes
};
const Record<CollectiveParameters>& record(const CollectiveParameters*);

/// Collectives and messages between nodes.
struct NetworkParameters {
  Sourced<double> bandwidth_share;      ///< of the NIC data sheet, large messages
  Sourced<double> latency_scale;        ///< latencies over those that NCCL's tuner counts with
  Sourced<Seconds> message_latency;     ///< point to point, without switches
  Sourced<double> structural_error;     ///< one standard deviation of log(predicted/measured) from fabric to fabric
  Sourced<double> tcp_bandwidth_share;  ///< as bandwidth_share, of TCP sockets instead of RDMA
  Sourced<Seconds> tcp_latency;         ///< that sockets add to each step between nodes
};
const Record<NetworkParameters>& record(const NetworkParameters*);

/// Watts of one accelerator above idle at full utilisation, as shares of (rated - idle).
struct DevicePowerParameters {
  /// Board power that the weights refer to; absent: the part's own. A board held to less draws as its die does.
  std::optional<Sourced<Watts>> reference_power;
  Sourced<double> tensor_weight;
  Sourced<double> memory_weight;
  Sourced<double> link_weight;
  Sourced<double> waiting_share;   ///< spinning in a collective
  Sourced<double> clock_exponent;  ///< of power in the clock: voltage falls with it
  /// For the length of a kernel, over the rated range: governors average over many.
  Sourced<double> short_term_power{1.4, "estimate: overshoot of racks below a millisecond, a secondary source"};
  /// Any kernel on all multiprocessors, whatever it does; part of `tensor_weight`.
  Sourced<double> active_weight{0.25, "estimate: streaming kernels draw 0.5 to 0.6 of the range, memory 0.3 of it"};
  std::optional<Sourced<Watts>> idle;  ///< as measured with the weights; absent: the part's own
};
const Record<DevicePowerParameters>& record(const DevicePowerParameters*);

/// Heat of one accelerator in its node: see calibration/fit/thermal_fit.hpp. Temperatures in degrees Celsius.
struct ThermalParameters {
  Sourced<double> inlet_c;                  ///< of the die without load: air or water that reaches it
  Sourced<double> resistance_c_per_w;       ///< in balance
  Sourced<double> fast_resistance_c_per_w;  ///< the part of it that follows power at once
  Sourced<double> capacity_j_per_c;         ///< behind the rest
};
const Record<ThermalParameters>& record(const ThermalParameters*);

/// What steps add to the sum of their microbenchmarks.
struct StepParameters {
  Sourced<Seconds> kernel_gap;        ///< between dependent kernels on a busy stream
  Sourced<double> communication_sms;  ///< multiprocessors that one collective kernel holds
  Sourced<double> message_sms;        ///< the same for a point-to-point message
};
const Record<StepParameters>& record(const StepParameters*);

/// How well a fit reproduces the rows it was made from, and rows left out.
struct FitReport {
  std::string name;  ///< "gemm/bf16"
  int rows = 0;      ///< measured points
  double median_abs_log = 0;
  double p90_abs_log = 0;
  double held_out_median_abs_log = 0;  ///< cross-validated
  double held_out_p90_abs_log = 0;
  std::string rows_from;  ///< which measurements
};
const Record<FitReport>& record(const FitReport*);

struct ParameterSet {
  ParameterSet();
  ParameterSet(const ParameterSet&);
  ParameterSet(ParameterSet&&) noexcept;
  ParameterSet& operator=(const ParameterSet&);
  ParameterSet& operator=(ParameterSet&&) noexcept;
  ~ParameterSet();

  std::string name;
  std::string accelerator;                               ///< that it was fitted for; empty: for all without a file
  std::vector<std::string> also_for;                     ///< siblings that may use it
  std::map<std::string, GemmParameters> gemm;            ///< by format: "bf16", "fp8-block", "int4-weight-only", ...
  std::map<std::string, AttentionParameters> attention;  ///< by kernel family: "flash-2", "cudnn", "unfused", ...
  MemoryParameters memory;
  std::map<std::string, CollectiveParameters> collectives;  ///< names of CollectiveOp, and all_reduce_switch
  NetworkParameters network;
  DevicePowerParameters power;
  StepParameters step;
  std::optional<ThermalParameters> thermal;  ///< where somebody watched it warm up
  /// Kernels as sampled one by one, instead of `memory`: those of a processor are not limited by memory alone. In no
  /// file.
  std::optional<KernelCurves> kernels;
  std::vector<FitReport> fits;
};
const Record<ParameterSet>& record(const ParameterSet*);

/// Where the curves of a set come from, in words: "published microbenchmarks of H200", or that they were transferred.
std::string curves_from(const ParameterSet& set, const std::string& accelerator);

/// What a collective needs of a parameter set; users may keep it in a file of its own.
struct CollectiveSet {
  std::string name;
  std::string accelerator;  ///< that it was measured on; empty: for all that nobody measured
  std::map<std::string, CollectiveParameters> collectives;
  NetworkParameters network;
  std::vector<FitReport> fits;
};
const Record<CollectiveSet>& record(const CollectiveSet*);

CollectiveSet collective_set(const ParameterSet& set);

}  // namespace clusterwright
