// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <map>

#include "calibration/host/host_probes.hpp"
#include "sim/json_writer.hpp"
#include "tools/calibration/gpu_probe_run.hpp"
#include "tools/commands/commands.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"
#include "tools/standard_streams.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr auto save_every = std::chrono::seconds(2);
constexpr auto stopped = "interrupted: samples of this device are missing";

/// What became of the probes of one device.
struct DeviceRun {
  std::string device;  ///< "host", "gpu0"
  std::string name;    ///< of the hardware
  fs::path file;       ///< of its samples; empty: there are none
  std::optional<ProbeSamples> samples;
  std::string reason;  ///< why there is nothing, or not all
};

/// Host samples so far, saved while more are taken: an interrupted run keeps them.
class SavedSamples {
 public:
  SavedSamples(fs::path file, const ProbeDevice& device, ProbeSuite suite) : file_(std::move(file)) {
    so_far_.tool = "clusterwright host probe";
    so_far_.suite = suite;
    so_far_.device = device;
  }

  void add(const ProbeSample& sample) {
    so_far_.samples.push_back(sample);
    if (interrupted()) so_far_.skipped.push_back({probe_name(sample.what), JsonValue::object(), stopped});
    if (interrupted() || Clock::now() - saved_ >= save_every) save(so_far_);
    stop_if_interrupted();
  }
  const ProbeSamples& so_far() const { return so_far_; }
  void save(const ProbeSamples& samples) {
    write_file(file_, write_json(write_probe_samples(samples)) + "\n");
    saved_ = Clock::now();
  }

 private:
  fs::path file_;
  ProbeSamples so_far_;
  Clock::time_point saved_ = Clock::now();
};

std::optional<Seconds> budget_of(const CalibrateRunRequest& request) {
  if (request.budget.empty()) return std::nullopt;
  return parse_duration({"--budget", request.budget});
}

DeviceRun probe_host(const CalibrateRunRequest& request, ProbeSuite suite) {
  HostProbeOptions options;
  options.suite = suite;
  options.budget = budget_of(request);
  options.folder = request.scratch;
  DeviceRun run{"host", "", fs::path(request.folder) / "host.json", {}, ""};
  SavedSamples saved(run.file, find_host_machine().device, suite);
  std::size_t count = 0;
  options.on_sample = [&](const ProbeSample& sample) {
    if (!request.output.quiet && ++count % 20 == 0) write_error(fmt::format("host: {} samples\n", count));
    saved.add(sample);
  };
  HostProbes probes(options);
  try {
    run.samples = probes.run();
    saved.save(*run.samples);
  } catch (const Interrupted&) {
    run.samples = saved.so_far();
    run.reason = stopped;
  }
  run.name = run.samples->device.cpu;
  return run;
}

DeviceRun probe_gpu(const CalibrateRunRequest& request, ProbeSuite suite) {
  const int device = static_cast<int>(parse_seed({"--device", request.device}));
  DeviceRun run{fmt::format("gpu{}", device), "", fs::path(request.folder) / fmt::format("gpu{}.json", device), {}, ""};
  const auto program = find_gpu_probe();
  if (!program) {
    run.reason = "gpu_probe is not built; on a GPU node: " + gpu_probe_build_line();
    return run;
  }
  GpuProbeOutcome outcome =
      run_gpu_probe({*program, suite, device, budget_of(request), run.file, request.output.quiet});
  run.reason = outcome.reason;
  if (outcome.samples) run.name = outcome.samples->device.name;
  run.samples = std::move(outcome.samples);
  return run;
}

bool has_samples(const DeviceRun& run) {
  return run.samples && !run.samples->samples.empty();
}

