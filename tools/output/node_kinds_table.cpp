// SPDX-License-Identifier: Apache-2.0
#include "tools/output/node_kinds_table.hpp"

namespace clusterwright {

ResultTable node_kinds_table(const MixedUse& use, Seconds step) {
  ResultTable table{"Kinds of nodes",
                    {{"kind", "Kind", "", 1, -1, Alignment::left},
                     {"gpus", "GPUs", ""},
                     {"busy", "In kernels", "%", 100, 1},
                     {"memory_gb", "Memory", "GB", 1, 1},
                     {"capacity_gb", "Of", "GB", 1, 1},
                     {"alone_s", "Step on this kind only", "s", 1, 3}},
                    {}};
  for (const KindUse& kind : use.kinds)
    table.rows.push_back({kind.name, kind.accelerators, kind.busy / step, kind.memory.in(gigabyte),
                          kind.capacity.in(gigabyte), kind.alone.in(second)});
  return table;
}

JsonValue node_kinds_json(const MixedUse& use) {
  JsonValue kinds = JsonValue::list();
  for (const KindUse& kind : use.kinds)
    kinds.push_back(JsonValue::object({{"name", kind.name},
                                       {"gpus", kind.accelerators},
                                       {"in_kernels_s", kind.busy.in(second)},
                                       {"memory_gb", kind.memory.in(gigabyte)},
                                       {"memory_capacity_gb", kind.capacity.in(gigabyte)},
                                       {"step_alone_s", kind.alone.in(second)}}));
  return JsonValue::object({{"kinds", kinds},
                            {"waits_for", use.kinds[use.waited_for].name},
                            {"fastest", use.kinds[use.fastest].name},
                            {"loss_s", use.loss.in(second)}});
}

}  // namespace clusterwright
