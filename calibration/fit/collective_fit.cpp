#include "calibration/fit/collective_fit.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sourced_value.hpp"
#include "models/kernels/collectives/nccl_generation.hpp"

namespace clusterwright {

namespace {

constexpr double least_curve_spread = 0.02;    // two releases of one library on one host
constexpr double least_network_spread = 0.05;  // few rows, each from one fabric
const Bytes large_message = megabyte;
const std::string switch_curve = "all_reduce_switch";

/// Order of the parameter vector of one curve.
enum : std::size_t { base_us, rank_us, share, group_loss, half_us, ramp, curve_size };

std::vector<FitParameter> ring_priors() {
  std::vector<FitParameter> out(curve_size);
  out[base_us] = {FitScale::positive, 5, 0.5};
  out[rank_us] = {FitScale::positive, 1.2, 0.7};
  out[share] = {FitScale::share, 0.82, 0.5};
  out[group_loss] = {FitScale::share, 0.25, 0.7};
  out[half_us] = {FitScale::positive, 18, 1.0};
  out[ramp] = {FitScale::share, 0.6, 0.7};
  return out;
}

/// A switch serves all members alike, so the group matters little; the share is what NCCL expects of eight ranks: 476
/// GB/s of bus bandwidth on H100.
std::vector<FitParameter> switch_priors(NcclGeneration generation) {
  std::vector<FitParameter> out = ring_priors();
  out[base_us] = {FitScale::positive, 20, 0.5};
  out[rank_us] = {FitScale::positive, 0.2, 0.3};
  const double expected = generation == NcclGeneration::blackwell ? 0.59 : 0.68;
  out[share] = {FitScale::share, expected, 0.3};
  out[group_loss] = {FitScale::share, 0.02, 0.3};
  return out;
}

/// Starts at a curve instead; what it holds at a bound keeps its usual prior.
void believe(const CollectiveCurves& believed, const std::string& name, FitParameter* out) {
  const auto found = believed.find(name);
  if (found == believed.end()) return;
  const CollectiveParameters& curve = found->second;
  const double values[] = {curve.base_latency.value.in(microsecond),
                           curve.rank_latency.value.in(microsecond),
                           curve.bandwidth_share.value,
                           curve.small_group_loss.value,
                           curve.half_time.value.in(microsecond),
                           curve.ramp_exponent.value};
  for (std::size_t i = 0; i < curve_size; ++i)
    if (values[i] > 0 && (out[i].scale != FitScale::share || values[i] < 1)) out[i].prior = values[i];
}

void assign(const double* value, CollectiveParameters& out) {
  out.base_latency.value = value[base_us] * microsecond;
  out.rank_latency.value = value[rank_us] * microsecond;
  out.bandwidth_share.value = value[share];
  out.small_group_loss.value = value[group_loss];
  out.half_time.value = value[half_us] * microsecond;
  out.ramp_exponent.value = value[ramp];
}

CollectiveParameters curve_of(const double* value, const double* error, const std::string& source) {
  CollectiveParameters out;
  out.base_latency = sourced(value[base_us], error[base_us], microsecond, source);
  out.rank_latency = sourced(value[rank_us], error[rank_us], microsecond, source);
  out.bandwidth_share = sourced(value[share], error[share], source);
  out.small_group_loss = sourced(value[group_loss], error[group_loss], source);
  out.half_time = sourced(value[half_us], error[half_us], microsecond, source);
  out.ramp_exponent = sourced(value[ramp], error[ramp], source);
  return out;
}

void add_rows(const Measurement& measurement, CollectiveOp op, const AcceleratorPart& part,
              std::vector<CollectiveRow>& out) {
  const MeasuredCollective& measured = *measurement.collective;
  const GroupShape group{measured.ranks / measured.ranks_per_node, measured.ranks_per_node};
  const GroupLinks links = measured_links(measurement, part);
  const auto weight = [](Bytes size) { return size < large_message ? small_message_weight : 1.0; };
  double total = 0;
  for (const auto& point : measured.points) total += weight(point.size);
  for (const auto& point : measured.points)
    out.push_back({op, point.size, group, links, point.time, weight(point.size) / total});
  if (op != CollectiveOp::all_to_all || measured.ranks != 2) return;
  // Of two ranks each keeps half and sends the other half: a message.
  for (const auto& point : measured.points)
    out.push_back({CollectiveOp::send, point.size / 2, group, links, point.time, weight(point.size) / total});
}

/// What a single node showed of `op`.
std::vector<CollectiveRow> rows_in_node(CollectiveOp op, const std::vector<CollectiveRow>& rows) {
  std::vector<CollectiveRow> out;
  for (const CollectiveRow& row : rows)
    if (row.op == op && row.group.nodes == 1) out.push_back(row);
  return out;
}

double log_error(const CollectiveRow& row, const CollectiveCurves& curves, const NetworkParameters& network) {
  return std::log(predicted_time(row, curves, network) / row.time);
}

std::vector<double> weights_of(const std::vector<CollectiveRow>& rows) {
  std::vector<double> out;
  for (const CollectiveRow& row : rows) out.push_back(row.weight);
  return out;
}

/// Order of the parameter vector of the network.
enum : std::size_t { net_share, net_latency, net_message_us, network_size };

/// 46 to 48 of 50 GB/s per card; latencies as NCCL's tuner counts, which were tuned on such machines.
std::vector<FitParameter> network_priors() {
  std::vector<FitParameter> out(network_size);
  out[net_share] = {FitScale::share, 0.94, 0.3};
  out[net_latency] = {FitScale::positive, 1.0, 0.3};
  out[net_message_us] = {FitScale::positive, 12, 0.5};
  return out;
}

/// Fabrics differ more than hosts do: what was logged on this one soon outweighs what was seen on others.
void believe(const NetworkParameters& believed, std::vector<FitParameter>& out) {
  for (FitParameter& one : out) one.width = 1.0;
  out[net_share].prior = believed.bandwidth_share.value;
  out[net_latency].prior = believed.latency_scale.value;
  out[net_message_us].prior = believed.message_latency.value.in(microsecond);
}

void assign(const std::vector<double>& value, NetworkParameters& out) {
  out.bandwidth_share.value = value[net_share];
  out.latency_scale.value = value[net_latency];
  out.message_latency.value = value[net_message_us] * microsecond;
}

NetworkParameters network_of(const std::vector<double>& value, const std::vector<double>& error,
                             const std::string& source) {
  NetworkParameters out;
  out.bandwidth_share = sourced(value[net_share], error[net_share], source);
  out.latency_scale = sourced(value[net_latency], error[net_latency], source);
  out.message_latency = sourced(value[net_message_us], error[net_message_us], microsecond, source);
  out.tcp_bandwidth_share =
      sourced(0.86, 0.1,
              "prior: packet-level runs of TCP at 100 Gbit/s reach 91 % of the line (ns-3 3.37, 4 "
              "KB segments), less what RDMA loses as well");
  out.tcp_latency = sourced(25, 12, microsecond, "prior: system calls and copies of sockets, 15 to 50 us a message");
  out.structural_error = sourced(0.12, 0, "prior: published results of two to four nodes scatter so around this model");
  return out;
}

}  // namespace

GroupLinks measured_links(const Measurement& measurement, const AcceleratorPart& part) {
  const MeasuredHardware& hardware = measurement.hardware;
  GroupLinks links{hardware.scale_up.value_or(BytesPerSecond{}), hardware.scale_out.value_or(BytesPerSecond{}),
                   usual_switch_latency, reduces_in_switch(part)};
  links.generation = nccl_generation(part);
  links.sharp = measurement.collective && measurement.collective->in_network_reduction.value_or(false);
  return links;
}

std::optional<CollectiveOp> nccl_op(const std::string& name) {
  if (name == "all_gather") return CollectiveOp::all_gather;
  if (name == "reduce_scatter") return CollectiveOp::reduce_scatter;
  if (name == "all_reduce") return CollectiveOp::all_reduce;
  if (name == "alltoall") return CollectiveOp::all_to_all;
  return std::nullopt;
}

std::vector<CollectiveRow> collective_rows(const std::vector<Measurement>& measurements, const AcceleratorPart& part) {
  std::vector<CollectiveRow> out;
  for (const Measurement& measurement : measurements) {
    if (!measurement.collective || measurement.hardware.accelerator != part.id) continue;
    const auto op = nccl_op(measurement.collective->op);
    if (op && measurement.collective->bytes_convention == "nccl-tests-size") add_rows(measurement, *op, part, out);
  }
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
  return collective_cost(row.op, row.size, row.group, row.links, curves, network).time();
}

CollectiveCurves fit_curves(CollectiveOp op, const std::vector<CollectiveRow>& rows, const std::string& source,
                            const CollectiveCurves& believed) {
  const std::vector<CollectiveRow> own = rows_in_node(op, rows);
  const auto can_reduce =
      std::find_if(own.begin(), own.end(), [](const auto& row) { return row.links.switch_reduction; });
  const bool reducing = can_reduce != own.end() && op == CollectiveOp::all_reduce;
  const std::string name(name_of(op));
  FitProblem problem{ring_priors(), weights_of(own), {}, least_curve_spread};
  const std::vector<FitParameter> more =
      reducing ? switch_priors(can_reduce->links.generation) : std::vector<FitParameter>{};
  problem.parameters.insert(problem.parameters.end(), more.begin(), more.end());
  believe(believed, name, problem.parameters.data());
  if (reducing) believe(believed, switch_curve, problem.parameters.data() + curve_size);
  CollectiveCurves trial{{name, {}}};
  if (reducing) trial[switch_curve] = {};
  problem.errors = [&](const std::vector<double>& values, std::vector<double>& errors) {
    assign(values.data(), trial[name]);
    if (reducing) assign(values.data() + curve_size, trial[switch_curve]);
    for (std::size_t i = 0; i < own.size(); ++i) errors[i] = log_error(own[i], trial, {});
  };
  const FitResult fit = fit_least_squares(problem);
  CollectiveCurves out{{name, curve_of(fit.values.data(), fit.std_errors.data(), source)}};
  if (reducing)
    out[switch_curve] = curve_of(fit.values.data() + curve_size, fit.std_errors.data() + curve_size, source);
  return out;
}

NetworkParameters fit_network(const std::vector<CollectiveRow>& rows, const CollectiveCurves& curves,
                              const std::string& source, const NetworkParameters* believed) {
  std::vector<CollectiveRow> own;
  for (const CollectiveRow& row : rows)
    if (row.group.nodes > 1) own.push_back(row);
  FitProblem problem{network_priors(), weights_of(own), {}, least_network_spread};
  if (believed) believe(*believed, problem.parameters);
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
                                          const std::string& left_out_in_turn) {
  const std::vector<CollectiveRow> own = rows_in_node(op, rows);
  const auto refit = [&](const std::vector<CollectiveRow>& kept) { return fit_curves(op, kept, ""); };
  const auto error = [](const CollectiveRow& row, const CollectiveCurves& curves) {
    return log_error(row, curves, {});
  };
  const std::vector<double> left_out = left_out_errors(own, fold, refit, error);
  std::vector<double> seen[2], unseen[2];
  for (std::size_t i = 0; i < own.size(); ++i) {
    const std::size_t small = own[i].size < large_message;
    seen[small].push_back(error(own[i], fitted));
    unseen[small].push_back(left_out[i]);
  }
  const std::string name = "collectives/" + std::string(name_of(op));
  const std::string rows_from = fitted.begin()->second.base_latency.source + "; left out: " + left_out_in_turn;
  return {report(name + ", from 1 MB", seen[0], unseen[0], rows_from),
          report(name + ", below 1 MB", seen[1], unseen[1], rows_from)};
}

}  // namespace clusterwright