/// One line per probe: how many samples, and why others are missing.
ResultTable probes_table(const std::vector<DeviceRun>& runs) {
  ResultTable table{"",
                    {words_column("device", "Device"),
                     words_column("probe", "Probe"),
                     {"samples", "Samples", ""},
                     {"skipped", "Skipped", ""},
                     words_column("reason", "Why")},
                    {}};
  for (const DeviceRun& run : runs) {
    if (!run.samples || run.samples->samples.empty()) {
      std::string why = run.reason;
      for (const std::string& probe : gpu_probe_names()) {
        table.rows.push_back({run.device, probe, std::int64_t{0}, "all", why});
        why = why.empty() ? why : "the same";
      }
      continue;
    }
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> counts;
    std::map<std::string, std::string> reasons;
    for (const ProbeSample& sample : run.samples->samples) ++counts[probe_name(sample.what)].first;
    for (const auto* list : {&run.samples->skipped, &run.samples->failed})
      for (const SkippedProbe& one : *list) {
        ++counts[one.probe].second;
        reasons.emplace(one.probe, one.reason);
      }
    for (const auto& [probe, count] : counts)
      table.rows.push_back({run.device, probe, count.first, count.second, reasons[probe]});
    if (!run.reason.empty()) table.rows.push_back({run.device, "", {}, {}, run.reason});
  }
  return table;
}

std::string as_text(const std::vector<DeviceRun>& runs, const std::string& folder) {
  std::string text = render_text(probes_table(runs)) + "\n";
  bool any = false;
  for (const DeviceRun& run : runs) {
    if (!has_samples(run)) continue;
    any = true;
    text += fmt::format("{} ({}): {}\n", run.device, printable(run.name), printable(run.file.string()));
  }
  return text + (any ? fmt::format("\nNext: clusterwright calibrate fit {}\n", folder) : "");
}

JsonValue as_json(const std::vector<DeviceRun>& runs) {
  JsonValue document = result_header("calibrate run", 0, {});
  JsonValue list = JsonValue::list();
  for (const DeviceRun& run : runs)
    list.push_back(
        JsonValue::object({{"device", run.device},
                           {"name", run.name},
                           {"file", has_samples(run) ? JsonValue(run.file.string()) : JsonValue()},
                           {"samples", static_cast<std::int64_t>(run.samples ? run.samples->samples.size() : 0)},
                           {"skipped", static_cast<std::int64_t>(run.samples ? run.samples->skipped.size() : 0)},
                           {"reason", run.reason.empty() ? JsonValue() : JsonValue(run.reason)}}));
  document.set("interrupted", interrupted());
  document.set("devices", std::move(list));
  return document;
}

void prepare(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder))
    throw option_error("--folder", folder, "cannot be created or written", "name a folder that you can write to");
}

bool wants(const CalibrateRunRequest& request, const char* device) {
  return request.only.empty() || request.only == device;
}

}  // namespace

ExitCode calibrate_run(const CalibrateRunRequest& request) {
  const auto targets = output_targets(
      request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv, OutputFormat::markdown});
  const auto suite = static_cast<ProbeSuite>(parse_choice("--suite", request.suite, {"quick", "full"}));
  if (!request.only.empty()) parse_choice("--only", request.only, {"host", "gpu"});
  if (!request.require.empty()) parse_choice("--require", request.require, {"gpu"});
  budget_of(request);  // a wrong one is said before anything is made
  parse_seed({"--device", request.device});
  prepare(request.folder);
  std::vector<DeviceRun> runs;
  // The GPU first: where one is required and missing, nobody waits for the host.
  if (wants(request, "gpu")) runs.push_back(probe_gpu(request, suite));
  const bool required = !request.require.empty() || request.only == "gpu";
  const bool missing = required && !interrupted() && (runs.empty() || !has_samples(runs.front()));
  if (!missing && !interrupted() && wants(request, "host")) runs.push_back(probe_host(request, suite));
  deliver(targets, request.output.quiet, [&](OutputFormat format) {
    if (format == OutputFormat::json) return write_json(as_json(runs)) + "\n";
    if (format == OutputFormat::csv) return render_csv(probes_table(runs));
    if (format == OutputFormat::markdown) return "# Probes\n\n" + render_markdown(probes_table(runs));
    return as_text(runs, request.folder);
  });
  if (interrupted()) {
    write_error("interrupted: the samples so far are kept\n");
    return ExitCode::interrupted;
  }
  if (!missing) return ExitCode::ok;
  write_error(fmt::format("error: {}: this machine has no GPU to measure: {}\n",
                          request.require.empty() ? "--only gpu" : "--require gpu",
                          runs.empty() ? "--only host excludes GPUs" : printable(runs.front().reason)));
  return ExitCode::missing;
}

}  // namespace clusterwright
