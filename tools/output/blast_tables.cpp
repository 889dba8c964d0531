// SPDX-License-Identifier: Apache-2.0
#include "tools/output/blast_tables.hpp"

#include <fmt/format.h>

#include "tools/output/output_text.hpp"
#include "tools/output/result_json.hpp"

namespace clusterwright {

namespace {

std::string spares_text(const WayOn& way) {
  const std::string nodes = way.spare_nodes == 1 ? "node" : "nodes";
  const std::string has = way.machine_spares == 0 ? "none" : count_text(way.machine_spares);
  return fmt::format("restart on {} spare {} (the machine has {})", count_text(way.spare_nodes), nodes, has);
}

std::string fewer_text(const WayOn& way, int before) {
  if (way.replicas == 0) return "restart without replicas is not possible: " + way.reason;
  const std::string text = fmt::format("restart with {} of {} replicas, batch {}", count_text(way.replicas),
                                       count_text(before), count_text(way.global_batch));
  return way.reason.empty() ? text : text + ": " + way.reason;
}

std::string way_text(const WayOn& way, int replicas) {
  return way.spares ? spares_text(way) : fewer_text(way, replicas);
}

Cell time_cell(const std::optional<Seconds>& time) {
  return time ? Cell(time->in(second)) : Cell();
}

JsonValue number_or_null(const std::optional<Seconds>& time) {
  return time ? JsonValue(time->in(second)) : JsonValue();
}

double rate_of(const WayOn& way, int sequence) {
  return way.step_time ? tokens_per_second(*way.step_time, way.global_batch, sequence) : 0;
}

double rate_of(const FailureCost& cost, const FailureCosts& blast) {
  if (!cost.step_time) return 0;
  return tokens_per_second(*cost.step_time, blast.before.plan.global_batch, blast.sequence);
}

JsonValue way_json(const WayOn& way, const FailureCosts& blast) {
  return JsonValue::object({{"way", way.spares ? "spare_nodes" : "fewer_replicas"},
                            {"spare_nodes", way.spares ? JsonValue(way.spare_nodes) : JsonValue()},
                            {"machine_spares", way.spares ? JsonValue(way.machine_spares) : JsonValue()},
                            {"replicas", way.replicas},
                            {"gpus", way.accelerators},
                            {"global_batch", way.global_batch},
                            {"step_time_s", number_or_null(way.step_time)},
                            {"tokens_per_s", rate_of(way, blast.sequence)},
                            {"loss", loss(way, blast.before)},
                            {"reason", text_or_null(way.reason)}});
}

}  // namespace

ResultTable blast_table(const FailureCosts& blast) {
  ResultTable table{"What one failure costs, without the time of restarts",
                    {words_column("fails", "Fails"),
                     {"gpus", "GPUs", ""},
                     words_column("consequence", "What happens"),
                     {"step_time_s", "Step time", "s", 1, 3},
                     {"tokens_per_s", "Tokens/s", "", 1, 0},
                     {"loss", "Loss", "%", 100, 2}},
                    {}};
  for (const FailureCost& cost : blast.costs) {
    table.rows.push_back({cost.failure.name(), cost.accelerators, cost.consequence, time_cell(cost.step_time),
                          rate_of(cost, blast), cost.loss(blast.before)});
    for (const WayOn& way : cost.ways)
      table.rows.push_back({"", Cell(), way_text(way, blast.before.plan.data), time_cell(way.step_time),
                            rate_of(way, blast.sequence), loss(way, blast.before)});
  }
  return table;
}

JsonValue blast_json(const std::optional<FailureCosts>& blast) {
  if (!blast) return {};
  JsonValue list = JsonValue::list();
  for (const FailureCost& cost : blast->costs) {
    JsonValue ways = JsonValue::list();
    for (const WayOn& way : cost.ways) ways.push_back(way_json(way, *blast));
    list.push_back(JsonValue::object({{"fails", cost.failure.name()},
                                      {"kind", text_or_null(cost.failure.kind)},
                                      {"gpus", cost.accelerators},
                                      {"consequence", cost.consequence},
                                      {"stops", cost.stops},
                                      {"step_time_s", number_or_null(cost.step_time)},
                                      {"tokens_per_s", rate_of(cost, *blast)},
                                      {"loss", cost.loss(blast->before)},
                                      {"ways", std::move(ways)}}));
  }
  return list;
}

std::string stop_sentence(const FailureCost& cost) {
  return fmt::format("{}: {}", cost.failure.name(), cost.consequence);
}

}  // namespace clusterwright
