// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/gemm_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibration/fit/least_squares.hpp"
#include "calibration/fit/sourced_value.hpp"
#include "topology/parts/parts.hpp"

namespace clusterwright {

namespace {

/// Order of the parameter vector that all fits share. What only some need follows: see GemmVector.
enum : std::size_t {
  efficiency,
  tile_penalty,
  k_overhead,
  wave_share,
  split_us,
  fixed_us,
  bandwidth_share,
  long_loss,
  shared_count
};

constexpr FitParameter shared_priors[shared_count] = {{FitScale::share, 0.8, 0.7},    {FitScale::positive, 0.05, 1.0},
                                                      {FitScale::positive, 100, 1.0}, {FitScale::share, 0.7, 1.0},
                                                      {FitScale::positive, 1.5, 0.7}, {FitScale::positive, 4, 0.7},
                                                      {FitScale::share, 0.8, 0.5},    {FitScale::positive, 0.2, 0.7}};

/// Priors of a fit over parts of different density, whose efficiency is extrapolated to density 0.
constexpr FitParameter efficiency_at_no_density = {FitScale::share, 0.97, 0.7};
constexpr FitParameter density_loss_prior = {FitScale::positive, usual_density_loss, 0.4};
constexpr FitParameter unaligned_prior = {FitScale::share, 0.25, 0.7};

/// Which parameters a fit has, and where they stand.
class GemmVector {
 public:
  GemmVector(const std::vector<GemmRow>& rows, GemmFitScope scope)
      : with_cast_(!rows.empty() && rows.front().storage.input < 2 * byte),
        with_density_(scope == GemmFitScope::many_parts),
        with_operand_(has(rows, GemmAlignment::unaligned_operand)),
        with_output_(has(rows, GemmAlignment::unaligned_output)) {}

  /// @param relative  parameters of a relative, whose values are the priors; may be null
  std::vector<FitParameter> priors(const GemmParameters* relative) const {
    std::vector<FitParameter> out(std::begin(shared_priors), std::end(shared_priors));
    if (with_cast_) out.push_back({FitScale::positive, 6, 0.7});
    if (with_cast_) out.push_back({FitScale::positive, 5, 1.0});
    if (relative) {
      const std::vector<double> values = values_of(*relative);
      for (std::size_t i = 0; i < out.size(); ++i) {
        const bool possible = values[i] > 0 && (out[i].scale != FitScale::share || values[i] < 1);
        if (possible) out[i].prior = values[i];
      }
    }
    if (with_density_ && !relative) out[efficiency] = efficiency_at_no_density;
    if (with_density_) out.push_back(density_loss_prior);
    if (with_operand_) out.push_back(unaligned_prior);
    if (with_output_) out.push_back(unaligned_prior);
    return out;
  }

  /// Sets values without their origin, which is cheap enough for the inside of a fit.
  void assign(const std::vector<double>& value, GemmParameters& out) const {
    out.efficiency.value = value[efficiency];
    out.tile_penalty.value = value[tile_penalty];
    out.k_overhead.value = value[k_overhead];
    out.wave_share.value = value[wave_share];
    out.split.value = value[split_us] * microsecond;
    out.fixed.value = value[fixed_us] * microsecond;
    out.bandwidth_share.value = value[bandwidth_share];
    out.long_kernel_loss.value = value[long_loss];
    if (with_cast_) out.cast_bytes.value = value[shared_count];
    if (with_cast_) out.cast_fixed.value = value[shared_count + 1] * microsecond;
    if (with_density_) out.density_loss.value = value[density_at()];
    if (with_operand_) out.unaligned_factor.value = value[operand_at()];
    if (with_output_) out.unaligned_output_factor.value = value[output_at()];
  }

  GemmParameters parameters(const FitResult& fit, const std::string& source) const {
    const auto plain = [&](std::size_t i) { return sourced_value(fit.values[i], fit.std_errors[i], source); };
    const auto time = [&](std::size_t i) {
      return sourced_value(fit.values[i], fit.std_errors[i], microsecond, source);
    };
    GemmParameters out;
    out.efficiency = plain(efficiency);
    out.tile_penalty = plain(tile_penalty);
    out.k_overhead = plain(k_overhead);
    out.wave_share = plain(wave_share);
    out.split = time(split_us);
    out.fixed = time(fixed_us);
    out.bandwidth_share = plain(bandwidth_share);
    out.long_kernel_loss = plain(long_loss);
    const std::string no_cast = "definition: 16-bit operands are not quantised";
    out.cast_bytes = with_cast_ ? plain(shared_count) : sourced_value(0, 0, no_cast);
    out.cast_fixed = with_cast_ ? time(shared_count + 1) : sourced_value(0, 0, microsecond, no_cast);
    if (with_density_) out.density_loss = plain(density_at());
    if (with_density_) out.density_reference = sourced_value(0, 0, "definition: extrapolated to no density");
    if (with_operand_) out.unaligned_factor = plain(operand_at());
    if (with_output_) out.unaligned_output_factor = plain(output_at());
    return out;
  }

