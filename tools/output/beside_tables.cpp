// SPDX-License-Identifier: Apache-2.0
#include "tools/output/beside_tables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace clusterwright {

namespace {

JsonValue json_of(const BesideTime& time) {
  JsonValue starts = JsonValue::list();
  for (const Seconds mean : time.beside) starts.push_back(mean.in(second));
  return JsonValue::object({{"alone_s", JsonValue(time.alone.in(second))},
                            {"beside_s", JsonValue(time.mean().in(second))},
                            {"by_start_s", std::move(starts)}});
}

}  // namespace

ResultTable beside_table(const BesideAnswer& answer) {
  const BesideStep& step = answer.step;
  ResultTable table{fmt::format("Two jobs on one machine of {} nodes", step.machine_nodes),
                    {words_column("job", "Job"),
                     {"nodes", "Nodes", ""},
                     {"alone_s", "Alone", "s", 1, 4},
                     {"beside_s", "Beside the other", "s", 1, 4},
                     {"change", "Change", "%", 100, 2},
                     {"best_s", "Best start", "s", 1, 4},
                     {"worst_s", "Worst start", "s", 1, 4}},
                    {}};
  const auto row = [&](std::string name, int nodes, const BesideTime& time) {
    const auto [best, worst] = std::ranges::minmax(time.beside);
    table.rows.push_back({std::move(name), std::int64_t{nodes}, time.alone.in(second), time.mean().in(second),
                          time.factor() - 1, best.in(second), worst.in(second)});
  };
  row("this one", step.nodes, step.own);
  row(answer.other, step.other_nodes, step.other);
  return table;
}

std::string beside_sentence(const BesideAnswer& answer) {
  const BesideStep& step = answer.step;
  if (step.meet_on.empty()) return "The jobs meet on no link that both together can fill: neither holds up the other.";
  return fmt::format(
      "They meet on links with {}, such as {}. Each step is the mean of {} or more, from three starts of the "
      "other job; clocks are those of each job alone.",
      step.meet_on.size() == 1 ? "one load" : fmt::format("{} different loads", step.meet_on.size()),
      step.meet_on.front(), step.steps);
}

JsonValue beside_json(const std::optional<BesideAnswer>& answer) {
  if (!answer) return {};
  JsonValue links = JsonValue::list();
  for (const std::string& link : answer->step.meet_on) links.push_back(link);
  return JsonValue::object({{"other", JsonValue(answer->other)},
                            {"machine_nodes", JsonValue(std::int64_t{answer->step.machine_nodes})},
                            {"this_job", json_of(answer->step.own)},
                            {"other_job", json_of(answer->step.other)},
                            {"links", std::move(links)}});
}

}  // namespace clusterwright
