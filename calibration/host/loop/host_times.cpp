// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/loop/host_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "calibration/fit/gemm_fit.hpp"
#include "calibration/fit/sample_rows.hpp"
#include "calibration/host/host_machine.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t enough_alike = 5;  // multiplies for a band of their own

/// Names that plan_kernels gives the kernels of ElementKernels, and what they compute.
constexpr std::array<std::pair<std::string_view, StreamingKernel>, 7> sampled_kernels = {
    {{"embedding", StreamingKernel::embedding},
     {"rms_norm", StreamingKernel::norm},
     {"residual", StreamingKernel::residual},
     {"gelu", StreamingKernel::activation},
     {"softmax", StreamingKernel::softmax},
     {"cross_entropy", StreamingKernel::loss},
     {"adam", StreamingKernel::optimizer}}};

ConfigError lacking(const std::string& what) {
  return ConfigError({"E0341",
                      fmt::format("the samples of this host hold no {}", what),
                      {},
                      "",
                      "take them again: clusterwright calibrate run --only host"});
}

const GemmFormat& fp32() {
  return *measured_gemm_format("fp32");
}

std::vector<SampleRow<GemmRow>> multiplies(const ProbeSamples& samples, const AcceleratorPart& part) {
  auto rows = gemm_samples({samples}, part, fp32());
  if (rows.size() < 8) throw lacking("fp32 multiplies of one thread");
  return rows;
}

void fit_multiplies(const ProbeSamples& samples, const AcceleratorPart& part, HostTimes& out) {
  const auto rows = multiplies(samples, part);
  const auto fit = [](const std::vector<GemmRow>& some) { return fit_gemm(some, "own samples"); };
  const auto error = [](const GemmRow& row, const GemmParameters& p) { return gemm_log_error(row, p); };
  const SectionFit judged = judge({"gemm/fp32", 0, 0, 1, "", ""}, rows, "own samples", fit, error);
  std::vector<GemmRow> all;
  for (const auto& row : rows) all.push_back(row.row);
  out.parameters.gemm["fp32"] = fit(all);
  out.multiplies = judged.residuals;
}

/// Kernel and pass of a sample, if a step has such a one.
std::optional<StreamedWork> streamed_work(const ProbedKernel& what) {
  const auto kernel = std::find_if(sampled_kernels.begin(), sampled_kernels.end(),
                                   [&](const auto& one) { return one.first == what.kernel; });
  const auto pass = std::find(kernel_pass_names.begin(), kernel_pass_names.end(), what.pass);
  if (kernel == sampled_kernels.end() || pass == kernel_pass_names.end()) return std::nullopt;
  return StreamedWork{kernel->second, static_cast<KernelPass>(pass - kernel_pass_names.begin())};
}

KernelCurves read_kernels(const ProbeSamples& samples) {
  KernelCurves out;
  for (const ProbeSample& sample : samples.samples) {
    const auto* what = std::get_if<ProbedKernel>(&sample.what);
    const auto work = what ? streamed_work(*what) : std::nullopt;
    if (work) out[*work].points.emplace_back(sample.bytes, statistics_of(sample.repetitions).median);
  }
  for (auto& [work, curve] : out) std::sort(curve.points.begin(), curve.points.end());
  return out;
}

/// The largest stream tells the rate, the smallest round trip the start.
LoopbackTimes read_loopback(const ProbeSamples& samples) {
  LoopbackTimes out;
  Bytes largest, smallest;
  for (const ProbeSample& sample : samples.samples) {
    const auto* transfer = std::get_if<ProbedTransfer>(&sample.what);
    if (!transfer || transfer->path != TransferPath::tcp_loopback) continue;
    const Seconds time = statistics_of(sample.repetitions).median;
    const bool streams = transfer->pattern == TransferPattern::stream;
    if (streams && sample.bytes > largest) {
      largest = sample.bytes;
      out.rate = sample.bytes / time;
    }
    if (!streams && (smallest <= Bytes{} || sample.bytes < smallest)) {
      smallest = sample.bytes;
      out.start = time;
    }
  }
  return out;
}

}  // namespace

double HostTimes::multiply_band(Seconds shortest) const {
  std::vector<double> like, all;
  for (const SampleResidual& one : multiplies) {
    all.push_back(one.error);
    if (one.measured >= shortest) like.push_back(one.error);
  }
  return summarise(like.size() >= enough_alike ? std::move(like) : std::move(all)).p90;
}

HostTimes host_times(const ProbeSamples& samples) {
  const ProbeSamples single = of_threads(samples, 1);
  HostTimes out;
  out.part = host_part(single);
  out.parameters.name = "own samples";
  out.parameters.kernels = read_kernels(single);
  fit_multiplies(single, out.part, out);
  out.loopback = read_loopback(single);
  if (out.loopback.rate <= BytesPerSecond{} || out.loopback.start <= Seconds{}) throw lacking("messages over loopback");
  return out;
}

}  // namespace clusterwright
