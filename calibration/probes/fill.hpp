// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operand contents. Timing on zeros flatters: fewer bits toggle, power falls, clocks rise.

#include <cuda_bf16.h>

#include <cstddef>
#include <cstdint>

#include "device_memory.hpp"

namespace clusterwright::probes {

enum class DataType { bf16, fp8_e4m3, fp16, tf32, fp32 };  // tf32 is stored as fp32

const char* name_of(DataType type);
std::size_t bytes_of(DataType type);

enum class Contents { zeros, sparse, random };  // sparse: nine of ten are zero; random: standard normal

const char* name_of(Contents contents);

/// Fills `count` numbers; the same seed gives the same numbers on every GPU.
void fill(void* data, DataType type, std::size_t count, Contents contents, std::uint64_t seed, cudaStream_t stream,
          float deviation = 1, float mean = 0);

/// A new array of normal numbers.
DeviceArray<__nv_bfloat16> random_bf16(std::size_t count, std::uint64_t seed, cudaStream_t stream, float deviation = 1);

}  // namespace clusterwright::probes