 private:
  static std::vector<double> values_of(const GemmParameters& p) {
    return {p.efficiency.value,
            p.tile_penalty.value,
            p.k_overhead.value,
            p.wave_share.value,
            p.split.value.in(microsecond),
            p.fixed.value.in(microsecond),
            p.bandwidth_share.value,
            p.long_kernel_loss.value,
            p.cast_bytes.value,
            p.cast_fixed.value.in(microsecond)};
  }

  std::size_t density_at() const { return shared_count + (with_cast_ ? 2 : 0); }
  std::size_t operand_at() const { return density_at() + (with_density_ ? 1 : 0); }
  std::size_t output_at() const { return operand_at() + (with_operand_ ? 1 : 0); }

  static bool has(const std::vector<GemmRow>& rows, GemmAlignment alignment) {
    return std::ranges::any_of(rows,
                               [&](const GemmRow& row) { return alignment_of(row.shape, row.storage) == alignment; });
  }

  bool with_cast_;
  bool with_density_;
  bool with_operand_;
  bool with_output_;
};

/// Points below which errors say nothing about other shapes: the best shapes of searches.
constexpr std::size_t fewest_judged = 6;

/// Points below which a format leans on "fp8" as its prior.
constexpr std::size_t enough_points = 50;

/// Formats with measurements, 16-bit ones first: later ones may lean on "fp8".
constexpr const char* fitted_formats[] = {"bf16", "fp8", "fp8-block"};
constexpr const char* weight_only_formats[] = {"int8-weight-only", "int4-weight-only"};

/// Format without measurements, and the relative that it follows.
struct DerivedFormat {
  const char* key;
  const char* relative;
  NumberFormat units;
  double factor;  ///< ratio of the efficiencies
  double doubt;   ///< one standard deviation of the factor, relative
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

/// Text such as "181 points of H200, 8 of H100-SXM".
std::string origin_of(const std::vector<GemmRow>& rows) {
  std::vector<std::string> names, texts;
  for (const GemmRow& row : rows)
    if (std::find(names.begin(), names.end(), row.accelerator) == names.end()) names.push_back(row.accelerator);
  for (const std::string& name : names)
    texts.push_back(fmt::format("{}{} of {}", points_of(rows, name), texts.empty() ? " points" : "", name));
  return fmt::format("{}", fmt::join(texts, ", "));
}

class GemmSetFit {
 public:
  GemmSetFit(const std::vector<Measurement>& measurements, const std::vector<AcceleratorPart>& catalog,
             GemmFitScope scope)
      : measurements_(measurements), catalog_(catalog), scope_(scope) {}

  void fit(const std::string& format, const std::vector<GemmRow>& rows, const GemmFold& fold, const std::string& what,
           const std::string& held_out) {
    if (rows.empty()) return;
    const auto relative = set.gemm.find("fp8");
    const bool leans = rows.size() < enough_points && relative != set.gemm.end();
    const GemmParameters* other = leans ? &relative->second : nullptr;
    const std::string source =
        fmt::format("fit of measured {} calls: {}{}", format, origin_of(rows), leans ? "; prior: fp8" : "");
    const GemmParameters fitted = fit_gemm(rows, source, other, scope_);
    set.gemm[format] = fitted;
    if (rows.size() < fewest_judged) return;
    for (const FitReport& one : gemm_reports(rows, fitted, held_out_gemm_errors(rows, fold, other, scope_), format,
                                             what, fmt::format("{}; held out: {}", source, held_out)))
      if (one.rows > 0) set.fits.push_back(one);
    if (format == "bf16")
      for (const GemmRow& row : rows)
        set.longest_teraflop = std::max(set.longest_teraflop, row.shape.flops().in(1e12 * flop));
  }

  /// States the density that the fit holds at, so that parts of other density can be scaled.
  void state_densities(const AcceleratorPart& part) {
    for (auto& [format, fit] : set.gemm) state_density(power_density(part), part.id, fit);
  }

  /// Fits weight-only kernels, which were measured on one accelerator only.
  void fit_weight_only() {
    scope_ = GemmFitScope::one_part;
    for (const char* format : weight_only_formats) {
      const std::vector<GemmRow> rows = all_gemm_rows(measurements_, catalog_, format);
      fit(format, rows, shape_fold, "", "each N and K in turn");
      if (!rows.empty()) state_density(rows.front().device.density, rows.front().accelerator, set.gemm.at(format));
    }
  }

