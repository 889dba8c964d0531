// SPDX-License-Identifier: Apache-2.0
/// Words of samples: each enumeration in the order of its names in a document.
#pragma once

#include <array>
#include <string_view>

#include "sim/enum_names.hpp"

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

}  // namespace clusterwright
