// SPDX-License-Identifier: Apache-2.0
// gpu_probe: microbenchmarks of one GPU as one JSON document of raw samples.

#include <algorithm>
#include <cstdio>

#include "device_info.hpp"
#include "probes.hpp"
#include "rank_channel.hpp"

namespace clusterwright::probes {
namespace {

enum ExitCode { done = 0, lost = 1, usage = 2, time_limit = 4, no_device = 5 };

std::string probe_names() {
  std::string names;
  for (const Probe& probe : all_probes()) names += std::string(names.empty() ? "" : ", ") + probe.name;
  return names;
}

std::vector<Probe> chosen_probes(const Options& options) {
  const auto named = [&](const std::string& name) {
    return std::find(options.only.begin(), options.only.end(), name) != options.only.end();
  };
  std::vector<Probe> chosen;
  for (const Probe& probe : all_probes()) {
    if (options.only.empty() || named(probe.name)) chosen.push_back(probe);
  }
  for (const std::string& name : options.only) {
    const bool known =
        std::any_of(chosen.begin(), chosen.end(), [&](const Probe& probe) { return name == probe.name; });
    if (!known) throw UsageError("--only: unknown probe \"" + name + "\"; known: " + probe_names());
  }
  return chosen;
}

void run_probe(Context& context, const Probe& probe) {
  context.watchdog.set_activity(probe.name, "setup");
  try {
    probe.run(context);
  } catch (const NotPossible& reason) {
    context.report.skip(probe.name, "all", reason.what());
  } catch (const std::bad_alloc&) {
    context.report.skip(probe.name, "all", "out of memory: host");
  } catch (const DeviceLost&) {
    throw;
  } catch (const std::exception& failure) {
    context.report.error(probe.name, "setup", failure.what());
  }
}

void run_in_its_share(Context& context, const Probe& probe, double share) {
  const double now_s = context.watchdog.elapsed_s();
  const std::size_t samples = context.report.sample_count();
  context.probe_deadline_s = now_s + std::max(0.0, context.watchdog.left_s()) * share;
  if (context.out_of_time()) {
    context.report.skip(probe.name, "all", "time limit: --minutes is used");
    context.cut_short = true;
    return;
  }
  run_probe(context, probe);
  context.report.checkpoint();
  std::fprintf(stderr, "gpu_probe: %-12s %6.1f s %6zu samples\n", probe.name, context.watchdog.elapsed_s() - now_s,
               context.report.sample_count() - samples);
}

/// Each probe gets its weight's share of what is left, so an early one that ends soon leaves its time to the rest.
ExitCode run_probes(Context& context, const std::vector<Probe>& probes) {
  double weight_left = 0;
  for (const Probe& probe : probes) weight_left += probe.time_weight;
  for (std::size_t i = 0; i < probes.size(); ++i) {
    try {
      run_in_its_share(context, probes[i], probes[i].time_weight / weight_left);
    } catch (const DeviceLost& loss) {
      std::fprintf(stderr, "gpu_probe: the device was lost: %s\n", loss.what());
      context.report.error("device", "lost", loss.what());
      for (++i; i < probes.size(); ++i) context.report.skip(probes[i].name, "all", "the device was lost");
      return lost;
    }
    weight_left -= probes[i].time_weight;
  }
  return context.cut_short ? time_limit : done;
}

ExitCode run_on_device(const Options& options, const std::vector<Probe>& probes, Report& report) {
  static Nvml nvml;  // outlives a sampler that a cut run leaves behind
  Watchdog watchdog(report, 60 * options.minutes);
  const DeviceFacts facts = open_device(options.device);
  const std::string nvml_problem = nvml.open(pci_bus_id(options.device));
  report.set_device(device_json(options.device, facts, nvml, nvml_problem));
  const Stream stream;
  Context context{options, report, watchdog, nvml, facts, stream.get()};
  return run_probes(context, probes);
}

ExitCode refuse_device(const std::vector<Probe>& probes, Report& report, const char* reason, ExitCode code) {
  for (const Probe& probe : probes) report.skip(probe.name, "all", "no usable GPU");
  report.error("device", "open", reason);
  std::fprintf(stderr, "gpu_probe: %s\n", reason);
  return code;
}

ExitCode run_all(const Options& options, const std::vector<Probe>& probes) {
  Report report(options.out, options.suite());
  try {
    report.write();  // a path that cannot be written is said now, not after an hour
  } catch (const std::runtime_error& error) {
    throw UsageError(std::string("--out: ") + error.what());
  }
  ExitCode code = done;
  try {
    code = run_on_device(options, probes, report);
  } catch (const UsageError&) {
    throw;
  } catch (const NoDevice& reason) {
    code = refuse_device(probes, report, reason.what(), no_device);
  } catch (const std::exception& error) {
    code = refuse_device(probes, report, error.what(), lost);
  }
  report.write(true);
  return code;
}

int run(const Options& options) {
  if (options.rank > 0) return run_rank(options.rank, options.ranks, options.device);
  const std::vector<Probe> probes = chosen_probes(options);
  if (options.help) {
    std::fputs(usage_text(), stdout);
    return done;
  }
  if (!options.list) return run_all(options, probes);
  for (const Probe& probe : probes) std::printf("%-12s %s\n", probe.name, probe.summary);
  return done;
}

}  // namespace
}  // namespace clusterwright::probes

int main(int argc, char** argv) {
  using namespace clusterwright::probes;
  try {
    return run(parse_options(argc, argv));
  } catch (const UsageError& error) {
    std::fprintf(stderr, "gpu_probe: %s\n", error.what());
    return usage;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_probe: %s\n", error.what());
    return lost;
  }
}
