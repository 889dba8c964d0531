#include "calibration/fit/collective_set_fit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "calibration/fit/collective_fit.hpp"
#include "calibration/fit/expert_fit.hpp"

namespace clusterwright {

namespace {

constexpr CollectiveOp fitted_ops[] = {CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_reduce,
                                       CollectiveOp::all_to_all, CollectiveOp::send};

bool leaves_node(const CollectiveRow& row) {
  return row.group.nodes > 1;
}

std::size_t count_rows_in_node(CollectiveOp op, const std::vector<CollectiveRow>& rows) {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [&](const CollectiveRow& row) { return row.op == op && !leaves_node(row); }));
}

/// One set from one list of rows, which `from` names.
class SetFit {
 public:
  SetFit(std::vector<CollectiveRow> rows, std::string from, CollectiveFold fold, std::string left_out)
      : rows_(std::move(rows)), from_(std::move(from)), fold_(std::move(fold)), left_out_(std::move(left_out)) {}

  void fit_ops() {
    for (const CollectiveOp op : fitted_ops) fit(op);
  }

  void fit_between_nodes(const std::vector<CollectiveRow>& rows, const std::string& from) {
    const auto points = std::count_if(rows.begin(), rows.end(), leaves_node);
    const std::string prior = "prior: 46-48 of 50 GB/s per card, latencies as NCCL's tuner counts";
    set.network =
        fit_network(rows, set.collectives,
                    points ? fmt::format("fit of {} points between nodes of {}; {}", points, from, prior) : prior);
  }

  /// From rows of all accelerators: only few were measured.
  void fit_experts(const std::vector<CollectiveRow>& rows) {
    const std::string source = fmt::format("fit of {} points of dispatch and combine on H800", rows.size());
    const CollectiveParameters fitted = fit_expert_exchange(rows, set.network, source);
    set.collectives["expert_exchange"] = fitted;
    set.fits.push_back(expert_report(rows, set.network, fitted));
  }

  CollectiveSet set;

 private:
  void fit(CollectiveOp op) {
    const std::size_t own = count_rows_in_node(op, rows_);
    const std::vector<CollectiveRow> borrowed = own ? std::vector<CollectiveRow>{} : borrowed_rows(op, rows_);
    std::string source = "prior: latencies and shares of NCCL's tuner";
    if (own) source = fmt::format("fit of {} points of {} on {} in one node", own, name_of(op), from_);
    if (!borrowed.empty())
      source =
          fmt::format("fit of {} points of reduce_scatter on {}: as many bytes on the wire", borrowed.size(), from_);
    const CollectiveCurves fitted = fit_curves(op, own ? rows_ : borrowed, source);
    set.collectives.insert(fitted.begin(), fitted.end());
    // Messages were measured between two ranks only: no rank count could be left out.
    if (!own || op == CollectiveOp::send) return;
    for (const FitReport& one : collective_reports(op, rows_, fitted, fold_, left_out_))
      if (one.rows > 0) set.fits.push_back(one);
  }

  std::vector<CollectiveRow> rows_;
  std::string from_;
  CollectiveFold fold_;
  std::string left_out_;
};

int generation_number(const CollectiveRow& row) {
  return static_cast<int>(row.links.generation);
}

/// Every generation weighs one in each operation.
void balance(std::vector<CollectiveRow>& rows) {
  std::map<std::pair<CollectiveOp, int>, double> total;
  for (const CollectiveRow& row : rows) total[{row.op, generation_number(row)}] += row.weight;
  for (CollectiveRow& row : rows) row.weight *= 10 / total.at({row.op, generation_number(row)});
}

}  // namespace

CollectiveSet fit_collective_set(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                                 const std::vector<AcceleratorPart>& catalog,
                                 const std::vector<const AcceleratorPart*>& siblings) {
  std::vector<CollectiveRow> rows = collective_rows(measurements, part);
  SetFit fit(
      rows, part.id, [](const CollectiveRow& row) { return row.group.ranks_per_node; }, "each rank count in turn");
  fit.set.name = file_name_of(part);
  fit.set.accelerator = part.id;
  fit.fit_ops();
  std::string from = part.id;
  for (const AcceleratorPart* sibling : siblings) {
    if (std::any_of(rows.begin(), rows.end(), leaves_node)) break;
    rows = collective_rows(measurements, *sibling);
    from = sibling->id + " (same die)";
  }
  fit.fit_between_nodes(rows, from);
  fit.fit_experts(expert_rows(measurements, catalog));
  return fit.set;
}

CollectiveSet fit_transfer_set(const std::vector<Measurement>& measurements,
                               const std::vector<AcceleratorPart>& catalog) {
  std::vector<CollectiveRow> rows;
  for (const AcceleratorPart& part : catalog) {
    const std::vector<CollectiveRow> more = completed_rows(collective_rows(measurements, part));
    rows.insert(rows.end(), more.begin(), more.end());
  }
  balance(rows);
  SetFit fit(rows, "Ampere, Hopper and Blackwell together", generation_number, "each generation in turn");
  fit.set.name = "transfer";
  fit.fit_ops();
  fit.fit_between_nodes(rows, "all of them");
  fit.fit_experts(expert_rows(measurements, catalog));
  return fit.set;
}

}  // namespace clusterwright
