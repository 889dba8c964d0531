// SPDX-License-Identifier: Apache-2.0
/// Subject of one sample: a struct for each probe, with the keys that its "what" has in a document.
///
/// Zero and empty mean "not said". The word in "probe" names the alternative of `ProbeWhat`.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/enum_array.hpp"
#include "sim/field_decoder.hpp"
#include "sim/json_value.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// Number format of a GEMM's operands.
enum class ProbedFormat { fp64, fp32, tf32, bf16, fp16, fp8_e4m3, fp8_e5m2, int8 };
template <>
struct EnumNames<ProbedFormat> {
  static constexpr std::array<std::string_view, 8> names = {"fp64", "fp32",     "tf32",     "bf16",
                                                            "fp16", "fp8_e4m3", "fp8_e5m2", "int8"};
};

/// Held loads that fits know by name; probes hold others too.
enum class HeldLoad { idle_before_ramp, ramp, cool_down, spin_wait, other };
template <>
struct EnumNames<HeldLoad> {
  static constexpr std::array<std::string_view, 4> names = {"idle_before_ramp", "ramp", "cool_down", "spin_wait"};
};

/// b = a; c = a + b; a = b + 3 c; a sum of a.
enum class StreamKernel { copy, add, triad, read };
template <>
struct EnumNames<StreamKernel> {
  static constexpr std::array<std::string_view, 4> names = {"copy", "add", "triad", "read"};
};

enum class StreamFormat { fp64, fp32 };
template <>
struct EnumNames<StreamFormat> {
  static constexpr std::array<std::string_view, 2> names = {"fp64", "fp32"};
};

enum class TransferPath { tcp_loopback, pipe };
template <>
struct EnumNames<TransferPath> {
  static constexpr std::array<std::string_view, 2> names = {"tcp_loopback", "pipe"};
};

enum class TransferPattern {
  ping_pong,  ///< one direction of a round trip
  stream      ///< one of many messages in a row
};
template <>
struct EnumNames<TransferPattern> {
  static constexpr std::array<std::string_view, 2> names = {"ping_pong", "stream"};
};

enum class StorageOperation { read, write };
template <>
struct EnumNames<StorageOperation> {
  static constexpr std::array<std::string_view, 2> names = {"read", "write"};
};

/// Place of a file's pages, see `storage_probe.hpp`.
enum class StorageCache { flushed, dropped, resident };
template <>
struct EnumNames<StorageCache> {
  static constexpr std::array<std::string_view, 3> names = {"flushed", "dropped", "resident"};
};

enum class LoadingMethod { mmap, pread };
template <>
struct EnumNames<LoadingMethod> {
  static constexpr std::array<std::string_view, 2> names = {"mmap", "pread"};
};

enum class LoadingCache { dropped, resident };
template <>
struct EnumNames<LoadingCache> {
  static constexpr std::array<std::string_view, 2> names = {"dropped", "resident"};
};

/// Passes of a kernel or a layer.
enum class ProbedPass { forward, backward, both };
template <>
struct EnumNames<ProbedPass> {
  static constexpr std::array<std::string_view, 3> names = {"forward", "backward", "both"};
};

enum class ModelPass { step };
template <>
struct EnumNames<ModelPass> {
  static constexpr std::array<std::string_view, 1> names = {"step"};
};

enum class CopyDirection { host_to_device, device_to_host, both };
template <>
struct EnumNames<CopyDirection> {
  static constexpr std::array<std::string_view, 3> names = {"host_to_device", "device_to_host", "both"};
};

/// Member of a document, not decoded.
struct RawMember {
  JsonValue value = JsonValue::object();
};

/// Details of a GEMM beside its shape.
struct ProbedGemmDetails {
  std::string library;           ///< class of kernels: "eigen sse2"
  std::string layout, operands;  ///< forward or a gradient; A and B in memory
  std::string output, scaling, origin, contents;
  bool accumulate = false, fast_accumulation = false;
  std::int64_t buffer_sets = 0;
  Bytes workspace;
};

/// C (m x n) = A (m x k) B (k x n).
struct ProbedGemm : ProbedGemmDetails {
  static constexpr std::string_view probe = "gemm";
  std::int64_t m = 0, n = 0, k = 0;
  ProbedFormat dtype = ProbedFormat::fp32;  ///< format of the operands
  std::int64_t threads = 0;                 ///< host threads
};

/// Same shape, number format and host threads.
bool same_problem(const ProbedGemm& one, const ProbedGemm& other);

/// A load that is held while the driver reports clock and power.
struct ProbedPower : ProbedGemmDetails {
  static constexpr std::string_view probe = "power";
  std::string load;
  std::int64_t blocks = 0, threads_per_block = 0;
  Seconds wait;
  std::int64_t gemms = 0;  ///< of a wave; then nothing for the length of `pause`
  Seconds pause;
  RawMember first, second;  ///< loads that alternate
  std::int64_t m = 0, n = 0, k = 0;
  std::string dtype;