  /// @param has  whether the part has units for a format
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

/// Rows of the part, and of the same die where they are few; the best of a search where there are none.
std::vector<GemmRow> rows_for(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                              const std::vector<const AcceleratorPart*>& siblings, const std::string& format) {
  std::vector<GemmRow> rows;
  for (const auto rows_of : {gemm_rows, searched_gemm_rows}) {
    rows = rows_of(measurements, part, format);
    if (rows.size() >= enough_points) break;
    for (const AcceleratorPart* sibling : siblings) {
      const std::vector<GemmRow> more = rows_of(measurements, *sibling, format);
      rows.insert(rows.end(), more.begin(), more.end());
    }
    if (!rows.empty()) break;
  }
  return rows;
}

}  // namespace

Seconds predicted_time(const GemmRow& row, const GemmParameters& parameters) {
  const GemmTiming cost = gemm_time(row.shape, row.device, parameters, row.storage, 1);
  const Seconds quantisation = row.quantises ? quantisation_time(row.shape, row.device, parameters) : Seconds{};
  return cost.time + cost.fixed + quantisation;
}

double gemm_log_error(const GemmRow& row, const GemmParameters& parameters) {
  return std::log(predicted_time(row, parameters) / row.time);
}

GemmParameters fit_gemm(const std::vector<GemmRow>& rows, const std::string& source, const GemmParameters* relative,
                        GemmFitScope scope) {
  const GemmVector vector(rows, scope);
  FitProblem problem;
  problem.parameters = vector.priors(relative);
  for (const GemmRow& row : rows) problem.weights.push_back(row.weight);
  GemmParameters trial;
  problem.errors = [&](const std::vector<double>& values, std::vector<double>& errors) {
    vector.assign(values, trial);
    for (std::size_t i = 0; i < rows.size(); ++i) errors[i] = gemm_log_error(rows[i], trial);
  };
  return vector.parameters(fit_least_squares(problem), source);
}

GemmParameters borrowed_gemm(const GemmParameters& relative, double factor, double doubt, const std::string& source) {
  GemmParameters out = relative;
  for (Sourced<double>* one : {&out.efficiency, &out.tile_penalty, &out.k_overhead, &out.wave_share,
                               &out.bandwidth_share, &out.long_kernel_loss, &out.cast_bytes})
    one->source = source;
  for (Sourced<Seconds>* one : {&out.split, &out.fixed, &out.cast_fixed}) one->source = source;
  const double value = relative.efficiency.value * factor;
  out.efficiency = sourced_value(value, std::hypot(relative.efficiency.std_error * factor, value * doubt), source);
  return out;
}

void state_density(double density, const std::string& accelerator, GemmParameters& fit) {
  fit.density_loss = sourced_value(usual_density_loss, 0.4 * usual_density_loss, "prior: what generations differ by");
  fit.density_reference = sourced_value(density, 0, "data sheet of " + accelerator);
}

std::string shape_fold(const GemmRow& row) {
  return fmt::format("{}x{}", row.shape.n, row.shape.k);
}

std::string architecture_fold(const GemmRow& row) {
  return row.architecture;
}

std::vector<double> held_out_gemm_errors(const std::vector<GemmRow>& rows, const GemmFold& fold,
                                         const GemmParameters* relative, GemmFitScope scope) {
  const auto refit = [&](const std::vector<GemmRow>& kept) { return fit_gemm(kept, "", relative, scope); };
  return held_out_errors(rows, fold, refit, gemm_log_error);
}

std::vector<FitReport> gemm_reports(const std::vector<GemmRow>& rows, const GemmParameters& fitted,
                                    const std::vector<double>& held_out, const std::string& format,
                                    const std::string& what, const std::string& rows_from) {
  std::vector<double> seen[2], unseen[2];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t small = is_large(rows[i]) ? 0 : 1;
    seen[small].push_back(gemm_log_error(rows[i], fitted));
    unseen[small].push_back(held_out[i]);
  }
  return {report("gemm/" + format + ", M >= 1024" + what, seen[0], unseen[0], rows_from),
          report("gemm/" + format + ", M < 1024" + what, seen[1], unseen[1], rows_from)};
}

GemmSet fit_gemm_set(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                     const std::vector<const AcceleratorPart*>& siblings, const std::vector<AcceleratorPart>& catalog) {
  const auto has = [&](NumberFormat format) { return peak(part, format) > FlopsPerSecond{}; };
  GemmSetFit fit(measurements, catalog, GemmFitScope::one_part);
  for (const char* format : fitted_formats)
    if (has(format == std::string("bf16") ? NumberFormat::bf16 : NumberFormat::fp8))
      fit.fit(format, rows_for(measurements, part, siblings, format), shape_fold, "", "each N and K in turn");
  if (!fit.set.gemm.contains("bf16"))
    fit.set.gemm["bf16"] = fit_gemm({}, "prior: usual values of large matrix multiplies");
  fit.state_densities(part);
  fit.fit_weight_only();
  fit.derive(has);
  return std::move(fit.set);
}

GemmSet fit_generic_gemm(const std::vector<Measurement>& measurements, const std::vector<AcceleratorPart>& catalog) {
  GemmSetFit fit(measurements, catalog, GemmFitScope::many_parts);
  for (const char* format : fitted_formats)
    fit.fit(format, all_gemm_rows(measurements, catalog, format), architecture_fold, ", generation held out",
            "each generation in turn");
  fit.fit_weight_only();
  fit.derive([](NumberFormat) { return true; });
  return std::move(fit.set);
}

}  // namespace clusterwright
