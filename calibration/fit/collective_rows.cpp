// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/collective_rows.hpp"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "calibration/measured/measured_group.hpp"
#include "models/kernels/collectives/nccl_tuner.hpp"

namespace clusterwright {

namespace {

MeasuredLinks links_of(const Measurement& measurement, const AcceleratorPart& part) {
  Catalog catalog;
  catalog.accelerators.push_back(part);
  return measured_links(measured_group(measurement.hardware, *measurement.collective, catalog),
                        *measurement.collective);
}

void add_rows(const Measurement& measurement, CollectiveOp op, const AcceleratorPart& part,
              std::vector<CollectiveRow>& out) {
  const MeasuredCollective& measured = *measurement.collective;
  const auto [group, links] = links_of(measurement, part);
  const auto weight = [](Bytes size) { return size < large_message ? small_message_weight : 1.0; };
  double total = 0;
  for (const auto& point : measured.points) total += weight(point.size);
  for (const auto& point : measured.points)
    out.push_back({op, point.size, group, links, point.time, weight(point.size) / total, links.by_protocol});
  if (op != CollectiveOp::all_to_all || measured.ranks != 2) return;
  // Each of two ranks keeps half and sends the other half: one message.
  for (const auto& point : measured.points)
    out.push_back({CollectiveOp::send, point.size / 2, group, links, point.time, weight(point.size) / total});
}

}  // namespace

std::optional<CollectiveOp> nccl_op(const std::string& name) {
  constexpr std::array<std::pair<std::string_view, CollectiveOp>, 4> ops = {
      {{"all_gather", CollectiveOp::all_gather},
       {"reduce_scatter", CollectiveOp::reduce_scatter},
       {"all_reduce", CollectiveOp::all_reduce},
       {"alltoall", CollectiveOp::all_to_all}}};
  for (const auto& [word, op] : ops)
    if (word == name) return op;
  return std::nullopt;
}

std::vector<CollectiveRow> collective_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part) {
  std::vector<CollectiveRow> out;
  for (const Measurement& measurement : measurements) {
    if (!measurement.collective || !measurement.scored || measurement.hardware.accelerator != part.id) continue;
    const auto op = nccl_op(measurement.collective->op);
    if (op && measurement.collective->bytes_convention == "nccl-tests-size") add_rows(measurement, *op, part, out);
  }
  return out;
}

std::vector<CollectiveRow> rows_in_node(CollectiveOp op, const std::vector<CollectiveRow>& rows) {
  std::vector<CollectiveRow> out;
  for (const CollectiveRow& row : rows)
    if (row.op == op && row.group.domains == 1) out.push_back(row);
  return out;
}

std::vector<CollectiveRow> borrowed_rows(CollectiveOp op, const std::vector<CollectiveRow>& rows) {
  std::vector<CollectiveRow> out;
  for (CollectiveRow row : rows_in_node(CollectiveOp::reduce_scatter, rows)) {
    row.op = op;
    if (op == CollectiveOp::send) row.size = row.size / 2;  // two ranks exchange halves
    if (op != CollectiveOp::send || row.group.ranks() == 2) out.push_back(row);
  }
  return out;
}

std::vector<CollectiveRow> completed_rows(std::vector<CollectiveRow> rows) {
  for (const CollectiveOp op : {CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_reduce,
                                CollectiveOp::all_to_all, CollectiveOp::send}) {
    if (!rows_in_node(op, rows).empty()) continue;
    const std::vector<CollectiveRow> borrowed = borrowed_rows(op, rows);
    rows.insert(rows.end(), borrowed.begin(), borrowed.end());
  }
  return rows;
}

Seconds predicted_time(const CollectiveRow& row, const CollectiveCurves& curves, const NetworkParameters& network) {
  return collective_time(row.op, row.size, row.group, row.links, curves, network, row.choice).time();
}

double log_error(const CollectiveRow& row, const CollectiveCurves& curves, const NetworkParameters& network) {
  return std::log(predicted_time(row, curves, network) / row.time);
}

std::vector<double> weights_of(const std::vector<CollectiveRow>& rows) {
  std::vector<double> out;
  for (const CollectiveRow& row : rows) out.push_back(row.weight);
  return out;
}

std::vector<CollectiveRow> expert_rows(const std::vector<Measurement>& measurements,
                                       const std::vector<AcceleratorPart>& catalog, Algorithm transfer) {
  std::vector<CollectiveRow> out;
  for (const Measurement& measurement : measurements) {
    const auto& measured = measurement.collective;
    if (!measured || measured->bytes_convention != "logical-payload-per-rank") continue;
    for (const AcceleratorPart& part : catalog) {
      if (part.id != measurement.hardware.accelerator) continue;
      const auto [group, links] = links_of(measurement, part);
      const ExpertExchange exchange = measured_exchange(*measured, group);
      if (exchange.transfer != transfer) continue;
      const CollectiveOp op = measured->op == "ep_dispatch" ? CollectiveOp::dispatch : CollectiveOp::combine;
      const ExpertShares shares = exchange_shares(exchange);
      for (const auto& point : measured->points)
        out.push_back({op, point.size, group, links, point.time, 1, false, shares});
    }
  }
  return out;
}

}  // namespace clusterwright
