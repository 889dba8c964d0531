// SPDX-License-Identifier: Apache-2.0
#include "calibration/validation/cross_validate_collectives.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "calibration/fit/collective_fit.hpp"
#include "calibration/fit/parameter_fit.hpp"
#include "models/kernels/collectives/nccl_tuner.hpp"

namespace clusterwright {

namespace {

constexpr CollectiveOp measured_ops[] = {CollectiveOp::all_gather, CollectiveOp::reduce_scatter,
                                         CollectiveOp::all_reduce, CollectiveOp::all_to_all};
/// A row and the accelerator that it was measured on.
struct OwnedRow {
  const AcceleratorPart* part;
  CollectiveRow row;
  bool borrowed = false;  ///< from another operation: fitted to, but not predicted
};

/// Fits `op` to the rows that satisfy `keep` and predicts those that satisfy `test`.
class HoldOut {
 public:
  HoldOut(CollectiveOp op, const std::vector<OwnedRow>& rows) : op_(op), rows_(rows) {}

  void predict(auto keep, auto test) {
    std::vector<CollectiveRow> kept;
    for (const OwnedRow& one : rows_)
      if (one.row.op == op_ && one.row.group.domains == 1 && keep(one)) kept.push_back(one.row);
    if (kept.empty()) return;
    const CollectiveCurves curves = fit_curves(op_, kept, "");
    for (const OwnedRow& one : rows_) {
      if (one.borrowed || one.row.op != op_ || one.row.group.domains > 1 || !test(one)) continue;
      const double error = std::log(predicted_time(one.row, curves, {}) / one.row.time);
      (one.row.size < large_message ? below : from).push_back(error);
    }
  }

  std::vector<double> from, below;

 private:
  CollectiveOp op_;
  const std::vector<OwnedRow>& rows_;
};

ErrorFigures collective_figures(const std::string& name, std::vector<double> errors) {
  ErrorFigures out;
  out.name = name;
  out.n = static_cast<int>(errors.size());
  if (errors.empty()) return out;
  const auto at = [&](double share) {
    return errors[std::min(errors.size() - 1, static_cast<std::size_t>(share * static_cast<double>(errors.size())))];
  };
  out.coverage = 1;
  std::sort(errors.begin(), errors.end());
  out.bias = at(0.5);
  for (double& error : errors) error = std::abs(error);
  std::sort(errors.begin(), errors.end());
  out.median_abs_log = at(0.5);
  out.p90_abs_log = at(0.9);
  const auto near = std::count_if(errors.begin(), errors.end(), [](double error) { return error <= std::log(1.1); });
  out.within_10_percent = static_cast<double>(near) / out.n;
  return out;
}

std::vector<OwnedRow> owned_rows(const std::vector<Measurement>& measurements,
                                 const std::vector<AcceleratorPart>& catalog) {
  std::vector<OwnedRow> out;
  for (const AcceleratorPart& part : catalog) {
    const std::vector<CollectiveRow> own = collective_rows(measurements, part);
    const std::vector<CollectiveRow> all = completed_rows(own);
    for (std::size_t i = 0; i < all.size(); ++i) out.push_back({&part, all[i], i >= own.size()});
  }
  return out;
}

template <class Key>
std::map<Key, bool> keys_of(const std::vector<OwnedRow>& rows, Key (*key)(const OwnedRow&)) {
  std::map<Key, bool> out;
  for (const OwnedRow& one : rows) out[key(one)] = true;
  return out;
}

int generation(const OwnedRow& one) {
  return static_cast<int>(nccl_generation(*one.part));
}

std::pair<std::string, int> part_and_ranks(const OwnedRow& one) {
  return {one.part->id, one.row.group.ranks_per_domain};
}

std::string part_id(const OwnedRow& one) {
  return one.part->id;
}

void hold_rank_counts_out(HoldOut& out, const std::vector<OwnedRow>& rows) {
  for (const auto& [key, seen] : keys_of(rows, part_and_ranks)) {
    const auto& [part, ranks] = key;
    out.predict([&, p = part,
                 n = ranks](const OwnedRow& one) { return part_id(one) == p && one.row.group.ranks_per_domain != n; },
                [&, p = part, n = ranks](const OwnedRow& one) { return part_and_ranks(one) == std::pair(p, n); });
  }
}

void hold_siblings_out(HoldOut& out, const std::vector<OwnedRow>& rows) {
  for (const OwnedRow& first : rows) {
    if (&first != &*std::find_if(rows.begin(), rows.end(), [&](const OwnedRow& one) { return one.part == first.part; }))
      continue;
    const int own = generation(first);
    out.predict([&](const OwnedRow& one) { return one.part != first.part && generation(one) == own; },
                [&](const OwnedRow& one) { return one.part == first.part; });
  }
}

void hold_generations_out(HoldOut& out, const std::vector<OwnedRow>& rows) {
  for (const auto& [left, seen] : keys_of(rows, generation))
    out.predict([&, g = left](const OwnedRow& one) { return generation(one) != g; },
                [&, g = left](const OwnedRow& one) { return generation(one) == g; });
}

void append(std::vector<double>& all, const std::vector<double>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

/// Way to hold rows out.
struct CollectiveWay {
  const char* key;  ///< key of the target that it is compared with
  const char* name;
  void (*leave)(HoldOut&, const std::vector<OwnedRow>&);
};
constexpr CollectiveWay collective_ways[] = {{"by_size", "rank count held out", hold_rank_counts_out},
                                             {"by_accelerator", "sibling held out", hold_siblings_out},
                                             {"by_generation", "generation held out", hold_generations_out}};

}  // namespace

std::vector<HeldOutFigures> cross_validate_collectives(const std::vector<Measurement>& measurements,
                                                       const std::vector<AcceleratorPart>& catalog) {
  const std::vector<OwnedRow> every = owned_rows(measurements, catalog);
  const std::vector<AcceleratorPart> parts = pooled_parts(catalog);
  const std::vector<OwnedRow> pooled = owned_rows(measurements, parts);
  std::vector<HeldOutFigures> out;
  for (const auto& [key, name, leave] : collective_ways) {
    const std::vector<OwnedRow>& rows = leave == hold_generations_out ? pooled : every;
    std::vector<double> from, below;
    for (const CollectiveOp op : measured_ops) {
      HoldOut one(op, rows);
      leave(one, rows);
      append(from, one.from);
      append(below, one.below);
    }
    out.push_back({key, collective_figures(std::string(name) + ", from 1 MB", from)});
    out.push_back({key, collective_figures(std::string(name) + ", below 1 MB", below)});
  }
  return out;
}

}  // namespace clusterwright
