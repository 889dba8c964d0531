// SPDX-License-Identifier: Apache-2.0
#include "topology/cluster/storage_spec.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

template <>
struct EnumNames<PoolLink> {
  static constexpr std::array<std::string_view, 3> names = {"own", "scale_up", "network"};
};

namespace {

FieldRule above_zero(const char* help) {
  return {.help = help, .min = 0, .above_min = true};
}

}  // namespace

const Record<PoolSpec>& record(const PoolSpec*) {
  using P = PoolSpec;
  static const auto table =
      Record<P>("pool", "Memory that all accelerators share, such as CXL or a memory server")
          .optional("capacity_gb", &P::capacity, above_zero("total capacity; not checked if not given"))
          .optional(
              "accelerator_gb_per_s", &P::accelerator,
              above_zero("bandwidth of one accelerator, one direction; that of the links to the pool if not given"))
          .optional("total_gb_per_s", &P::total, above_zero("bandwidth of all accelerators together, one direction"))
          .optional(
              "over", &P::over,
              {.help = "links to the pool; own: dedicated links; scale_up, network: links that collectives use too"});
  return table;
}

const Record<StorageSpec>& record(const StorageSpec*) {
  using S = StorageSpec;
  static const auto table =
      Record<S>("storage", "A file system that all hosts share; rates that are not given are unlimited")
          .optional("read_gb_per_s", &S::read, above_zero("read rate of all hosts together"))
          .optional("write_gb_per_s", &S::write, above_zero("write rate of all hosts together"))
          .optional("host_read_gb_per_s", &S::host_read, above_zero("read rate of one host"))
          .optional("host_write_gb_per_s", &S::host_write, above_zero("write rate of one host"));
  return table;
}

StorageSpec filled_in(StorageSpec own, const StorageSpec& other) {
  for (const auto rate : {&StorageSpec::read, &StorageSpec::write, &StorageSpec::host_read, &StorageSpec::host_write})
    if (!(own.*rate)) own.*rate = other.*rate;
  return own;
}

}  // namespace clusterwright
