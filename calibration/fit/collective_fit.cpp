// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/collective_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sourced_value.hpp"
#include "models/kernels/collectives/expert_exchange.hpp"

namespace clusterwright {

namespace {

constexpr double least_network_spread = 0.05;  // few rows, each from one fabric
/// Whether a row crosses an RDMA network; other protocols are relative to those, with priors of their own.
bool informs_network(const CollectiveRow& row) {
  const Transport transport = row.links.transport;
  return row.group.domains > 1 && (transport == Transport::infiniband || transport == Transport::roce);
}

/// Order of the parameter vector of the network.
enum : std::size_t { net_share, net_latency, net_message_us, network_size };

/// Priors of the network: 46 to 48 of 50 GB/s per card; latencies of NCCL's tuner, measured on such machines.
std::vector<FitParameter> network_priors() {
  std::vector<FitParameter> out(network_size);
  out[net_share] = {FitScale::share, 0.94, 0.3};
  out[net_latency] = {FitScale::positive, 1.0, 0.3};
  out[net_message_us] = {FitScale::positive, 12, 0.5};
  return out;
}

/// Starts at a given network, with wide priors: fabrics differ more than hosts do.
void start_from(const NetworkParameters& prior, std::vector<FitParameter>& out) {
  for (FitParameter& one : out) one.width = 1.0;
  out[net_share].prior = prior.bandwidth_share.value;
  out[net_latency].prior = prior.latency_scale.value;
  out[net_message_us].prior = prior.message_latency.value.in(microsecond);
}

void assign(const std::vector<double>& value, NetworkParameters& out) {
  out.bandwidth_share.value = value[net_share];
  out.latency_scale.value = value[net_latency];
  out.message_latency.value = value[net_message_us] * microsecond;
}

NetworkParameters network_of(const std::vector<double>& value, const std::vector<double>& error,
                             const std::string& source) {
  NetworkParameters out;
  out.bandwidth_share = sourced_value(value[net_share], error[net_share], source);
  out.latency_scale = sourced_value(value[net_latency], error[net_latency], source);
  out.message_latency = sourced_value(value[net_message_us], error[net_message_us], microsecond, source);
  out.tcp_bandwidth_share =
      sourced_value(0.86, 0.1,
                    "prior: packet-level runs of TCP at 100 Gbit/s reach 91 % of the line (ns-3 3.37, 4 "
                    "KB segments), less what RDMA loses as well");
  out.tcp_latency =
      sourced_value(25, 12, microsecond, "prior: system calls and copies of sockets, 15 to 50 us a message");
  out.structural_error =
      sourced_value(0.12, 0, "prior: published results of two to four nodes scatter so around this model");
  return out;
}

constexpr double least_spread = 0.05;  // two releases of one library differ by more

enum : std::size_t { exchange_base_us, exchange_rank_us, scale_up_share };

double log_error(const CollectiveRow& row, const CollectiveParameters& curve, const NetworkParameters& network) {
  const CollectiveTiming cost = expert_exchange_time(row.size, row.group, row.links, curve, network, row.shares);
  return std::log(cost.time() / row.time);
}

constexpr CollectiveOp fitted_ops[] = {CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_reduce,
                                       CollectiveOp::all_to_all, CollectiveOp::send};

/// One set from one list of rows; `from` names the rows.
class SetFit {
 public:
  SetFit(std::vector<CollectiveRow> rows, std::string from, CollectiveFold fold, std::string held_out)
      : rows_(std::move(rows)), from_(std::move(from)), fold_(std::move(fold)), held_out_(std::move(held_out)) {}

  void fit_ops() {
    for (const CollectiveOp op : fitted_ops) fit(op);
  }

  void fit_between_nodes(const std::vector<CollectiveRow>& rows, const std::string& from) {
    const auto points = std::count_if(rows.begin(), rows.end(), informs_network);
    const std::string prior = "prior: 46-48 of 50 GB/s per card, latencies as NCCL's tuner counts";
    set.network =
        fit_network(rows, set.collectives,
                    points ? fmt::format("fit of {} points between nodes of {}; {}", points, from, prior) : prior);
  }

