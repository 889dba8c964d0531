// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "calibration/host/host_probes.hpp"
#include "calibration/host/loop/host_prediction.hpp"
#include "calibration/host/loop/host_step.hpp"
#include "calibration/host/loop/part_clock.hpp"
#include "calibration/sample_files/probe_samples.hpp"
#include "sim/json_writer.hpp"
#include "tools/calibration/sample_session.hpp"
#include "tools/commands/commands.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/output_text.hpp"
#include "tools/output/result_context.hpp"
#include "tools/output/result_table.hpp"
#include "tools/standard_streams.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

constexpr double noticeable = 0.05;         // a change of speed worth a line
constexpr Seconds patience = 120 * second;  // for all steps of one number of processes

/// One number of processes: what was said before, and what happened.
struct LoopRow {
  int processes;
  HostStepPrediction predicted;
  HostStepTimes measured;
  Seconds step;  ///< median of the measured ones

  bool inside() const { return step >= predicted.low && step <= predicted.high; }
};

struct LoopAnswer {
  HostModel model;
  std::vector<LoopRow> rows;
  std::vector<InputFile> inputs;
  std::optional<double> slowdown;  ///< of the machine between its samples and the end of the runs
};

constexpr int most_processes = 64;
constexpr int most_repetitions = 10000;

HostModel model_of(const CalibrateLoopRequest& request) {
  constexpr std::int64_t head = 64;
  HostModel model;
  const std::string small = "the step is a small model that a host runs in seconds";
  model.layers = parse_count({"--layers", request.layers}, 256, small);
  model.hidden = parse_count({"--hidden", request.hidden}, 8192, small);
  if (model.hidden % head != 0) throw option_error("--hidden", request.hidden, "must be a multiple of 64", "write 256");
  model.heads = model.hidden / head;
  model.ffn = 4 * model.hidden;
  model.vocabulary = 4096;
  model.sequence = 128;
  model.sequences = parse_count({"--sequences", request.sequences}, 1024, small);
  return model;
}

/// Of a file or folder; else taken now.
ProbeSamples samples_of(const CalibrateLoopRequest& request, std::vector<InputFile>& inputs) {
  if (request.samples.empty()) {
    if (!request.output.quiet) write_error("measuring this host, about 45 s\n");
    HostProbeOptions options;
    options.on_sample = [](const ProbeSample&) { stop_if_interrupted(); };
    return HostProbes(options).run();
  }
  SampleSession session = open_samples({{request.samples}, "", "", 1});
  if (session.samples.front().device.kind != ProbeDeviceKind::host)
    throw option_error("--samples", request.samples, "contains samples of a GPU", "name those of the host: host.json");
  inputs = session.inputs;
  return session.samples.front();
}

