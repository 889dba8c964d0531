#include "calibration/fit/parameter_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <stdexcept>

#include "calibration/fit/attention_fit.hpp"
#include "calibration/fit/collective_fit.hpp"
#include "calibration/fit/collective_set_fit.hpp"
#include "calibration/fit/gemm_fit.hpp"
#include "calibration/fit/memory_fit.hpp"
#include "calibration/fit/sourced_values.hpp"

namespace clusterwright {

namespace {

/// Fewer points than this say too little about the surface of a matrix multiply.
constexpr std::size_t enough_gemm_points = 50;

/// Power against clock where voltage follows: between 2 and 3, unmeasured here.
const Sourced<double> clock_exponent = sourced(2.4, 0.3, "estimate: 2.0 to 3.0 bracket published power caps");

/// "Hopper" of "Hopper (export)".
std::string architecture_of(const AcceleratorPart& part) {
  return part.architecture.substr(0, part.architecture.find(' '));
}

FlopsPerSecond bf16_peak(const AcceleratorPart& part) {
  return peak(part, NumberFormat::bf16);
}

/// Same architecture, multiprocessors and matrix rate: the parts differ in memory, links or power only.
bool same_die(const AcceleratorPart& a, const AcceleratorPart& b) {
  return architecture_of(a) == architecture_of(b) && a.multiprocessors && b.multiprocessors &&
         a.multiprocessors->value == b.multiprocessors->value && bf16_peak(a) == bf16_peak(b);
}

/// One fit of a parameter set, with what all of its parts need.
class ParameterFit {
 public:
  ParameterFit(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
               const std::vector<AcceleratorPart>& catalog)
      : measurements_(measurements), part_(part), catalog_(catalog) {
    for (const AcceleratorPart& other : catalog)
      if (other.id != part.id && same_die(other, part)) siblings_.push_back(&other);
  }

  ParameterSet run() {
    set_.name = lower_case(part_.id);
    set_.accelerator = part_.id;
    name_users();
    fit_gemms();
    fit_attentions();
    fit_device_memory();
    fit_collectives();
    set_.power = power_estimates();
    set_.step = step_priors();
    return std::move(set_);
  }

 private:
  static std::string lower_case(std::string text) {
    for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return text;
  }

  /// Siblings in a domain of the same size, unless their own links were measured.
  void name_users() {
    for (const AcceleratorPart* sibling : siblings_) {
      const bool alike = sibling->scale_up_domain && part_.scale_up_domain &&
                         sibling->scale_up_domain->value == part_.scale_up_domain->value;
      if (alike && collective_rows(measurements_, *sibling).empty()) set_.also_for.push_back(sibling->id);
    }
  }

  /// Both 16-bit formats run on the same units; bf16 has the measurements, and its sources say so.
  void fit_gemms() {
    for (const char* format : {"bf16", "fp8"})
      if (part_.peak_dense_tflops.contains(format)) fit_gemm_of(format);
    set_.gemm["fp16"] = set_.gemm.at("bf16");
  }

  void fit_gemm_of(const std::string& format) {
    std::vector<GemmRow> rows = gemm_rows(measurements_, part_, format);
    std::vector<std::string> from;
    if (!rows.empty()) from.push_back(fmt::format("{} points of {}", rows.size(), part_.id));
    if (rows.size() < enough_gemm_points)
      for (const AcceleratorPart* sibling : siblings_) {
        const std::vector<GemmRow> more = gemm_rows(measurements_, *sibling, format);
        rows.insert(rows.end(), more.begin(), more.end());
        if (!more.empty()) from.push_back(fmt::format("{} of {} (same die)", more.size(), sibling->id));
      }
    const std::string source = rows.empty()
                                   ? "prior: usual values of large matrix multiplies"
                                   : fmt::format("fit of measured {} calls: {}", format, fmt::join(from, ", "));
    const GemmParameters fitted = fit_gemm(rows, source);
    for (const GemmRow& row : rows) longest_[format] = std::max(longest_[format], row.shape.flops().in(flop));
    add_reports(gemm_reports(rows, fitted, format));
    set_.gemm[format] = fitted;
  }