  /// Fits the exchange of experts, by each kernel, to rows of all accelerators, since only few were measured. Their
  /// NICs carry what is usual, whatever this part's do.
  void fit_experts(const std::vector<Measurement>& measurements, const std::vector<AcceleratorPart>& catalog) {
    const NetworkParameters usual = fit_network({}, set.collectives, "");
    for (const Algorithm transfer : {Algorithm::hierarchical, Algorithm::direct}) {
      const std::vector<CollectiveRow> rows = expert_rows(measurements, catalog, transfer);
      const std::string source = fmt::format("fit of {} points of dispatch and combine by {} kernels", rows.size(),
                                             transfer == Algorithm::direct ? "low-latency" : "bulk");
      const CollectiveParameters fitted = fit_expert_exchange(rows, usual, source);
      set.collectives[expert_curve(transfer)] = fitted;
      set.fits.push_back(expert_report(expert_curve(transfer), rows, usual, fitted));
    }
  }

  CollectiveSet set;

 private:
  void fit(CollectiveOp op) {
    const std::size_t own = rows_in_node(op, rows_).size();
    const std::vector<CollectiveRow> borrowed = own ? std::vector<CollectiveRow>{} : borrowed_rows(op, rows_);
    std::string source = "prior: latencies and shares of NCCL's tuner";
    if (own) source = fmt::format("fit of {} points of {} on {} in one node", own, name_of(op), from_);
    if (!borrowed.empty())
      source =
          fmt::format("fit of {} points of reduce_scatter on {}: as many bytes on the wire", borrowed.size(), from_);
    const CollectiveCurves fitted = fit_curves(op, own ? rows_ : borrowed, source);
    set.collectives.insert(fitted.begin(), fitted.end());
    // Messages were measured between two ranks only: no rank count can be held out.
    if (!own || op == CollectiveOp::send) return;
    for (const FitReport& one : collective_reports(op, rows_, fitted, fold_, held_out_))
      if (one.rows > 0) set.fits.push_back(one);
  }

  std::vector<CollectiveRow> rows_;
  std::string from_;
  CollectiveFold fold_;
  std::string held_out_;
};

int generation_number(const CollectiveRow& row) {
  return static_cast<int>(row.links.generation);
}

/// Gives every generation the same weight in each operation.
void balance(std::vector<CollectiveRow>& rows) {
  std::map<std::pair<CollectiveOp, int>, double> total;
  for (const CollectiveRow& row : rows) total[{row.op, generation_number(row)}] += row.weight;
  for (CollectiveRow& row : rows) row.weight *= 10 / total.at({row.op, generation_number(row)});
}

}  // namespace

NetworkParameters fit_network(const std::vector<CollectiveRow>& rows, const CollectiveCurves& curves,
                              const std::string& source, const NetworkParameters* prior) {
  std::vector<CollectiveRow> own;
  std::ranges::copy_if(rows, std::back_inserter(own), informs_network);
  // The least price of several would leave the fit with more than one minimum.
  for (CollectiveRow& row : own) row.choice = nccl_choice(row.op, row.size, row.group, row.links, curves);
  FitProblem problem{network_priors(), weights_of(own), {}, least_network_spread};
  if (prior) start_from(*prior, problem.parameters);
  NetworkParameters trial;
  problem.errors = [&](const std::vector<double>& values, std::vector<double>& errors) {
    assign(values, trial);
    for (std::size_t i = 0; i < own.size(); ++i) errors[i] = log_error(own[i], curves, trial);
  };
  const FitResult fit = fit_least_squares(problem);
  return network_of(fit.values, fit.std_errors, source);
}

std::vector<FitReport> collective_reports(CollectiveOp op, const std::vector<CollectiveRow>& rows,
                                          const CollectiveCurves& fitted, const CollectiveFold& fold,
                                          const std::string& held_out_in_turn) {
  const std::vector<CollectiveRow> own = rows_in_node(op, rows);
  const auto refit = [&](const std::vector<CollectiveRow>& kept) { return fit_curves(op, kept, ""); };
  const auto error = [](const CollectiveRow& row, const CollectiveCurves& curves) {
    return log_error(row, curves, {});
  };
  const std::vector<double> held_out = held_out_errors(own, fold, refit, error);
  std::vector<double> seen[2], unseen[2];
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::size_t small = own[i].size < large_message;
    seen[small].push_back(error(own[i], fitted));
    unseen[small].push_back(held_out[i]);
  }
  const std::string name = "collectives/" + std::string(name_of(op));
  const std::string rows_from = fitted.begin()->second.base_latency.source + "; held out: " + held_out_in_turn;
  return {report(name + ", from 1 MB", seen[0], unseen[0], rows_from),
          report(name + ", below 1 MB", seen[1], unseen[1], rows_from)};
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
  out.base_latency = sourced_value(fit.values[exchange_base_us], fit.std_errors[exchange_base_us], microsecond, source);
  out.rank_latency = sourced_value(fit.values[exchange_rank_us], fit.std_errors[exchange_rank_us], microsecond, source);
  out.bandwidth_share = sourced_value(fit.values[scale_up_share], fit.std_errors[scale_up_share], source);
  out.small_group_loss = sourced_value(0, 0, definition);
  out.half_time = sourced_value(0, 0, microsecond, definition);
  out.ramp_exponent = sourced_value(1, 0, definition);
  return out;
}