Seconds median(std::vector<Seconds> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

bool same_gemm(const ProbeSample& one, const ProbeSample& other) {
  const auto *gemm = std::get_if<ProbedGemm>(&one.what), *again = std::get_if<ProbedGemm>(&other.what);
  return gemm && again && same_problem(*gemm, *again);
}

/// Multiplies that stand for the machine's speed, taken again: their time over that in `samples`, in the middle.
std::optional<double> slowdown_since(const ProbeSamples& samples) {
  HostProbeOptions options;
  options.budget = 5 * second;
  options.sizes = HostProbeSizes{};
  options.sizes->threads = {1};
  options.sizes->gemm = {256, 512};
  options.sizes->tokens = {128};
  options.sizes->file = 1 * mebibyte;
  std::vector<double> ratios;
  const ProbeSamples now = HostProbes(options).run();
  for (const ProbeSample& again : now.samples)
    for (const ProbeSample& one : samples.samples)
      if (same_gemm(one, again))
        ratios.push_back(statistics_of(again.repetitions).median / statistics_of(one.repetitions).median);
  if (ratios.empty()) return std::nullopt;
  std::sort(ratios.begin(), ratios.end());
  return ratios[ratios.size() / 2];
}

LoopAnswer answer(const CalibrateLoopRequest& request) {
  LoopAnswer out{model_of(request), {}, {}, {}};
  const int most = parse_count({"--processes", request.processes}, most_processes,
                               "every count from 1 to N is run, each process with memory of its own");
  const int repetitions = parse_count({"--repetitions", request.repetitions}, most_repetitions, "11 give a median");
  const ProbeSamples samples = samples_of(request, out.inputs);
  const HostTimes costs = host_times(samples);
  for (int processes = 1; processes <= most; ++processes) {
    LoopRow row{processes, predict_host_step(out.model, processes, costs), {}, {}};
    row.measured = run_host_steps(out.model, processes, repetitions, patience);
    row.step = median(row.measured.steps);
    out.rows.push_back(std::move(row));
    stop_if_interrupted();
  }
  out.slowdown = slowdown_since(samples);
  return out;
}

ResultTable parts_table(const LoopRow& row) {
  ResultTable table{fmt::format("{} process{}", row.processes, row.processes == 1 ? "" : "es"),
                    {{"part", "Part", "", 1, -1, Alignment::left},
                     {"predicted_ms", "Predicted", "ms"},
                     {"measured_ms", "Measured", "ms"},
                     {"error", "Error", "%", 100, 1}},
                    {}};
  const auto add = [&](const std::string& name, Seconds predicted, Seconds measured) {
    const bool any = measured > Seconds{} && predicted > Seconds{};
    table.rows.push_back(
        {name, predicted.in(millisecond), measured.in(millisecond), any ? Cell(predicted / measured - 1) : Cell()});
  };
  for (const char* part : step_part_names) {
    const bool reduces = std::string(part) == "all_reduce";
    if (reduces && row.processes == 1) continue;
    // The last process to come waits for no other: what it sees is the transfer.
    add(part, row.predicted.parts.at(part), reduces ? row.measured.all_reduce_of_last : row.measured.parts.at(part));
  }
  add("step", row.predicted.step, row.step);
  return table;
}

std::string sentence(const LoopRow& row) {
  const auto [low, high] = std::minmax_element(row.measured.steps.begin(), row.measured.steps.end());
  return fmt::format(
      "The predicted 90 % interval is {} to {} ms. The measured {} ms are {} it (single steps: {} to {} ms).\n",
      significant_text(row.predicted.low.in(millisecond)), significant_text(row.predicted.high.in(millisecond)),
      significant_text(row.step.in(millisecond)), row.inside() ? "inside" : "outside",
      significant_text(low->in(millisecond)), significant_text(high->in(millisecond)));
}

std::string as_text(const LoopAnswer& out, std::string (*render)(const ResultTable&)) {
  const HostModel& m = out.model;
  std::string text = fmt::format(
      "A decoder of {} layers, hidden {}, {} heads, ffn {}, vocabulary {}; {} sequences of {} tokens per process, "
      "fp32\n\n",
      m.layers, m.hidden, m.heads, m.ffn, count_text(m.vocabulary), m.sequences, m.sequence);
  for (const LoopRow& row : out.rows) text += render(parts_table(row)) + "\n" + sentence(row) + "\n";
  if (out.slowdown && std::abs(*out.slowdown - 1) > noticeable)
    text += fmt::format(
        "This machine was not steady: after the runs its GEMMs took {} of the time that they took when sampled.\n",
        percent_text(*out.slowdown, 0));
  if (out.rows.size() < 2) return text;
  const LoopRow &one = out.rows.front(), &last = out.rows.back();
  return text + fmt::format(
                    "Weak scaling from 1 to {} processes keeps {} (predicted) and {} (measured) of the throughput per "
                    "process.\n",
                    last.processes, percent_text(one.predicted.step / last.predicted.step),
                    percent_text(one.step / last.step));
}

JsonValue as_json(const LoopAnswer& out) {
  JsonValue document = result_header("calibrate loop", 0, out.inputs);
  JsonValue rows = JsonValue::list();
  for (const LoopRow& row : out.rows) {
    JsonValue parts = JsonValue::object();
    for (const char* part : step_part_names)
      parts.set(part, JsonValue::object({{"predicted_s", row.predicted.parts.at(part).in(second)},
                                         {"measured_s", row.measured.parts.at(part).in(second)}}));
    rows.push_back(JsonValue::object({{"processes", row.processes},
                                      {"predicted_s", row.predicted.step.in(second)},
                                      {"low", row.predicted.low.in(second)},
                                      {"high", row.predicted.high.in(second)},
                                      {"measured_s", row.step.in(second)},
                                      {"inside", row.inside()},
                                      {"parts", std::move(parts)}}));
  }
  document.set("rows", std::move(rows));
  document.set("slowdown", out.slowdown ? JsonValue(*out.slowdown) : JsonValue());
  return document;
}

}  // namespace

ExitCode calibrate_loop(const CalibrateLoopRequest& request) {
  const auto targets =
      output_targets(request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::markdown});
  try {
    const LoopAnswer out = answer(request);
    deliver(targets, request.output.quiet, [&](OutputFormat format) {
      if (format == OutputFormat::json) return write_json(as_json(out)) + "\n";
      return format == OutputFormat::markdown ? "# Host loop\n\n" + as_text(out, render_markdown)
                                              : as_text(out, render_text);
    });
    return ExitCode::ok;
  } catch (const ProbeFailure& failure) {
    write_error(fmt::format("error: the step cannot run on this machine: {}\n", printable(failure.what())));
    return ExitCode::impossible;
  }
}

}  // namespace clusterwright
