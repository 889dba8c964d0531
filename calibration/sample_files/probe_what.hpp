/// What a probe measured: the keys that belong to each probe, and which numbers must agree with each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/field_decoder.hpp"
#include "sim/json_value.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// A member taken as it stands.
struct RawMember {
  JsonValue value = JsonValue::object();
};

/// The subject of one sample. Zero and empty are "not of this probe", or "not said"; which probe has which key is in
/// `probe_what.cpp`.
struct ProbeWhat {
  // Matrix multiplies: C (m x n) = A (m x k) B (k x n).
  std::int64_t m = 0, n = 0, k = 0;
  std::string dtype;             ///< of the operands
  std::int64_t threads = 0;      ///< of the host
  std::string library;           ///< a class of kernels: "eigen sse2"
  std::string layout, operands;  ///< of a layer's multiply, and of A and B in memory
  std::string output, scaling, origin, contents;
  bool accumulate = false, fast_accumulation = false;
  std::int64_t buffer_sets = 0;
  Bytes workspace;
  // Memory, storage, transfers and data loading.
  std::string operation;  ///< copy, add, triad, read, write; all_reduce, ...
  Bytes working_set;      ///< everything that one call touches, all arrays together
  Bytes array;            ///< one of them
  std::int64_t arrays = 0;
  std::string path;          ///< tcp_loopback, pipe
  std::string pattern;       ///< ping_pong: one direction of a round trip; stream: one of many messages in a row
  std::string method;        ///< mmap, pread
  std::string cache;         ///< flushed, dropped, resident: where a file's pages were, see `host_plan.hpp`
  Bytes message;             ///< one direction
  Bytes block;               ///< of one system call
  Bytes record;              ///< of one sequence of tokens
  Bytes file;                ///< whole, or what the records are drawn from
  std::int64_t records = 0;  ///< read by one call
  // Copies and collectives.
  std::int64_t bytes = 0;
  std::string direction, host_memory;
  std::int64_t nccl_version = 0;
  std::int64_t ranks = 0, nodes = 0, processes = 0, from = 0, to = 0;
  bool direct = false, in_place = false;
  // Attention, layers and their kernels.
  std::string pass, implementation, model, attention, kernel;
  std::int64_t batch = 0, sequence = 0, heads = 0, kv_heads = 0, head_width = 0, hidden = 0, ffn = 0, tensor_split = 0;
  bool causal = false, gated = false, communication = false, bytes_counted = false, graph = false;
  std::int64_t layers = 0, vocabulary = 0;
  std::int64_t tokens = 0, width = 0, parameters = 0;
  // Launches and power states.
  std::int64_t kernels = 0, blocks = 0, threads_per_block = 0;
  std::string load;
  Seconds wait;
  RawMember first, second;  ///< loads that alternate
};

/// The probes that samples may come from: gemm, memory, transfer, storage, data_loading (host), and those of a GPU.
const std::vector<std::string>& known_probes();

/// The operations, bytes and threads that stand beside `what` in a document.
struct ProbeTotals {
  std::int64_t flops = 0;
  std::int64_t bytes = 0;
  std::int64_t device_threads = 0;  ///< 0: not known
};

/// Reads the "what" of `probe`, which must be known; reports unknown and missing keys, and words that are not allowed.
void decode_what(const std::string& probe, const JsonValue& value, Decoder& decoder, ProbeWhat& out);

/// Reports (E0340) flops, bytes or threads in `sample` that contradict its `what`.
void check_totals(const std::string& probe, const ProbeWhat& what, const ProbeTotals& totals, const JsonValue& sample,
                  Decoder& decoder);

/// The keys of `probe`; those that hold nothing are left out.
/// @throws std::out_of_range if the probe is not known
JsonValue encode_what(const std::string& probe, const ProbeWhat& what);

}  // namespace clusterwright