FitReport expert_report(const std::string& curve_name, const std::vector<CollectiveRow>& rows,
                        const NetworkParameters& network, const CollectiveParameters& fitted) {
  const auto fold = [](const CollectiveRow& row) { return row.group.ranks(); };
  const auto refit = [&](const std::vector<CollectiveRow>& kept) { return fit_expert_exchange(kept, network, ""); };
  const auto error = [&](const CollectiveRow& row, const CollectiveParameters& curve) {
    return log_error(row, curve, network);
  };
  std::vector<double> seen;
  for (const CollectiveRow& row : rows) seen.push_back(error(row, fitted));
  return report("collectives/" + curve_name + ", from 1 MB", seen, held_out_errors(rows, fold, refit, error),
                fitted.base_latency.source + "; held out: each rank count in turn");
}

CollectiveSet fit_collective_set(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                                 const std::vector<AcceleratorPart>& catalog,
                                 const std::vector<const AcceleratorPart*>& siblings) {
  std::vector<CollectiveRow> rows = collective_rows(measurements, part);
  SetFit fit(
      rows, part.id, [](const CollectiveRow& row) { return row.group.ranks_per_domain; }, "each rank count in turn");
  fit.set.name = file_name_of(part);
  fit.set.accelerator = part.id;
  fit.fit_ops();
  std::string from = part.id;
  for (const AcceleratorPart* sibling : siblings) {
    if (std::any_of(rows.begin(), rows.end(), informs_network)) break;
    rows = collective_rows(measurements, *sibling);
    from = sibling->id + " (same die)";
  }
  fit.fit_between_nodes(rows, from);
  fit.fit_experts(measurements, catalog);
  return fit.set;
}

CollectiveSet fit_generic_set(const std::vector<Measurement>& measurements,
                              const std::vector<AcceleratorPart>& catalog) {
  std::vector<CollectiveRow> rows;
  for (const AcceleratorPart& part : catalog) {
    const std::vector<CollectiveRow> more = completed_rows(collective_rows(measurements, part));
    rows.insert(rows.end(), more.begin(), more.end());
  }
  balance(rows);
  SetFit fit(rows, "Ampere, Hopper and Blackwell together", generation_number, "each generation in turn");
  fit.set.name = "generic";
  fit.fit_ops();
  fit.fit_between_nodes(rows, "all of them");
  fit.fit_experts(measurements, catalog);
  return fit.set;
}

}  // namespace clusterwright
