// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/validate_collectives.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "calibration/fit/collective_fit.hpp"
#include "calibration/measured/measured_cluster.hpp"
#include "models/kernels/collectives/collective_time.hpp"
#include "models/kernels/collectives/expert_exchange.hpp"

namespace clusterwright {

namespace {

CaseResult unsupported(CaseResult result, std::string reason) {
  result.status = CaseStatus::unsupported;
  result.reason = std::move(reason);
  return result;
}

/// Question of one case, without its answer.
struct Question {
  CollectiveOp op;
  GroupShape group;
  GroupLinks links;
};

std::optional<CollectiveOp> op_of(const MeasuredCollective& measured) {
  if (measured.op == "ep_dispatch") return CollectiveOp::dispatch;
  if (measured.op == "ep_combine") return CollectiveOp::combine;
  return nccl_op(measured.op);
}

bool between_experts(CollectiveOp op) {
  return op == CollectiveOp::dispatch || op == CollectiveOp::combine;
}

CollectiveTiming price(const Question& question, Bytes size, const CollectiveSet& set) {
  if (between_experts(question.op))
    return expert_exchange_time(size, question.group, question.links, set.collectives.at("expert_exchange"),
                                set.network, even_shares(question.group));
  return collective_time(question.op, size, question.group, question.links, set.collectives, set.network);
}

void predict_points(const Question& question, const MeasuredCollective& measured, const CollectiveSet& set,
                    CaseResult& result) {
  for (const auto& point : measured.points) {
    const CollectiveTiming cost = price(question, point.size, set);
    const double time = cost.time().in(microsecond);
    const double spread = std::exp(collective_half_width(question.op, point.size, cost, set));
    result.predicted.push_back(time);
    result.low.push_back(time / spread);
    result.high.push_back(time * spread);
  }
}

}  // namespace

CaseResult validate_collective(const Measurement& measurement, const std::vector<AcceleratorPart>& catalog,
                               const CollectiveSetOf& set_of) {
  CaseResult result = blank_result(measurement);
  if (!measurement.collective) return unsupported(result, "no model of this kind yet");
  const MeasuredCollective& measured = *measurement.collective;
  const std::optional<AcceleratorPart> part = measured_part(measurement.hardware, catalog);
  if (!part) return unsupported(result, "neither the catalog nor a whole data sheet has the accelerator");
  const std::optional<CollectiveOp> op = op_of(measured);
  if (!op) return unsupported(result, "no model of " + measured.op);
  if (measured.points.empty()) return unsupported(result, "the case has no points");
  if (measured.ranks % measured.ranks_per_node != 0) return unsupported(result, "no model of unevenly filled nodes");
  const CollectiveSet& set = set_of(part->id);
  const Question question{
      *op, {measured.ranks / measured.ranks_per_node, measured.ranks_per_node}, measured_links(measurement, *part)};
  predict_points(question, measured, set, result);
  result.reason = "parameters " + set.name;
  return result;
}

}  // namespace clusterwright
