// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/parameter_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <stdexcept>

#include "calibration/fit/attention_fit.hpp"
#include "calibration/fit/collective_fit.hpp"
#include "calibration/fit/gemm_fit.hpp"
#include "calibration/fit/gemm_rows.hpp"
#include "calibration/fit/memory_fit.hpp"
#include "calibration/fit/sourced_value.hpp"

namespace clusterwright {

namespace {

/// Exponent of power in the clock where voltage follows: between 2 and 3, not measured here.
const Sourced<double> clock_exponent = sourced_value(2.4, 0.3, "estimate: 2.0 to 3.0 bracket published power caps");

/// Memory bandwidth at which the half size of generic sets is stated.
const BytesPerSecond usual_bandwidth = 2 * terabyte_per_second;

FlopsPerSecond bf16_peak(const AcceleratorPart& part) {
  return peak(part, NumberFormat::bf16);
}

bool same_architecture(const AcceleratorPart& a, const AcceleratorPart& b) {
  return !architecture_of(a).empty() && architecture_of(a) == architecture_of(b);
}

/// Rows below which a family is fitted to parts with the same die too.
constexpr std::size_t enough_attention_rows = 10;

/// Largest group in which collectives were measured; larger ones are extrapolated alike on every part.
constexpr int largest_measured_group = 8;

/// Whether groups as large as the user's links join were measured, or it has no such links.
bool links_match(const AcceleratorPart& own, const AcceleratorPart& user) {
  if (!user.scale_up_bandwidth) return true;
  const auto reach = [](const AcceleratorPart& part) {
    return std::min(part.scale_up_domain ? part.scale_up_domain->value : 0, largest_measured_group);
  };
  return reach(own) >= reach(user);
}

/// Distance of two data sheets: rates of matrix units and memory, as logarithms.
double sheet_distance(const AcceleratorPart& a, const AcceleratorPart& b) {
  return std::abs(std::log(bf16_peak(a) / bf16_peak(b))) +
         std::abs(std::log(a.memory_bandwidth.value / b.memory_bandwidth.value));
}

/// Power parameters that no microbenchmark determines.
DevicePowerParameters power_estimates(const GemmSet& gemm) {
  // A loop of long GEMMs loses clock because at the reference clock it would draw more than the rated power: the excess
  // follows from the loss.
  const Sourced<double>& loss = gemm.gemm.at("bf16").long_kernel_loss;
  const double decades = gemm.longest_teraflop > 1 ? std::log10(gemm.longest_teraflop) / 2 : 0;
  const double slower = 1 + loss.value * decades;
  const double weight = std::pow(slower, clock_exponent.value);
  const auto tensor =
      sourced_value(weight, clock_exponent.value * weight / slower * loss.std_error * decades,
                    fmt::format("clock loss of {:.0f} % in the longest measured multiplies, at watts that go "
                                "with the clock to the power {}",
                                100 * (slower - 1), clock_exponent.value));
  const std::string source =
      "estimate: a model of watts linear in utilisation, published ranges of training and decoding";
  DevicePowerParameters power;
  power.tensor_weight = tensor;
  power.memory_weight = sourced_value(0.30, 0.05, source);
  power.link_weight = sourced_value(0.15, 0.05, source);
  power.waiting_share = sourced_value(0.10, 0.04, "estimate: 110 to 160 W of an H100 that waits, from memory");
  power.clock_exponent = clock_exponent;
  return power;
}

StepParameters step_priors(const std::string& architecture) {
  const double channels = architecture == "Ampere" ? 16 : 20;
  return {sourced_value(1.0, 0.5, microsecond, "prior: usual gap on a busy stream"),
          sourced_value(channels, 4, "prior: usual channels of NCCL inside a node"),
          sourced_value(4, 2, "prior: NCCL's channels of one message, about one per 14 GB/s of a network card")};
}

void add_reports(const std::vector<FitReport>& reports, ParameterSet& set) {
  for (const FitReport& one : reports)
    if (one.rows > 0) set.fits.push_back(one);
}

/// Parts with rows, as text: "A100-80-SXM, H100-SXM".
template <class RowsOf>
std::string names_with_rows(const std::vector<AcceleratorPart>& catalog, RowsOf rows_of) {
  std::vector<std::string> names;
  for (const AcceleratorPart& part : catalog)
    if (!rows_of(part).empty()) names.push_back(part.id);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Rows of all parts, one after the other.
template <class RowsOf>
auto rows_of_all(const std::vector<AcceleratorPart>& catalog, RowsOf rows_of) {
  decltype(rows_of(catalog.front())) out;
  for (const AcceleratorPart& part : catalog) {
    const auto more = rows_of(part);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

/// Parts whose host is behind PCI Express: shares of other host links say nothing about it.
std::vector<AcceleratorPart> on_pcie(const std::vector<AcceleratorPart>& catalog) {
  std::vector<AcceleratorPart> out;
  std::ranges::copy_if(catalog, std::back_inserter(out),
                       [](const AcceleratorPart& part) { return part.host_link.starts_with("PCIe"); });
  return out;
}

/// One fit of a parameter set, with the inputs that all its steps share.
class ParameterFit {
 public:
  ParameterFit(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
               const std::vector<AcceleratorPart>& catalog)
      : measurements_(measurements), part_(part), catalog_(catalog) {
    for (const AcceleratorPart& other : catalog)
      if (other.id != part.id && same_die(other, part)) siblings_.push_back(&other);
  }

  ParameterSet run() {
    set_.name = file_name_of(part_);
    set_.accelerator = part_.id;
    name_users();
    GemmSet gemm = fit_gemm_set(measurements_, part_, siblings_, catalog_);
    add_reports(gemm.fits, set_);
    set_.power = power_estimates(gemm);
    set_.power.reference_power = part_.power;
    set_.gemm = std::move(gemm.gemm);
    fit_attentions();
    fit_device_memory();
    fit_collectives();
    set_.step = step_priors(architecture_of(part_));
    return std::move(set_);
  }

 private:
  /// Whether a part has a set of its own: its collectives inside a node are published.
  bool links_measured(const AcceleratorPart& part) const {
    return std::ranges::any_of(collective_rows(measurements_, part),
                               [](const CollectiveRow& row) { return row.group.domains == 1; });
  }

  /// Lists the parts that this set serves: same architecture, no measurements of their own, this data sheet nearest.
  void name_users() {
    for (const AcceleratorPart& user : catalog_) {
      if (user.id == part_.id || !may_serve(part_, user) || links_measured(user)) continue;
      const bool nearer = std::any_of(catalog_.begin(), catalog_.end(), [&](const AcceleratorPart& other) {
        return may_serve(other, user) && links_measured(other) &&
               sheet_distance(user, other) < sheet_distance(user, part_);
      });
      if (!nearer) set_.also_for.push_back(user.id);
    }
  }

  void fit_attentions() {
    const std::string architecture = architecture_of(part_);
    std::map<std::string, AttentionParameters> fitted;
    for (const char* family : {"flash-2", "cudnn"}) {
      auto rows = attention_rows(measurements_, part_, family);
      for (const AcceleratorPart* sibling : siblings_) {
        if (rows.size() >= enough_attention_rows) break;
        std::ranges::copy(attention_rows(measurements_, *sibling, family), std::back_inserter(rows));
      }
      fitted[family] = fit_attention(family, architecture, rows);
      add_reports({attention_report(family, architecture, rows, fitted[family])}, set_);
    }
    set_.attention = attention_families(fitted["flash-2"], fitted["cudnn"], architecture);
  }

  void fit_device_memory() {
    const auto streams = [&](const AcceleratorPart& part) { return memory_rows(measurements_, part); };
    const auto copies = [&](const AcceleratorPart& part) { return host_rows(measurements_, part); };
    const bool own = !streams(part_).empty();
    const std::vector<AcceleratorPart> pooled = pooled_parts(catalog_);
    const auto rows = own ? streams(part_) : rows_of_all(pooled, streams);
    const auto host = copies(part_).empty() ? rows_of_all(on_pcie(pooled), copies) : copies(part_);
    const std::string from = own ? part_.id : names_with_rows(pooled, streams) + " (generic)";
    set_.memory = fit_memory(rows, host, part_.memory_bandwidth.value, from);
    add_reports(memory_reports(rows, host, set_.memory, !own), set_);
  }

  void fit_collectives() {
    const CollectiveSet fitted = fit_collective_set(measurements_, part_, catalog_, siblings_);
    set_.collectives = fitted.collectives;
    set_.network = fitted.network;
    add_reports(fitted.fits, set_);
  }

  const std::vector<Measurement>& measurements_;
  const AcceleratorPart& part_;
  const std::vector<AcceleratorPart>& catalog_;
  std::vector<const AcceleratorPart*> siblings_;
  ParameterSet set_;
};

/// Attention on hardware without measurements of it.
void generic_attention(const std::vector<Measurement>& measurements, const std::vector<AcceleratorPart>& catalog,
                       ParameterSet& set) {
  const auto rows =
      rows_of_all(catalog, [&](const AcceleratorPart& part) { return attention_rows(measurements, part, "flash-2"); });
  // Generations differ by more than a mean of so few could show: the prior between them stands.
  const AttentionParameters flash = fit_attention("flash-2", "", {});
  set.attention = attention_families(flash, fit_attention("cudnn", "", {}), "");
  add_reports({attention_generic_report("flash-2", rows, flash)}, set);
}

void generic_memory(const std::vector<Measurement>& measurements, const std::vector<AcceleratorPart>& catalog,
                    ParameterSet& set) {
  const auto streams = [&](const AcceleratorPart& part) { return memory_rows(measurements, part); };
  const auto copies = [&](const AcceleratorPart& part) { return host_rows(measurements, part); };
  const auto rows = rows_of_all(catalog, streams), host = rows_of_all(on_pcie(catalog), copies);
  set.memory = fit_memory(rows, host, usual_bandwidth, names_with_rows(catalog, streams));
  add_reports(memory_reports(rows, host, set.memory, true), set);
}

/// Vendors of parts with measured multiplies.
std::vector<std::string> measured_vendors(const std::vector<Measurement>& measurements,
                                          const std::vector<AcceleratorPart>& catalog) {
  std::set<std::string> vendors;
  for (const AcceleratorPart& part : catalog)
    if (!gemm_rows(measurements, part, "bf16").empty()) vendors.insert(part.vendor);
  return {vendors.begin(), vendors.end()};
}

}  // namespace

std::vector<AcceleratorPart> pooled_parts(const std::vector<AcceleratorPart>& catalog) {
  std::vector<AcceleratorPart> out;
  std::ranges::copy_if(catalog, std::back_inserter(out), [](const AcceleratorPart& part) {
    return part.scale_up_bandwidth && !part.peer_bandwidth && part.scale_up_kind.find("mesh") == std::string::npos;
  });
  return out;
}

bool same_die(const AcceleratorPart& a, const AcceleratorPart& b) {
  constexpr double rounding = 0.01;
  return same_architecture(a, b) && std::abs(bf16_peak(a) / bf16_peak(b) - 1) < rounding && a.multiprocessors &&
         b.multiprocessors && a.multiprocessors->value == b.multiprocessors->value;
}

bool may_serve(const AcceleratorPart& own, const AcceleratorPart& user) {
  return same_architecture(own, user) && links_match(own, user) && bf16_peak(user) > FlopsPerSecond{};
}

ParameterSet fit_parameters(const std::vector<Measurement>& measurements, const AcceleratorPart& part,
                            const std::vector<AcceleratorPart>& catalog) {
  if (!part.multiprocessors || part.memory_bandwidth.value <= BytesPerSecond{} || bf16_peak(part) <= FlopsPerSecond{})
    throw std::invalid_argument(part.id + " lacks multiprocessors, memory bandwidth or a 16-bit rate");
  return ParameterFit(measurements, part, catalog).run();
}

ParameterSet fit_generic_parameters(const std::vector<Measurement>& measurements,
                                    const std::vector<AcceleratorPart>& all) {
  const std::vector<AcceleratorPart> catalog = pooled_parts(all);
  ParameterSet set;
  set.name = "generic";
  GemmSet gemm = fit_generic_gemm(measurements, catalog);
  add_reports(gemm.fits, set);
  set.power = power_estimates(gemm);
  set.gemm = std::move(gemm.gemm);
  generic_attention(measurements, catalog, set);
  generic_memory(measurements, catalog, set);
  const CollectiveSet links = fit_generic_set(measurements, catalog);
  set.collectives = links.collectives;
  set.network = links.network;
  add_reports(links.fits, set);
  set.step = step_priors("");
  set.pooled_vendors = measured_vendors(measurements, catalog);
  return set;
}

}  // namespace clusterwright
