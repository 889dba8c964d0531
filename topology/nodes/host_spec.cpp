// SPDX-License-Identifier: Apache-2.0
#include "topology/nodes/host_spec.hpp"

#include "sim/field_table.hpp"

namespace clusterwright {

namespace {

FieldRule positive(const char* help) {
  return {.help = help, .min = 0, .max = 1e9, .above_min = true};
}

}  // namespace

const Record<HostSpec>& record(const HostSpec*) {
  static const auto table =
      Record<HostSpec>("host", "Processors, memory and drives of a node, which its accelerators share")
          .optional("cores", &HostSpec::cores,
                    {.help = "of all its processors; the server's if not given", .min = 1, .max = 1 << 16})
          .optional("memory_gb", &HostSpec::memory,
                    positive("that jobs can have; the server's if not given, else not checked"))
          .optional("memory_gb_per_s", &HostSpec::memory_bandwidth,
                    positive("of that memory, reads and writes together; the server's if not given, else no limit"))
          .optional("nvme_gb", &HostSpec::nvme, positive("of its drives; the server's if not given"))
          .optional("nvme_read_gb_per_s", &HostSpec::nvme_read,
                    positive("all drives together; the server's if not given"))
          .optional("nvme_write_gb_per_s", &HostSpec::nvme_write,
                    positive("all drives together; the server's if not given"));
  return table;
}

}  // namespace clusterwright
