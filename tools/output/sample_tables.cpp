// SPDX-License-Identifier: Apache-2.0
#include "tools/output/sample_tables.hpp"

#include <fmt/format.h>

namespace clusterwright {

ResultTable samples_table(const SampledSteps& samples) {
  ResultTable table{fmt::format("Step time over {} draws (seeds {} to {})", samples.times.size(), samples.first_seed,
                                samples.first_seed + samples.times.size() - 1),
                    {words_column("draw", "Draw"), {"step_time_s", "Step time", "s", 1, 4}},
                    {}};
  const auto row = [&](std::string name, double share) {
    table.rows.push_back({std::move(name), samples.quantile(share).in(second)});
  };
  row("fastest", 0);
  if (samples.times.size() >= 10) row("10th percentile", 0.1);
  row("median", 0.5);
  if (samples.times.size() >= 10) row("90th percentile", 0.9);
  row(fmt::format("slowest (--seed {})", samples.slowest_seed()), 1);
  return table;
}

JsonValue samples_json(const std::optional<SampledSteps>& samples) {
  if (!samples) return {};
  JsonValue times = JsonValue::list();
  for (const Seconds time : samples->times) times.push_back(time.in(second));
  return JsonValue::object({{"first_seed", JsonValue(static_cast<std::int64_t>(samples->first_seed))},
                            {"step_times_s", std::move(times)},
                            {"median_s", JsonValue(samples->quantile(0.5).in(second))},
                            {"p90_s", JsonValue(samples->quantile(0.9).in(second))},
                            {"slowest_s", JsonValue(samples->quantile(1).in(second))},
                            {"slowest_seed", JsonValue(static_cast<std::int64_t>(samples->slowest_seed()))}});
}

}  // namespace clusterwright
