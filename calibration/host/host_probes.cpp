// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/host_probes.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <new>
#include <system_error>

#include "calibration/host/gemm_probe.hpp"
#include "calibration/host/kernel_probe.hpp"
#include "calibration/host/loading_probe.hpp"
#include "calibration/host/memory_probe.hpp"
#include "calibration/host/storage_probe.hpp"
#include "calibration/host/transfer_probe.hpp"

namespace clusterwright {

namespace {

/// Size in whole pages, so that threads share arrays of doubles evenly.
Bytes whole_pages(Bytes size) {
  constexpr double page = 12 * 4096;  // pages of up to three arrays
  return std::floor(size.in(byte) / page) * page * byte;
}

/// Sizes from the first-level cache on, by `step`; finer from two thirds of `largest`, where a fit reads the bandwidth
/// of memory.
std::vector<Bytes> memory_sizes(double step, Bytes largest) {
  std::vector<Bytes> out;
  for (Bytes size = 24 * kibibyte; size < 0.5 * largest; size *= step) out.push_back(size);
  for (const double share : {0.67, 0.78, 0.89, 1.0}) out.push_back(whole_pages(share * largest));
  return out;
}

std::vector<Bytes> message_sizes(double step) {
  const Bytes largest = 64 * mebibyte;
  std::vector<Bytes> out;
  for (Bytes size = 8 * byte; size < largest; size *= step) out.push_back(size);
  out.push_back(largest);
  return out;
}

Bytes largest_memory(double caches, const HostMachine& machine) {
  const Bytes wanted = std::clamp(caches * machine.device.l3, 128 * mebibyte, 4 * gibibyte);
  return machine.available > Bytes{} ? std::min(wanted, machine.available / 4) : std::min(wanted, 128 * mebibyte);
}

}  // namespace

HostProbeSizes host_probe_sizes(ProbeSuite suite, const HostMachine& machine) {
  HostProbeSizes out;
  out.threads = {1};
  if (machine.device.threads > 1) out.threads.push_back(machine.device.threads);
  if (suite == ProbeSuite::quick) {
    out.gemm = {64, 128, 256, 512, 1024};
    out.gemm64 = {64, 256, 512};
    out.tokens = {128, 512};
    out.memory = memory_sizes(8, largest_memory(3, machine));
    out.messages = message_sizes(16);
    out.kernel_rows = {96, 384};
    out.kernel_widths = {192, 768, 3072};
    out.softmax = {48, 96, 192};
    out.updated = {1'000'000, 8'000'000};
    return out;
  }
  out.gemm = {64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048};
  out.gemm64 = out.gemm;
  out.tokens = {16, 64, 128, 256, 512, 2048};  // one token is no GEMM of tiles on a host
  out.weight_gradients = true;
  out.memory = memory_sizes(2, largest_memory(6, machine));
  out.messages = message_sizes(4);
  out.kernel_rows = {24, 96, 384, 1536};
  out.kernel_widths = {192, 768, 3072};
  out.softmax = {24, 48, 96, 192, 384, 768};
  out.updated = {250'000, 1'000'000, 4'000'000, 16'000'000};
  out.file = 256 * mebibyte;
  return out;
}

namespace {

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
}

std::filesystem::path usual_folder() {
  std::error_code failed;
  const auto folder = std::filesystem::temp_directory_path(failed);
  return failed ? std::filesystem::path("/tmp") : folder;
}

/// Reason why `attempt` failed, without paths of the machine; empty if it succeeded.
template <class Attempt>
std::string reason_of(Attempt attempt) {
  try {
    attempt();
  } catch (const ProbeFailure& failure) {
    return failure.what();
  } catch (const std::bad_alloc&) {
    return "out of memory";
  } catch (const std::system_error& error) {
    return error.code().message();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

}  // namespace

HostProbes::HostProbes(HostProbeOptions options)
    : options_(std::move(options)),
      machine_(find_host_machine()),
      sizes_(options_.sizes.value_or(host_probe_sizes(options_.suite, machine_))) {
  std::erase_if(sizes_.threads, [this](std::int64_t threads) { return threads > machine_.device.threads; });
  if (options_.folder.empty()) options_.folder = usual_folder();
}

std::vector<HostProbes::Family> HostProbes::families() const {
  return {{ProbedGemm::probe, 0.2, [this] { return plan_gemm(sizes_); }},
          {ProbedMemory::probe, 0.5, [this] { return plan_memory(sizes_); }},
          {ProbedKernel::probe, 0.1, [this] { return plan_kernels(sizes_); }},
          {ProbedTransfer::probe, 0.1, [this] { return plan_transfer(sizes_); }},
          {ProbedStorage::probe, 0.05, [this] { return plan_storage(sizes_, options_.folder); }},
          {ProbedLoading::probe, 0.05, [this] { return plan_loading(sizes_, options_.folder); }}};
}

void HostProbes::run_case(const PlannedCase& planned, Seconds own, const TimeBudget& all, ProbeSamples& out) const {
  std::optional<ProbeSample> sample;
  const std::string reason = reason_of([&] { sample = measure_case(planned, {}, own, all); });
  if (sample && options_.on_sample) options_.on_sample(*sample);
  if (sample)
    out.samples.push_back(std::move(*sample));
  else
    out.skipped.push_back({probe_name(planned.what), encode_what(planned.what), reason});
}

void HostProbes::run_family(const Family& family, const TimeBudget& budget, ProbeSamples& out) const {
  constexpr double evenly =
      0.4;  // share of the time that is split evenly; the last cases are the longest and need the rest
  std::vector<PlannedCase> plan;
  if (const std::string reason = reason_of([&] { plan = family.plan(); }); !reason.empty())
    out.skipped.push_back({std::string(family.probe), JsonValue::object(), reason});
  for (std::size_t i = 0; i < plan.size(); ++i) {
    run_case(plan[i], evenly * budget.left() / static_cast<double>(plan.size() - i), budget, out);
    plan[i].build = nullptr;  // frees what the cases of a kind shared
  }
}

ProbeSamples HostProbes::run() {
  ProbeSamples out{"clusterwright host probe", utc_now(), options_.suite, machine_.device, {}, {}, {}};
  const Seconds usual = (options_.suite == ProbeSuite::quick ? 45 : 240) * second;
  const TimeBudget all(options_.budget.value_or(usual));
  double weight_left = 1;
  for (const Family& family : families()) {
    run_family(family, all.part(family.weight / weight_left), out);
    weight_left -= family.weight;
  }
  return out;
}

}  // namespace clusterwright
