// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/sample_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "calibration/fit/attention_fit.hpp"
#include "calibration/fit/collective_fit.hpp"
#include "calibration/fit/gemm_fit.hpp"
#include "calibration/fit/memory_fit.hpp"
#include "calibration/fit/probe_stack.hpp"
#include "calibration/fit/sourced_value.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "models/kernels/streaming_time.hpp"
#include "sim/interval.hpp"

namespace clusterwright {

namespace {

constexpr CollectiveOp logged_ops[] = {CollectiveOp::all_gather, CollectiveOp::reduce_scatter, CollectiveOp::all_reduce,
                                       CollectiveOp::all_to_all, CollectiveOp::send};

/// Format of the same units and rate as bf16, which shares its parameters.
constexpr const char* other_half_format = "fp16";

template <class Row>
std::vector<Row> rows_of(const std::vector<SampleRow<Row>>& samples) {
  std::vector<Row> out;
  for (const auto& sample : samples) out.push_back(sample.row);
  return out;
}

template <class Row>
void append(std::vector<SampleRow<Row>> more, std::vector<SampleRow<Row>>& to) {
  to.insert(to.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

bool within_node(const SampleRow<CollectiveRow>& sample) {
  return sample.row.group.domains == 1;
}

/// One fit, with the inputs that its sections share.
class SampleSetFit {
 public:
  SampleSetFit(const std::vector<ProbeSamples>& all, const AcceleratorPart& part, const ParameterSet& base,
               const SampleFitOptions& options, bool refit = true)
      : all_(all), part_(part), base_(base), options_(options), refit_(refit), fit_{base, {}} {
    fit_.parameters.name = options.name;
    fit_.parameters.accelerator = part.id;
    fit_.parameters.also_for.clear();
  }

  SampleFit run() {
    fit_kernel_gap();
    for (const GemmFormat& format : gemm_formats())
      if (format.key != other_half_format) fit_gemms(format);
    for (const std::string& kernel : sampled_attention(all_)) fit_attention_kernel(kernel);
    fit_streams();
    fit_host_copies();
    for (const CollectiveOp op : logged_ops) fit_collective(op);
    fit_between_nodes();
    add(fit_power(all_, part_, fit_.parameters, options_.source, refit_ ? &fit_.parameters.power : nullptr));
    if (auto thermal = fit_thermal(all_, options_.source)) fit_.parameters.thermal = std::move(thermal);
    return std::move(fit_);
  }

 private:
  std::string source_of(std::size_t samples, const std::string& what) const {
    return fmt::format("fit of {} samples of {}: {}", samples, what, options_.source);
  }
  /// The same of what a die decides.
  std::string source_of_die(std::size_t samples, const std::string& what) const {
    std::string out = source_of(samples, what);
    for (const CardSamples& card : options_.beside) out += " and of " + card.part->id;
    return out;
  }

  /// Adds a section; where it was fitted, its reports replace those of the base, generic ones too.
  bool add(SectionFit section) {
    if (section.samples == 0) return false;
    const bool fitted = section.state == SectionState::fitted;
    auto& reports = fit_.parameters.fits;
    if (fitted) {
      std::erase_if(reports, [&](const FitReport& old) {
        return old.name == section.name || old.name.starts_with(section.name + ",");
      });
      reports.insert(reports.end(), section.reports.begin(), section.reports.end());
    }
    fit_.sections.push_back(std::move(section));
    return fitted;
  }

  void fit_gemms(const GemmFormat& format) {
    auto samples = gemm_samples(all_, part_, format);
    for (const CardSamples& card : options_.beside) append(gemm_samples(card.documents, *card.part, format), samples);
    const auto found = base_.gemm.find(format.key);
    const GemmParameters* prior = found == base_.gemm.end() ? nullptr : &found->second;
    const std::string source = source_of_die(samples.size(), format.key + " multiplies");
    if (!prior && !refit_) return;
    const auto fit = [&](const std::vector<GemmRow>& rows) { return refit_ ? fit_gemm(rows, source, prior) : *prior; };
    const SectionRule rule{"gemm/" + format.key, 12, 4, 0.10, ", M >= 1024", ", M < 1024"};
    const auto error = [](const GemmRow& row, const GemmParameters& p) { return gemm_log_error(row, p); };
    if (!add(judge(rule, samples, source, fit, error))) return;
    GemmParameters& fitted = fit_.parameters.gemm[format.key];
    fitted = fit(rows_of(samples));
    state_density(power_density(part_), part_.id, fitted);
    if (format.key == "bf16")
      fit_.parameters.gemm[other_half_format] = borrowed_gemm(fit_.parameters.gemm.at("bf16"), 1, 0, source);
  }

  /// Fits a shipped family, which stacks name, or a kernel of its own beside them.
  void fit_attention_kernel(const std::string& name) {
    auto samples = attention_samples(all_, part_, name);
    for (const CardSamples& card : options_.beside)
      append(attention_samples(card.documents, *card.part, name), samples);
    const auto found = base_.attention.find(name);
    const AttentionParameters* prior = found == base_.attention.end() ? nullptr : &found->second;
    if (!prior && !refit_) return;
    const std::string source = source_of_die(samples.size(), name + " attention");
    const auto fit = [&](const std::vector<AttentionRow>& rows) {
      return refit_ ? fit_attention_samples(rows, source, prior) : *prior;
    };
    const auto error = [](const AttentionRow& row, const AttentionParameters& p) {
      return attention_log_error(row, p);
    };
    if (add(judge({"attention/" + name, 8, 4, 0.15, "", ""}, samples, source, fit, error)))
      fit_.parameters.attention[name] = fit(rows_of(samples));
  }

  void fit_streams() {
    auto samples = memory_samples(all_);
    // Samples run back to back, so each holds a gap, which a step counts for itself.
    for (auto& sample : samples) sample.row.time -= fit_.parameters.step.kernel_gap.value;
    const std::string source = source_of(samples.size(), "streaming kernels");
    const StreamFit fitter(part_.memory_bandwidth.value, base_.memory);
    const auto fit = [&](const std::vector<TrafficRow>& rows) {
      return refit_ ? fitter.fit(rows, source) : base_.memory;
    };
    const auto error = [&](const TrafficRow& row, const MemoryParameters& p) { return fitter.log_error(row, p); };
    if (add(judge({"memory", 6, 4, 0.10, "", ""}, samples, source, fit, error)))
      fit_.parameters.memory = fit(rows_of(samples));
  }

  void fit_host_copies() {
    if (!part_.host_bandwidth) return;
    const auto samples = host_copy_samples(all_);
    const std::string source = source_of(samples.size(), "copies from the host");
    const HostCopyFit fitter(part_.host_bandwidth->value, base_.memory);
    const auto fit = [&](const std::vector<TrafficRow>& rows) {
      HostCopies copies = fitter.fit(rows, source);
      if (!refit_) copies.share = base_.memory.host_share;  // a parameter set holds no start time
      return copies;
    };
    const auto error = [&](const TrafficRow& row, const HostCopies& p) { return fitter.log_error(row, p); };
    if (add(judge({"host link", 4, 4, 0.10, "", ""}, samples, source, fit, error)))
      fit_.parameters.memory.host_share = fit(rows_of(samples)).share;
  }

  std::vector<SampleRow<CollectiveRow>> logged(CollectiveOp op, bool in_node) const {
    auto samples = collective_samples(all_, part_, options_.links, op);
    std::erase_if(samples, [&](const auto& sample) { return within_node(sample) != in_node; });
    return samples;
  }

  void fit_collective(CollectiveOp op) {
    const auto samples = logged(op, true);
    const std::string name = "collectives/" + std::string(name_of(op));
    const std::string source = source_of(samples.size(), std::string(name_of(op)) + " in one node");
    const auto fit = [&](const std::vector<CollectiveRow>& rows) {
      return refit_ ? fit_curves(op, rows, source, base_.collectives) : base_.collectives;
    };
    const auto error = [](const CollectiveRow& row, const CollectiveCurves& curves) {
      return std::log(predicted_time(row, curves, {}) / row.time);
    };
    if (!add(judge({name, 6, 4, 0.15, ", from 1 MB", ", below 1 MB"}, samples, source, fit, error))) return;
    for (const auto& [key, curve] : fit(rows_of(samples))) fit_.parameters.collectives[key] = curve;
  }

  /// Fits the network, given the curves inside a node.
  void fit_between_nodes() {
    std::vector<SampleRow<CollectiveRow>> samples;
    for (const CollectiveOp op : logged_ops) {
      const auto more = logged(op, false);
      samples.insert(samples.end(), more.begin(), more.end());
    }
    const std::string source = source_of(samples.size(), "collectives between nodes");
    const CollectiveCurves& curves = fit_.parameters.collectives;
    const auto fit = [&](const std::vector<CollectiveRow>& rows) {
      return refit_ ? fit_network(rows, curves, source, &base_.network) : base_.network;
    };
    const auto error = [&](const CollectiveRow& row, const NetworkParameters& network) {
      return std::log(predicted_time(row, curves, network) / row.time);
    };
    SectionFit section = judge({"network", 6, 4, 0.20, ", from 1 MB", ", below 1 MB"}, samples, source, fit, error);
    if (!add(section)) return;
    NetworkParameters fitted = fit(rows_of(samples));
    // Error on held-out messages of this fabric, instead of the difference between fabrics.
    fitted.structural_error = sourced_value(section.reports.front().held_out_p90_abs_log / half_width_90, 0, source);
    fitted.tcp_bandwidth_share = base_.network.tcp_bandwidth_share;
    fitted.tcp_latency = base_.network.tcp_latency;
    fit_.parameters.network = fitted;
  }

  /// Reads the gap between kernels off the samples of a busy device.
  void fit_kernel_gap() {
    for (const ProbeSamples& document : all_)
      for (const ProbeSample& sample : document.samples) {
        const auto* launch = std::get_if<ProbedLaunch>(&sample.what);
        if (!launch || launch->operation != "back_to_back_on_device") continue;
        const SampleStatistics statistics = statistics_of(sample.repetitions);
        fit_.parameters.step.kernel_gap =
            sourced_value(statistics.median.in(microsecond), statistics.spread.in(microsecond), microsecond,
                          source_of(sample.repetitions.size(), "kernels back to back"));
        return;
      }
  }

  const std::vector<ProbeSamples>& all_;
  const AcceleratorPart& part_;
  const ParameterSet& base_;
  const SampleFitOptions& options_;
  bool refit_;
  SampleFit fit_;
};

SectionFit without_fit(const std::string& name, std::vector<SampleResidual> residuals) {
  SectionRule rule{name, 0, 0, 0, "", ""};
  if (name.starts_with("gemm/")) rule.large = ", M >= 1024", rule.small = ", M < 1024";
  if (name.starts_with("collectives/")) rule.large = ", from 1 MB", rule.small = ", below 1 MB";
  return checked(rule, std::move(residuals));
}

SampleResidual residual(const std::string& section, std::string what, bool large, Seconds measured, double error) {
  return {section, what, what, large, measured, error, error, 0};
}

void add_gemms(const std::vector<Measurement>& measurements, const AcceleratorPart& part, const ParameterSet& set,
               std::vector<SectionFit>& out) {
  for (const GemmFormat& format : gemm_formats()) {
    const auto found = set.gemm.find(format.key);
    if (found == set.gemm.end() || format.key == "fp16") continue;  // rows of fp16 are among those of bf16
    std::vector<SampleResidual> residuals;
    for (const GemmRow& row : gemm_rows(measurements, part, format.key))
      residuals.push_back(residual("gemm/" + format.key,
                                   fmt::format("{} x {} x {}", row.shape.m, row.shape.n, row.shape.k), is_large(row),
                                   row.time, gemm_log_error(row, found->second)));
    if (!residuals.empty()) out.push_back(without_fit("gemm/" + format.key, std::move(residuals)));
  }
}

void add_streams(const std::vector<Measurement>& measurements, const AcceleratorPart& part, const ParameterSet& set,
                 std::vector<SectionFit>& out) {
  std::vector<SampleResidual> residuals;
  for (const MemoryRow& row : memory_rows(measurements, part)) {
    // A ratio of bandwidths is the inverse of a ratio of times.
    const double error = -std::log(row.data_sheet * streaming_share(row.writes, set.memory) / row.measured);
    residuals.push_back(residual("memory", row.op, true, {}, error));
  }
  if (!residuals.empty()) out.push_back(without_fit("memory", std::move(residuals)));
}

void add_collectives(const std::vector<Measurement>& measurements, const AcceleratorPart& part, const ParameterSet& set,
                     std::vector<SectionFit>& out) {
  std::map<std::string, std::vector<SampleResidual>> sections;
  for (const CollectiveRow& row : collective_rows(measurements, part)) {
    const std::string name = row.group.domains > 1 ? "network" : "collectives/" + std::string(name_of(row.op));
    const double error = std::log(predicted_time(row, set.collectives, set.network) / row.time);
    sections[name].push_back(residual(name, fmt::format("{:.0f} bytes, {} ranks", row.size.in(byte), row.group.ranks()),
                                      row.size >= large_message, row.time, error));
  }
  for (auto& [name, residuals] : sections) out.push_back(without_fit(name, std::move(residuals)));
}

}  // namespace

bool SampleFit::any(SectionState state) const {
  return std::any_of(sections.begin(), sections.end(), [&](const SectionFit& one) { return one.state == state; });
}

SampleFit fit_samples(const std::vector<ProbeSamples>& all, const AcceleratorPart& part, const ParameterSet& base,
                      const SampleFitOptions& options) {
  SampleFit fit = SampleSetFit(all, part, base, options).run();
  for (SectionFit& one : check_layers(all, part, fit.parameters)) fit.sections.push_back(std::move(one));
  return fit;
}

std::vector<SectionFit> check_samples(const std::vector<ProbeSamples>& all, const AcceleratorPart& part,
                                      const ParameterSet& set, const SampledLinks& links) {
  const SampleFitOptions options{set.name, "", links};
  std::vector<SectionFit> sections = SampleSetFit(all, part, set, options, false).run().sections;
  for (SectionFit& one : check_layers(all, part, set)) sections.push_back(std::move(one));
  return sections;
}

std::vector<SectionFit> check_published(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                                        const ParameterSet& set) {
  std::vector<SectionFit> out;
  add_gemms(measurements, part, set, out);
  add_streams(measurements, part, set, out);
  add_collectives(measurements, part, set, out);
  return out;
}

}  // namespace clusterwright
