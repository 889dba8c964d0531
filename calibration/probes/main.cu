// gpu_probe: microbenchmarks of one GPU as one JSON document of raw samples.

#include <algorithm>
#include <cstdio>

#include "device_info.hpp"
#include "probes.hpp"

namespace clusterwright::probes {
namespace {

enum ExitCode { done = 0, lost = 1, usage = 2, time_limit = 4, no_device = 5 };

std::string probe_names() {
  std::string names;
  for (const Probe& probe : all_probes()) names += std::string(names.empty() ? "" : ", ") + probe.name;
  return names;
}

std::vector<Probe> chosen_probes(const Options& options) {
  const auto named = [&](const std::string& name) { return std::find(options.only.begin(), options.only.end(), name) != options.only.end(); };
  std::vector<Probe> chosen;
  for (const Probe& probe : all_probes()) {
    if (options.only.empty() || named(probe.name)) chosen.push_back(probe);
  }
  for (const std::string& name : options.only) {
    const bool known = std::any_of(chosen.begin(), chosen.end(), [&](const Probe& probe) { return name == probe.name; });
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
  } catch (const SampleFailed& failure) {
    context.report.error(probe.name, "setup", failure.what());
  } catch (const std::bad_alloc&) {
    context.report.skip(probe.name, "all", "out of memory: host");
  }
}

/// Each probe gets its weight's share of what is left, so an early one that ends soon leaves its time to the rest.
/// Returns false when time ran out anywhere.
bool run_probes(Context& context, const std::vector<Probe>& probes) {
  bool in_time = true;
  double weight_left = 0;
  for (const Probe& probe : probes) weight_left += probe.time_weight;
  for (const Probe& probe : probes) {
    const double now_s = context.watchdog.elapsed_s(), samples = static_cast<double>(context.report.sample_count());
    context.probe_deadline_s = now_s + std::max(0.0, context.watchdog.left_s()) * probe.time_weight / weight_left;
    weight_left -= probe.time_weight;
    run_probe(context, probe);
    in_time = in_time && !context.out_of_time();
    context.report.write();
    std::fprintf(stderr, "gpu_probe: %-12s %6.1f s %6.0f samples\n", probe.name, context.watchdog.elapsed_s() - now_s,
                 static_cast<double>(context.report.sample_count()) - samples);
  }
  return in_time;
}

ExitCode run_on_device(const Options& options, const std::vector<Probe>& probes, Report& report) {
  static Nvml nvml;   // outlives a sampler that a cut run leaves behind
  Watchdog watchdog(report, 60 * options.minutes);
  const DeviceFacts facts = open_device(options.device);
  const std::string nvml_problem = nvml.open(pci_bus_id(options.device));
  report.set_device(device_json(options.device, facts, nvml, nvml_problem));
  const Stream stream;
  Context context{options, report, watchdog, nvml, facts, stream.get(), 0};
  try {
    return run_probes(context, probes) ? done : time_limit;
  } catch (const DeviceLost& loss) {
    report.error("device", "lost", loss.what());
    std::fprintf(stderr, "gpu_probe: the device was lost: %s\n", loss.what());
    return lost;
  }
}

ExitCode run(const Options& options) {
  const std::vector<Probe> probes = chosen_probes(options);
  if (options.help) return std::fputs(usage_text(), stdout), done;
  if (options.list) {
    for (const Probe& probe : probes) std::printf("%-12s %s\n", probe.name, probe.summary);
    return done;
  }
  Report report(options.out, options.suite());
  try {
    report.write();   // a path that cannot be written is said now, not after an hour
  } catch (const std::runtime_error& error) {
    throw UsageError(std::string("--out: ") + error.what());
  }
  ExitCode code = done;
  try {
    code = run_on_device(options, probes, report);
  } catch (const NoDevice& reason) {
    for (const Probe& probe : probes) report.skip(probe.name, "all", "no usable GPU");
    report.error("device", "open", reason.what());
    std::fprintf(stderr, "gpu_probe: %s\n", reason.what());
    code = no_device;
  }
  report.write(true);
  return code;
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
