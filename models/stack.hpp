/// What a training framework of a given date does: order of dimensions, overlaps, kernels, host cost.
#pragma once

#include <string>

#include "sim/quantity.hpp"
#include "sim/sourced.hpp"

namespace clusterwright {

/// Which ranks sit next to each other, innermost first.
enum class RankOrder { tensor_context_data_pipeline, tensor_context_pipeline_data };

struct SoftwareStack {
  std::string name;
  std::string source;
  RankOrder rank_order = RankOrder::tensor_context_data_pipeline;
  std::string attention = "cudnn";        ///< kernel family in the parameter file
  bool overlap_weight_gradient = true;    ///< tensor-parallel collectives of the backward pass behind wgrad GEMMs
  bool overlap_gradient_reduce = true;    ///< data-parallel reduction behind the backward pass
  bool overlap_parameter_gather = true;   ///< sharded parameters gathered behind the next forward pass
  bool overlap_pipeline_messages = true;  ///< sends and receives on their own stream
  bool fused_elementwise = true;          ///< bias, dropout, activation, rotary fused with their neighbours
  bool lean_activations = false;          ///< norm and activation outputs are computed again instead of stored
  Sourced<Seconds> kernel_launch;         ///< host time to issue one kernel; 0 with graph capture
  Sourced<double> kernels_per_op;         ///< kernels that one op of the step graph stands for
  Sourced<double> gradient_size;          ///< bytes per parameter of the buffer that is accumulated and reduced
  Sourced<Bytes> bucket;                  ///< data-parallel bucket size
  Sourced<Bytes> reserved_memory;         ///< context, libraries and allocator slack per device
};
const Record<SoftwareStack>& record(const SoftwareStack*);

}  // namespace clusterwright
