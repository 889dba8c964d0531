// SPDX-License-Identifier: Apache-2.0
#include "tools/output/sample_tables.hpp"

#include <fmt/format.h>

namespace clusterwright {

namespace {

std::string slowest_of(const SampledSteps& samples) {
  if (!samples.draws_replays()) return "slowest";
  return fmt::format("slowest ({}--seed {})", samples.draws_jitter() ? "right: " : "", samples.slowest_seed());
}

JsonValue list_of(const std::vector<Seconds>& times) {
  JsonValue out = JsonValue::list();
  for (const Seconds time : times) out.push_back(time.in(second));
  return out;
}

}  // namespace

ResultTable samples_table(const SampledSteps& samples) {
  ResultTable table{fmt::format("Step time over {} draws (seeds {} to {})", samples.times.size(), samples.first_seed,
                                samples.first_seed + samples.times.size() - 1),
                    {words_column("draw", "Draw"), {"step_time_s", "Step time", "s", 1, 4}},
                    {}};
  if (samples.draws_jitter()) table.columns.push_back({"expected_jitter_s", "At the expected jitter", "s", 1, 4});
  const auto row = [&](std::string name, double share) {
    table.rows.push_back({std::move(name), time_quantile(samples.times, share).in(second)});
    if (samples.draws_jitter()) table.rows.back().push_back(time_quantile(samples.expected, share).in(second));
  };
  row("fastest", 0);
  if (samples.times.size() >= 10) row("10th percentile", 0.1);
  row("median", 0.5);
  if (samples.times.size() >= 10) row("90th percentile", 0.9);
  row(slowest_of(samples), 1);
  return table;
}

std::string samples_sentence(const SampledSteps& samples) {
  if (!samples.few_stand_for_all()) return "";
  return fmt::format(
      "Hashed paths make some {:.0f} % of the variance of these steps, jitter the rest: the paths of seeds {} to {} "
      "stand for all, and the column at the expected jitter is of these {}.",
      100 * samples.share_of_paths, samples.first_seed, samples.first_seed + samples.expected.size() - 1,
      samples.expected.size());
}

JsonValue samples_json(const std::optional<SampledSteps>& samples) {
  if (!samples) return {};
  const auto at = [&](double share) { return JsonValue(time_quantile(samples->times, share).in(second)); };
  return JsonValue::object({{"first_seed", JsonValue(static_cast<std::int64_t>(samples->first_seed))},
                            {"step_times_s", list_of(samples->times)},
                            {"expected_jitter_s", list_of(samples->expected)},
                            {"median_s", at(0.5)},
                            {"p90_s", at(0.9)},
                            {"slowest_s", at(1)},
                            {"slowest_seed", JsonValue(static_cast<std::int64_t>(samples->slowest_seed()))}});
}

}  // namespace clusterwright
