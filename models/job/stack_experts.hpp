// SPDX-License-Identifier: Apache-2.0
/// Handling of mixtures of experts by a training framework: transport of tokens, kernels, host time.
#pragma once

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// Transport of tokens to their experts: every copy by itself in one all-to-all of the collective library; or kernels
/// that send one copy to each node and one to each rank inside it.
enum class ExpertTransfer { all_to_all, hierarchical };

/// Handling of mixtures of experts.
struct StackExperts {
  ExpertTransfer transfer = ExpertTransfer::all_to_all;
  bool narrow_dispatch = false;   ///< tokens travel to experts in 8 bit if GEMMs run in 8 bit
  bool overlap_shared = false;    ///< shared experts run while tokens travel
  bool overlap_exchange = false;  ///< a forward and a backward pass of two micro-batches hide each other's exchanges
  bool one_launch = false;        ///< one kernel for the GEMMs of all experts of a rank; else one per expert
  /// Host that reads the number of tokens of each expert before it issues the next kernels, so it has no lead there.
  bool synchronises = true;
  /// Kernels that choose experts, count their rows and map rows to places, in a forward pass. Each takes the host time
  /// of a launch; the backward pass has as many.
  Sourced<double> routing_kernels{27,
                                  "PyTorch 2.11, launches of the profiler on an H100, 2026-11-28: 44 in the forward "
                                  "pass of a layer with routed experts, 12 of a dense one, 5 of the experts' GEMMs and "
                                  "activation; 32 in the backward pass"};
  /// As many where the kernels of a hierarchical transfer also map rows to places.
  Sourced<double> prepared_routing_kernels{
      17, "router and preparation with DeepEP in Megatron-LM: NVIDIA, docs/discussions, 2025-11"};
  /// Host time to issue one GEMM or one cast of one expert, if they are launched one by one, at the reference date of
  /// the step calibration.
  Sourced<Seconds> launch{
      68 * microsecond,
      "55 us at the end of 2025 fit steps of Megatron Bridge with 8, 16 and 32 experts a rank, as of "
      "2024-01 by the drift of experts; eager PyTorch takes 70 us forward and 100 backward on a "
      "virtual Xeon with an H100, 2026-11-28"};
  /// Coefficient of variation of the experts' popularity within a micro-batch, unless the job states one.
  Sourced<double> imbalance{0.2, "estimate: what balancing losses leave within one micro-batch"};
  bool operator==(const StackExperts&) const = default;
};
const Record<StackExperts>& record(const StackExperts*);

/// Kernels of the choice of experts that the transfer of the stack leaves to the router.
double launched_routing_kernels(const StackExperts& experts);

}  // namespace clusterwright
