// SPDX-License-Identifier: Apache-2.0
/// Spelling of the job's enumerations, for every field table that uses them.
#pragma once

#include "models/job/job.hpp"
#include "sim/field_table.hpp"

namespace clusterwright {

template <>
struct EnumNames<Task> {
  static constexpr std::array<std::string_view, 3> names = {"pretrain", "sft", "lora"};
};
template <>
struct EnumNames<Sharding> {
  static constexpr std::array<std::string_view, 6> names = {"none", "zero1", "zero2", "zero3", "fsdp", "hsdp"};
};
template <>
struct EnumNames<Recompute> {
  static constexpr std::array<std::string_view, 3> names = {"none", "selective", "full"};
};
template <>
struct EnumNames<Precision> {
  static constexpr std::array<std::string_view, 8> names = {"bf16",      "fp16",  "fp8",   "fp8-rowwise",
                                                            "fp8-block", "mxfp8", "nvfp4", "int8"};
};
template <>
struct EnumNames<MemoryLevel> {
  static constexpr std::array<std::string_view, 4> names = {"device", "host", "pool", "nvme"};
};
template <>
struct EnumNames<ContextExchange> {
  static constexpr std::array<std::string_view, 3> names = {"ring", "all-gather", "all-to-all"};
};
template <>
struct EnumNames<PipelineSchedule> {
  static constexpr std::array<std::string_view, 3> names = {"1f1b", "zero_bubble", "dualpipe"};
};

}  // namespace clusterwright
