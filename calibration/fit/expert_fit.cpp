#include "calibration/fit/expert_fit.hpp"

#include <cmath>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sourced_value.hpp"
#include "models/kernels/collectives/expert_exchange_time.hpp"

namespace clusterwright {

namespace {

constexpr double least_spread = 0.05;  // two releases of one library differ by more

enum : std::size_t { exchange_base_us, exchange_rank_us, scale_up_share };

double log_error(const CollectiveRow& row, const CollectiveParameters& curve, const NetworkParameters& network) {
  const CollectiveCost cost = expert_cost(row.size, row.group, row.links, curve, network, even_shares(row.group));
  return std::log(cost.time() / row.time);
}

}  // namespace

std::vector<CollectiveRow> expert_rows(const std::vector<Measurement>& measurements,
                                       const std::vector<AcceleratorPart>& catalog) {
  std::vector<CollectiveRow> out;
  for (const Measurement& measurement : measurements) {
    const auto& measured = measurement.collective;
    if (!measured || measured->bytes_convention != "logical-payload-per-rank") continue;
    for (const AcceleratorPart& part : catalog) {
      if (part.id != measurement.hardware.accelerator) continue;
      const GroupShape group{measured->ranks / measured->ranks_per_node, measured->ranks_per_node};
      const CollectiveOp op = measured->op == "ep_dispatch" ? CollectiveOp::dispatch : CollectiveOp::combine;
      for (const auto& point : measured->points)
        out.push_back({op, point.size, group, measured_links(measurement, part), point.time, 1});
    }
  }
  return out;
}

CollectiveParameters fit_expert_exchange(const std::vector<CollectiveRow>& rows, const NetworkParameters& network,
                                         const std::string& source) {
  FitProblem problem{{{FitScale::positive, 40, 0.5}, {FitScale::positive, 0.2, 0.7}, {FitScale::share, 0.8, 0.5}},
                     std::vector<double>(rows.size(), 1.0),
                     {},
                     least_spread};
  problem.errors = [&](const std::vector<double>& value, std::vector<double>& errors) {
    CollectiveParameters trial;
    trial.base_latency.value = value[exchange_base_us] * microsecond;
    trial.rank_latency.value = value[exchange_rank_us] * microsecond;
    trial.bandwidth_share.value = value[scale_up_share];
    for (std::size_t i = 0; i < rows.size(); ++i) errors[i] = log_error(rows[i], trial, network);
  };
  const FitResult fit = fit_least_squares(problem);
  const std::string definition = "definition: one share for all sizes, a fixed cost beside it";
  CollectiveParameters out;
  out.base_latency = sourced(fit.values[exchange_base_us], fit.std_errors[exchange_base_us], microsecond, source);
  out.rank_latency = sourced(fit.values[exchange_rank_us], fit.std_errors[exchange_rank_us], microsecond, source);
  out.bandwidth_share = sourced(fit.values[scale_up_share], fit.std_errors[scale_up_share], source);
  out.small_group_loss = sourced(0, 0, definition);
  out.half_time = sourced(0, 0, microsecond, definition);
  out.ramp_exponent = sourced(1, 0, definition);
  return out;
}

FitReport expert_report(const std::vector<CollectiveRow>& rows, const NetworkParameters& network,
                        const CollectiveParameters& fitted) {
  const auto fold = [](const CollectiveRow& row) { return row.group.ranks(); };
  const auto refit = [&](const std::vector<CollectiveRow>& kept) { return fit_expert_exchange(kept, network, ""); };
  const auto error = [&](const CollectiveRow& row, const CollectiveParameters& curve) {
    return log_error(row, curve, network);
  };
  std::vector<double> seen;
  for (const CollectiveRow& row : rows) seen.push_back(error(row, fitted));
  return report("collectives/expert_exchange, from 1 MB", seen, left_out_errors(rows, fold, refit, error),
                fitted.base_latency.source + "; left out: each rank count in turn");
}

}  // namespace clusterwright