  HeldLoad held() const;
};

struct ProbedMemory {
  static constexpr std::string_view probe = "memory";
  StreamKernel operation = StreamKernel::copy;
  Bytes working_set;  ///< everything that one call touches, all arrays together
  Bytes array;        ///< one of them
  std::int64_t arrays = 0;
  std::optional<StreamFormat> dtype;
  std::int64_t threads = 0;  ///< host threads
};

struct ProbedTransfer {
  static constexpr std::string_view probe = "transfer";
  TransferPath path = TransferPath::pipe;
  TransferPattern pattern = TransferPattern::ping_pong;
  Bytes message;  ///< one direction
};

struct ProbedStorage {
  static constexpr std::string_view probe = "storage";
  StorageOperation operation = StorageOperation::read;
  Bytes file;   ///< whole
  Bytes block;  ///< one system call
  StorageCache cache = StorageCache::dropped;
};

struct ProbedLoading {
  static constexpr std::string_view probe = "data_loading";
  LoadingMethod method = LoadingMethod::mmap;
  Bytes record;              ///< one sequence of tokens
  std::int64_t records = 0;  ///< read by one call
  Bytes file;                ///< records are drawn from it
  LoadingCache cache = LoadingCache::dropped;
};

/// Attention of one layer, alone or inside a layer.
struct ProbedHeads {
  std::string dtype;
  std::int64_t batch = 0, sequence = 0, heads = 0, kv_heads = 0, head_width = 0;
  bool causal = false;
};

struct ProbedAttention : ProbedHeads {
  static constexpr std::string_view probe = "attention";
  ProbedPass pass = ProbedPass::forward;
  std::string implementation;
};

/// Transformer, whole or one layer of it.
struct ProbedTransformer : ProbedHeads {
  std::int64_t hidden = 0, ffn = 0, tensor_split = 0;
  std::string model, attention;
  bool gated = false, communication = false;
};

struct ProbedLayer : ProbedTransformer {
  static constexpr std::string_view probe = "layer";
  ProbedPass pass = ProbedPass::forward;
  bool bytes_counted = false;
};

/// A small model: forward, backward and optimizer.
struct ProbedModel : ProbedTransformer {
  static constexpr std::string_view probe = "model";
  ModelPass pass = ModelPass::step;
  std::int64_t layers = 0, vocabulary = 0, parameters = 0;
  bool graph = false;  ///< launched as one CUDA graph
};

/// A kernel between the GEMMs.
struct ProbedKernel {
  static constexpr std::string_view probe = "kernels";
  std::string kernel, dtype, pass;
  std::int64_t tokens = 0, width = 0, heads = 0, head_width = 0, parameters = 0;
};

struct ProbedLaunch {
  static constexpr std::string_view probe = "launch";
  std::string operation;
  std::int64_t kernels = 0, blocks = 0;
};

struct ProbedCopy {
  static constexpr std::string_view probe = "copies";
  CopyDirection direction = CopyDirection::host_to_device;
  std::int64_t bytes = 0;  ///< one direction
  std::string host_memory;
};

struct ProbedCollective {
  static constexpr std::string_view probe = "collectives";
  std::string operation;
  std::int64_t bytes = 0;  ///< as nccl-tests count them
  std::string dtype;
  std::int64_t ranks = 0, nodes = 0;
  bool in_place = false;
  std::int64_t processes = 0, nccl_version = 0, from = 0, to = 0;
  bool direct = false;
};

using ProbeWhat =
    std::variant<ProbedAttention, ProbedCollective, ProbedCopy, ProbedLoading, ProbedGemm, ProbedKernel, ProbedLaunch,
                 ProbedLayer, ProbedMemory, ProbedModel, ProbedPower, ProbedStorage, ProbedTransfer>;

/// Name of the probe in a document: "gemm".
std::string probe_name(const ProbeWhat& what);

/// Number of host threads; 0 for probes that count none.
std::int64_t threads_of(const ProbeWhat& what);

/// Probes that samples may come from, by name: those of a host and those of a GPU.
const std::vector<std::string>& known_probes();

/// Operations, bytes and threads that stand beside `what` in a document.
struct ProbeTotals {
  std::int64_t flops = 0;
  std::int64_t bytes = 0;
  std::int64_t device_threads = 0;  ///< 0: not known
};

/// Reads the "what" of `probe`, which must be known; reports unknown and missing keys and words that are not allowed.
ProbeWhat decode_what(const std::string& probe, const JsonValue& value, Decoder& decoder);

/// Reports (E0340) flops, bytes or threads in `sample` that contradict its `what`.
void check_totals(const ProbeWhat& what, const ProbeTotals& totals, const JsonValue& sample, Decoder& decoder);

/// Keys of `what`, without those that hold nothing.
JsonValue encode_what(const ProbeWhat& what);

}  // namespace clusterwright