  void fit_attentions() {
    for (const char* family : {"flash-2", "cudnn"}) {
      const std::vector<AttentionRow> rows = attention_rows(measurements_, part_.id, family);
      const AttentionParameters fitted = fit_attention(family, architecture_of(part_), rows);
      add_reports({attention_report(family, architecture_of(part_), rows, fitted)});
      set_.attention[family] = fitted;
    }
    set_.attention["unfused"] = unfused_attention();
  }

  void fit_device_memory() {
    const std::vector<MemoryRow> rows = memory_rows(measurements_, part_.id);
    const std::string source = rows.empty() ? "prior: usual share of the data sheet"
                                            : fmt::format("fit of {} streaming kernels of {}", rows.size(), part_.id);
    set_.memory = fit_memory(rows, part_.memory_bandwidth.value, source);
    add_reports({memory_report(rows, set_.memory)});
  }

  void fit_collectives() {
    const CollectiveSet fitted = fit_collective_set(measurements_, part_, catalog_, siblings_);
    set_.collectives = fitted.collectives;
    set_.network = fitted.network;
    add_reports(fitted.fits);
  }

  /// A loop of long multiplies loses clock because at the reference clock it would draw more than the rated power: the
  /// excess follows from the loss.
  Sourced<double> tensor_weight() const {
    const Sourced<double>& loss = set_.gemm.at("bf16").long_kernel_loss;
    const auto longest = longest_.find("bf16");
    const double decades = longest == longest_.end() ? 0 : std::max(0.0, std::log10(longest->second / 1e12) / 2);
    const double slower = 1 + loss.value * decades;
    const double weight = std::pow(slower, clock_exponent.value);
    return sourced(weight, clock_exponent.value * weight / slower * loss.std_error * decades,
                   fmt::format("clock loss of {:.0f} % in the longest measured multiplies, at watts that go with the "
                               "clock to the power {}",
                               100 * (slower - 1), clock_exponent.value));
  }

  DevicePowerParameters power_estimates() const {
    const std::string source =
        "estimate: a model of watts linear in utilisation, published ranges of training and decoding";
    return {tensor_weight(), sourced(0.30, 0.05, source), sourced(0.15, 0.05, source),
            sourced(0.10, 0.04, "estimate: 110 to 160 W of an H100 that waits, from memory"), clock_exponent};
  }

  StepParameters step_priors() const {
    const double channels = architecture_of(part_) == "Ampere" ? 16 : 20;
    return {sourced(1.0, 0.1, "prior: none"), sourced(1.0, 0.5, microsecond, "prior: usual gap on a busy stream"),
            sourced(channels, 4, "prior: usual channels of NCCL inside a node"),
            sourced(4, 2, "prior: NCCL's channels of one message, about one per 14 GB/s of a network card"),
            sourced(0.10, 0, "prior: microbenchmarks-only predictions, not yet cross-validated")};
  }

  void add_reports(const std::vector<FitReport>& reports) {
    for (const FitReport& one : reports)
      if (one.rows > 0) set_.fits.push_back(one);
  }

  const std::vector<Measurement>& measurements_;
  const AcceleratorPart& part_;
  const std::vector<AcceleratorPart>& catalog_;
  std::vector<const AcceleratorPart*> siblings_;
  ParameterSet set_;
  std::map<std::string, double> longest_;  // FLOPs of the longest measured multiply, by number format
};

}  // namespace

ParameterSet fit_parameters(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                            const std::vector<AcceleratorPart>& catalog) {
  if (!part.multiprocessors || part.memory_bandwidth.value <= BytesPerSecond{} || bf16_peak(part) <= FlopsPerSecond{})
    throw std::invalid_argument(part.id + " lacks multiprocessors, memory bandwidth or a 16-bit rate");
  return ParameterFit(measurements, part, catalog).run();
}

}  // namespace clusterwright
