// SPDX-License-Identifier: Apache-2.0
#pragma once
// The table of probes, in order of worth.

#include "context.hpp"

namespace clusterwright::probes {

void probe_gemm(Context& context);
void probe_power(Context& context);
void probe_attention(Context& context);
void probe_layer(Context& context);
void probe_model(Context& context);
void probe_memory(Context& context);
void probe_kernels(Context& context);
void probe_launch(Context& context);
void probe_copies(Context& context);
void probe_collectives(Context& context);

struct Probe {
  const char* name;
  const char* summary;
  double time_weight;  // share of --minutes while all are run; what one leaves, the later ones get
  void (*run)(Context& context);
};

inline const std::vector<Probe>& all_probes() {
  static const std::vector<Probe> probes = {
      {"gemm", "matrix multiplies by cuBLASLt: bf16, fp8, fp16, tf32", 40, probe_gemm},
      {"power", "idle, waiting, copying, multiplying; operand contents; cold-to-steady ramp", 20, probe_power},
      {"attention", "own tiled kernel and cuDNN's, forward and backward", 10, probe_attention},
      {"layer", "one transformer layer, forward and backward, timed whole", 10, probe_layer},
      {"model", "a training step of a small model, eager and as a CUDA graph", 6, probe_model},
      {"memory", "copy, add, triad, read from L2 to device memory sizes", 6, probe_memory},
      {"kernels", "norm, rotary, SwiGLU, GELU, add, softmax-cross-entropy, embedding, Adam", 6, probe_kernels},
      {"launch", "launch latency and rate, with and without CUDA graphs", 3, probe_launch},
      {"copies", "pinned host copies, one way and both", 3, probe_copies},
      {"collectives", "NCCL by size over the GPUs present, a process each; copies between them", 5, probe_collectives},
  };
  return probes;
}

}  // namespace clusterwright::probes
