#include "calibration/fit/gemm_set_fit.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "calibration/fit/sourced_value.hpp"
#include "topology/parts.hpp"

namespace clusterwright {

namespace {

/// Fewer points than this say too little about the surface of a matrix multiply.
constexpr std::size_t enough_points = 50;

/// Of formats that somebody measured, wide ones first: narrow ones may lean on "fp8".
constexpr const char* fitted_formats[] = {"bf16", "fp8", "fp8-block"};
constexpr const char* weight_only_formats[] = {"int8-weight-only", "int4-weight-only"};

/// A format that nobody measured, and what is known of it.
struct DerivedFormat {
  const char* key;
  const char* relative;
  NumberFormat units;
  double factor;  ///< on the efficiency
  double doubt;   ///< one standard deviation, relative
  const char* source;
};
constexpr DerivedFormat derived_formats[] = {
    {"fp16", "bf16", NumberFormat::bf16, 1, 0, "definition: both 16-bit formats run on the same units at one rate"},
    {"fp8-block", "fp8", NumberFormat::fp8, 1, 0.15, "prior: as fp8 with one scale per tensor"},
    {"fp8-rowwise", "fp8", NumberFormat::fp8, 1 / 1.6, 0.2,
     "prior: multiplies with one scale per row took 1.6 times as long in training steps on Hopper"},
    {"mxfp8", "fp8", NumberFormat::fp4, 1, 0.15, "prior: as fp8; matrix units with fp4 scale blocks themselves"},
    {"nvfp4", "fp8", NumberFormat::fp4, 1, 0.2, "prior: the share of its own peak that fp8 reaches"},
    {"int8", "bf16", NumberFormat::int8, 1, 0.2, "prior: the share of its own peak that 16-bit formats reach"}};

std::size_t points_of(const std::vector<GemmRow>& rows, const std::string& accelerator) {
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [&](const GemmRow& row) { return row.accelerator == accelerator; }));
}

/// "181 points of H200, 8 of H100-SXM".
std::string origin_of(const std::vector<GemmRow>& rows) {
  std::vector<std::string> names, texts;
  for (const GemmRow& row : rows)
    if (std::find(names.begin(), names.end(), row.accelerator) == names.end()) names.push_back(row.accelerator);
  for (const std::string& name : names)
    texts.push_back(fmt::format("{}{} of {}", points_of(rows, name), texts.empty() ? " points" : "", name));
  return fmt::format("{}", fmt::join(texts, ", "));
}

void measured_at(double density, const std::string& accelerator, GemmParameters& fit) {
  fit.density_loss = sourced(usual_density_loss, 0.4 * usual_density_loss, "prior: what generations differ by");
  fit.density_reference = sourced(density, 0, "data sheet of " + accelerator);
}

class GemmSetFit {
 public:
  GemmSetFit(const std::vector<Measurement>& measurements, const std::vector<AcceleratorPart>& catalog,
             GemmFitScope scope)
      : measurements_(measurements), catalog_(catalog), scope_(scope) {}

  void fit(const std::string& format, const std::vector<GemmRow>& rows, const GemmFold& fold, const std::string& what,
           const std::string& left_out) {
    if (rows.empty()) return;
    const auto relative = set.gemm.find("fp8");
    const bool leans = rows.size() < enough_points && relative != set.gemm.end();
    const GemmParameters* other = leans ? &relative->second : nullptr;
    const std::string source =
        fmt::format("fit of measured {} calls: {}{}", format, origin_of(rows), leans ? "; prior: fp8" : "");
    const GemmParameters fitted = fit_gemm(rows, source, other, scope_);
    for (const FitReport& one : gemm_reports(rows, fitted, gemm_left_out(rows, fold, other, scope_), format, what,
                                             fmt::format("{}; left out: {}", source, left_out)))
      if (one.rows > 0) set.fits.push_back(one);
    if (format == "bf16")
      for (const GemmRow& row : rows)
        set.longest_teraflop = std::max(set.longest_teraflop, row.shape.flops().in(1e12 * flop));
    set.gemm[format] = fitted;
  }

  /// What other parts of its architecture reach with these kernels goes with their density.
  void state_density(const AcceleratorPart& part) {
    for (auto& [format, fit] : set.gemm) measured_at(power_density(part), part.id, fit);
  }

  /// Kernels that widen their weights were measured on one accelerator only.
  void fit_weight_only() {
    scope_ = GemmFitScope::one_part;
    for (const char* format : weight_only_formats) {
      const std::vector<GemmRow> rows = all_gemm_rows(measurements_, catalog_, format);
      fit(format, rows, shape_fold, "", "each N and K in turn");
      if (!rows.empty()) measured_at(rows.front().device.density, rows.front().accelerator, set.gemm.at(format));
    }
  }

  /// @param has  whether the part multiplies in a format
  void derive(auto has) {
    for (const DerivedFormat& one : derived_formats) {
      const auto relative = set.gemm.find(one.relative);
      if (relative == set.gemm.end() || set.gemm.contains(one.key) || !has(one.units)) continue;
      set.gemm[one.key] = borrowed_gemm(relative->second, one.factor, one.doubt,
                                        fmt::format("{} ({})", one.source, relative->second.efficiency.source));
    }
  }

  GemmSet set;

 private:
  const std::vector<Measurement>& measurements_;
  const std::vector<AcceleratorPart>& catalog_;
  GemmFitScope scope_;
};

/// Own rows, and those of the same die where they are few.
std::vector<GemmRow> rows_for(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                              const std::vector<const AcceleratorPart*>& siblings, const std::string& format) {
  std::vector<GemmRow> rows = gemm_rows(measurements, part, format);
  if (rows.size() >= enough_points) return rows;
  for (const AcceleratorPart* sibling : siblings) {
    const std::vector<GemmRow> more = gemm_rows(measurements, *sibling, format);
    rows.insert(rows.end(), more.begin(), more.end());
  }
  return rows;
}

}  // namespace

GemmSet fit_gemm_set(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                     const std::vector<const AcceleratorPart*>& siblings, const std::vector<AcceleratorPart>& catalog) {
  const auto has = [&](NumberFormat format) { return peak(part, format) > FlopsPerSecond{}; };
  GemmSetFit fit(measurements, catalog, GemmFitScope::one_part);
  for (const char* format : fitted_formats)
    if (has(format == std::string("bf16") ? NumberFormat::bf16 : NumberFormat::fp8))
      fit.fit(format, rows_for(measurements, part, siblings, format), shape_fold, "", "each N and K in turn");
  if (!fit.set.gemm.contains("bf16"))
    fit.set.gemm["bf16"] = fit_gemm({}, "prior: usual values of large matrix multiplies");
  fit.state_density(part);
  fit.fit_weight_only();
  fit.derive(has);
  return std::move(fit.set);
}

GemmSet fit_gemm_transfer(const std::vector<Measurement>& measurements, const std::vector<AcceleratorPart>& catalog) {
  GemmSetFit fit(measurements, catalog, GemmFitScope::many_parts);
  for (const char* format : fitted_formats)
    fit.fit(format, all_gemm_rows(measurements, catalog, format), architecture_fold, ", generation left out",
            "each generation in turn");
  fit.fit_weight_only();
  fit.derive([](NumberFormat) { return true; });
  return std::move(fit.set);
}

}  // namespace clusterwright
