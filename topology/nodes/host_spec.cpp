// SPDX-License-Identifier: Apache-2.0
#include "topology/nodes/host_spec.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

namespace {

FieldRule positive(const char* help) {
  return {.help = help, .min = 0, .above_min = true};
}

}  // namespace

const Record<HostSpec>& record(const HostSpec*) {
  static const auto table =
      Record<HostSpec>("host", "Processors, memory and drives of one node, shared by its accelerators")
          .optional(
              "cores", &HostSpec::cores,
              {.help = "cores of all processors of the node; the server's if not given", .min = 1, .max = 1 << 16})
          .optional("memory_gb", &HostSpec::memory,
                    positive("memory available to jobs; the server's if not given, else not checked"))
          .optional(
              "memory_gb_per_s", &HostSpec::memory_bandwidth,
              positive("bandwidth of host memory, reads and writes together; the server's if not given, else no limit"))
          .optional("nvme_gb", &HostSpec::nvme, positive("capacity of the node's drives; the server's if not given"))
          .optional("nvme_read_gb_per_s", &HostSpec::nvme_read,
                    positive("read rate of all drives of the node together; the server's if not given"))
          .optional("nvme_write_gb_per_s", &HostSpec::nvme_write,
                    positive("write rate of all drives of the node together; the server's if not given"));
  return table;
}

}  // namespace clusterwright
