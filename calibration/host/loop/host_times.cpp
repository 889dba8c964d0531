#include "calibration/host/loop/host_times.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibration/fit/gemm_fit.hpp"
#include "calibration/fit/sample_rows.hpp"
#include "calibration/host/host_part.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t enough_alike = 5;  // multiplies for a band of their own
constexpr const char* pass_names[] = {"forward", "backward", "update"};

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
  out.gemm = fit(all);
  out.device = all.front().device;
  out.multiplies = judged.residuals;
}

void read_kernels(const ProbeSamples& samples, HostTimes& out) {
  for (const ProbeSample& sample : samples.samples)
    if (const auto* what = std::get_if<ProbedKernel>(&sample.what))
      out.kernels[{what->kernel, what->pass}].points.emplace_back(sample.bytes,
                                                                  statistics_of(sample.repetitions).median);
  for (auto& [name, curve] : out.kernels) std::sort(curve.points.begin(), curve.points.end());
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

Seconds KernelCurve::time(Bytes bytes) const {
  const auto above =
      std::find_if(points.begin(), points.end(), [&](const auto& point) { return point.first >= bytes; });
  if (above == points.begin()) return points.front().second * (bytes / points.front().first);
  if (above == points.end()) return points.back().second * (bytes / points.back().first);
  const auto& [low_bytes, low_time] = *(above - 1);
  const double share = std::log(bytes / low_bytes) / std::log(above->first / low_bytes);
  return low_time * std::pow(above->second / low_time, share);
}

double HostTimes::multiply_band(Seconds shortest) const {
  std::vector<double> like, all;
  for (const SampleResidual& one : multiplies) {
    all.push_back(one.error);
    if (one.measured >= shortest) like.push_back(one.error);
  }
  return summarise(like.size() >= enough_alike ? std::move(like) : std::move(all)).p90;
}

Seconds HostTimes::time(const HostGemm& one) const {
  const GemmStorage storage{fp32().bytes_a * byte, fp32().bytes_b * byte, fp32().bytes_a * byte};
  const GemmTiming cost = gemm_time({one.m, one.n, one.k}, device, gemm, storage, 1);
  return cost.time + cost.fixed;
}

Seconds HostTimes::time(const HostKernel& kernel) const {
  const auto found = kernels.find({kernel.name, pass_names[static_cast<std::size_t>(kernel.pass)]});
  if (found == kernels.end())
    throw lacking(fmt::format("{} kernel, {}", kernel.name, pass_names[static_cast<std::size_t>(kernel.pass)]));
  return found->second.time(kernel.bytes);
}

HostTimes host_times(const ProbeSamples& samples) {
  const ProbeSamples single = of_threads(samples, 1);
  HostTimes out;
  fit_multiplies(single, host_part(single), out);
  read_kernels(single, out);
  out.loopback = read_loopback(single);
  if (out.loopback.rate <= BytesPerSecond{} || out.loopback.start <= Seconds{}) throw lacking("messages over loopback");
  return out;
}

}  // namespace clusterwright
