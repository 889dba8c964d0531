// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/curve_fit.hpp"

#include <algorithm>
#include <optional>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sourced_value.hpp"

namespace clusterwright {

namespace {

constexpr double least_curve_spread = 0.02;  // two releases of one library on one host
const std::string switch_curve = "all_reduce_switch";

/// Order of the parameter vector of one curve.
enum : std::size_t { base_us, rank_us, share, group_loss, half_us, ramp, curve_size };
/// Order of what protocols add to it.
enum : std::size_t { low_share, simple, protocol_size };

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

/// Priors where protocols are told apart: means over the machines measured. Simple ramps up within less, as its latency
/// has a number of its own.
std::vector<FitParameter> protocol_priors() {
  std::vector<FitParameter> out = ring_priors();
  out[group_loss] = {FitScale::share, 0.35, 0.7};
  out[half_us] = {FitScale::positive, 4, 1.0};
  out[ramp] = {FitScale::share, 0.75, 0.7};
  return out;
}

/// Priors of reduction in the switch. All members are served alike, so the group matters little; the share is what NCCL
/// expects of eight ranks: 476 GB/s of bus bandwidth on H100.
std::vector<FitParameter> switch_priors(NcclGeneration generation) {
  std::vector<FitParameter> out = ring_priors();
  out[base_us] = {FitScale::positive, 20, 0.5};
  out[rank_us] = {FitScale::positive, 0.2, 0.3};
  const double expected = generation == NcclGeneration::blackwell ? 0.59 : 0.68;
  out[share] = {FitScale::share, expected, 0.3};
  out[group_loss] = {FitScale::share, 0.02, 0.3};
  return out;
}

/// Starts at a given curve; numbers at a bound of their scale keep their usual prior.
void start_from(const CollectiveCurves& prior, const std::string& name, FitParameter* out) {
  const auto found = prior.find(name);
  if (found == prior.end()) return;
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

/// The same for what protocols add.
void start_protocols_from(const CollectiveCurves& prior, const std::string& name, FitParameter* out) {
  const auto found = prior.find(name);
  if (found == prior.end() || found->second.low_latency_share.value <= 0) return;
  out[low_share].prior = std::min(0.99, found->second.low_latency_share.value);
  out[simple].prior = found->second.simple_latency.value;
}

/// Whether the library chooses among protocols for the operation; all others are messages of Simple.
bool has_protocols(CollectiveOp op, const std::vector<CollectiveRow>& rows) {
  const bool tuned =
      op == CollectiveOp::all_reduce || op == CollectiveOp::all_gather || op == CollectiveOp::reduce_scatter;
  return tuned && !rows.empty() && std::ranges::all_of(rows, &CollectiveRow::protocols);
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
  out.base_latency = sourced_value(value[base_us], error[base_us], microsecond, source);
  out.rank_latency = sourced_value(value[rank_us], error[rank_us], microsecond, source);
  out.bandwidth_share = sourced_value(value[share], error[share], source);
  out.small_group_loss = sourced_value(value[group_loss], error[group_loss], source);
  out.half_time = sourced_value(value[half_us], error[half_us], microsecond, source);
  out.ramp_exponent = sourced_value(value[ramp], error[ramp], source);
  return out;
}

/// Where the numbers of an operation's curves lie in the parameter vector: its ring, then the switch curve if rows
/// reduce there, then what protocols add.
class CurveLayout {
 public:
  CurveLayout(CollectiveOp op, const std::vector<CollectiveRow>& rows)
      : name_(name_of(op)), protocols_(has_protocols(op, rows)) {
    for (const CollectiveRow& row : rows)
      if (op == CollectiveOp::all_reduce && row.links.switch_reduction && !reducing_) reducing_ = row.links.generation;
  }

  std::vector<FitParameter> priors(const CollectiveCurves& prior) const {
    std::vector<FitParameter> out = protocols_ ? protocol_priors() : ring_priors();
    start_from(prior, name_, out.data());
    if (reducing_) {
      std::vector<FitParameter> more = switch_priors(*reducing_);
      start_from(prior, switch_curve, more.data());
      out.insert(out.end(), more.begin(), more.end());
    }
    if (!protocols_) return out;
    std::vector<FitParameter> more = {{FitScale::share, 0.65, 0.5}, {FitScale::positive, 1.2, 0.5}};
    start_protocols_from(prior, name_, more.data());
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }

  void assign_to(CollectiveCurves& curves, const std::vector<double>& values) const {
    assign(values.data(), curves[name_]);
    if (reducing_) assign(values.data() + curve_size, curves[switch_curve]);
    if (!protocols_) return;
    curves[name_].low_latency_share.value = values[protocols_at() + low_share];
    curves[name_].simple_latency.value = values[protocols_at() + simple];
  }

  CollectiveCurves curves(const FitResult& fit, const std::string& source) const {
    const double *values = fit.values.data(), *errors = fit.std_errors.data();
    CollectiveCurves out{{name_, curve_of(values, errors, source)}};
    if (reducing_) out[switch_curve] = curve_of(values + curve_size, errors + curve_size, source);
    if (!protocols_) return out;
    const std::size_t at = protocols_at();
    out[name_].low_latency_share = sourced_value(values[at + low_share], errors[at + low_share], source);
    out[name_].simple_latency = sourced_value(values[at + simple], errors[at + simple], source);
    return out;
  }

 private:
  std::size_t protocols_at() const { return reducing_ ? 2 * curve_size : curve_size; }

  std::string name_;
  bool protocols_;
  std::optional<NcclGeneration> reducing_;
};

}  // namespace

CollectiveCurves fit_curves(CollectiveOp op, const std::vector<CollectiveRow>& rows, const std::string& source,
                            const CollectiveCurves& prior) {
  const std::vector<CollectiveRow> own = rows_in_node(op, rows);
  const CurveLayout layout(op, own);
  FitProblem problem{layout.priors(prior), weights_of(own), {}, least_curve_spread};
  CollectiveCurves trial;
  problem.errors = [&](const std::vector<double>& values, std::vector<double>& errors) {
    layout.assign_to(trial, values);
    for (std::size_t i = 0; i < own.size(); ++i) errors[i] = log_error(own[i], trial, {});
  };
  return layout.curves(fit_least_squares(problem), source);
}

}  // namespace clusterwright
