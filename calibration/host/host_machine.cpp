// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/host_machine.hpp"

#include <unistd.h>
#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "calibration/fit/sample_rows.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

std::string contents(const char* path) {
  std::ifstream file(path);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

/// Calls found(key, value) for each "key : value" line.
template <class Found>
void for_each_line(std::string_view text, Found found) {
  const auto trimmed = [](std::string_view word) {
    const std::size_t begin = word.find_first_not_of(" \t"), end = word.find_last_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view() : word.substr(begin, end - begin + 1);
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (const std::size_t colon = line.find(':'); colon != std::string_view::npos)
      found(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)));
  }
}

Bytes available_memory() {
  Bytes out;
  for_each_line(contents("/proc/meminfo"), [&](std::string_view key, std::string_view value) {
    std::int64_t kibibytes = 0;
    std::from_chars(value.data(), value.data() + value.size(), kibibytes);
    if (key == "MemAvailable") out = static_cast<double>(kibibytes) * kibibyte;
  });
  return out;
}

Bytes configured(int name) {
  return static_cast<double>(std::max(sysconf(name), 0L)) * byte;
}

/// Size of the last-level cache: sysconf knows it on x86 only; sysfs writes "32768K".
Bytes last_level_cache() {
  if (const Bytes known = configured(_SC_LEVEL3_CACHE_SIZE); known > Bytes{}) return known;
  const std::string text = contents("/sys/devices/system/cpu/cpu0/cache/index3/size");
  std::int64_t kibibytes = 0;
  std::from_chars(text.data(), text.data() + text.size(), kibibytes);
  return static_cast<double>(kibibytes) * kibibyte;
}

}  // namespace

std::string cpu_model(std::string_view cpuinfo) {
  std::string out;
  for_each_line(cpuinfo, [&](std::string_view key, std::string_view value) {
    if (out.empty() && key == "model name") out = value;
  });
  return out.empty() ? "unknown" : out;
}

std::int64_t physical_cores(std::string_view cpuinfo) {
  std::set<std::pair<std::string, std::string>> cores;
  std::string package;
  for_each_line(cpuinfo, [&](std::string_view key, std::string_view value) {
    if (key == "physical id") package = value;
    if (key == "core id") cores.emplace(package, value);
  });
  return static_cast<std::int64_t>(cores.size());
}

HostMachine find_host_machine() {
  const std::string cpuinfo = contents("/proc/cpuinfo");
  HostMachine out;
  out.device.kind = ProbeDeviceKind::host;
  out.device.cpu = cpu_model(cpuinfo);
  out.device.threads = std::max(1u, std::thread::hardware_concurrency());
  const std::int64_t cores = physical_cores(cpuinfo);
  out.device.cores = cores > 0 ? cores : out.device.threads;
  out.device.memory = static_cast<double>(std::max(sysconf(_SC_PHYS_PAGES), 0L)) * configured(_SC_PAGESIZE);
  out.device.l3 = last_level_cache();
  out.available = available_memory();
  return out;
}

namespace {

FlopsPerSecond best_gemm(const ProbeSamples& samples) {
  FlopsPerSecond best;
  for (const ProbeSample& sample : samples.samples)
    if (const auto* gemm = std::get_if<ProbedGemm>(&sample.what); gemm && gemm->dtype == ProbedFormat::fp32)
      best = std::max(best, median_rate(sample));
  return best;
}

BytesPerSecond best_stream(const ProbeSamples& samples) {
  BytesPerSecond best;
  for (const auto& sample : memory_samples({samples})) best = std::max(best, sample.row.traffic / sample.row.time);
  return best;
}

}  // namespace

AcceleratorPart host_part(const ProbeSamples& samples) {
  const FlopsPerSecond rate = best_gemm(samples);
  const BytesPerSecond bandwidth = best_stream(samples);
  if (rate <= FlopsPerSecond{} || bandwidth <= BytesPerSecond{})
    throw ConfigError({"E0340",
                       "the samples of the host hold no fp32 multiplies, or no streams beyond its cache",
                       {},
                       "",
                       "probe again with more time: clusterwright calibrate run --suite full"});
  const std::string source = "best of own samples";
  AcceleratorPart part;
  part.id = "host";
  part.vendor = samples.device.cpu;
  part.peak_dense_tflops["fp32"] = {rate, source};
  part.memory = {samples.device.memory, source};
  part.memory_bandwidth = {bandwidth, source};
  part.multiprocessors = Sourced<int>{1, source};
  return part;
}

}  // namespace clusterwright
