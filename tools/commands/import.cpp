// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "models/job/hf_config.hpp"
#include "models/job/scenario_loader.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"
#include "tools/import/nccl_tests.hpp"
#include "tools/import/topology_cluster.hpp"
#include "tools/output/output_text.hpp"
#include "tools/standard_streams.hpp"
#include "tools/typed_text.hpp"
#include "topology/parts/catalog.hpp"

namespace clusterwright {

namespace {

constexpr std::size_t shown_reasons = 5;

/// "24 samples of all_reduce", and why rows are missing.
std::string counts_text(const ProbeSamples& samples) {
  std::map<std::string, int> by_operation;
  for (const ProbeSample& sample : samples.samples) ++by_operation[std::get<ProbedCollective>(sample.what).operation];
  std::string text;
  for (const auto& [operation, count] : by_operation) text += fmt::format("{} samples of {}\n", count, operation);
  std::map<std::string, int> reasons;
  for (const auto* list : {&samples.skipped, &samples.failed})
    for (const SkippedProbe& one : *list) ++reasons[one.reason];
  std::size_t shown = 0;
  for (const auto& [reason, count] : reasons)
    if (shown++ < shown_reasons) text += fmt::format("{} not used: {}\n", count, printable(reason));
  return text;
}

std::string json_text(const JsonValue& document) {
  return write_json(document) + "\n";
}

std::optional<Transport> transport_of(const std::string& typed) {
  if (typed.empty()) return std::nullopt;
  return static_cast<Transport>(parse_choice("--transport", typed, {transport_names.begin(), transport_names.end()}));
}

/// What the user can check, and what is not in the file.
std::string summary(const HfImport& imported) {
  std::string text = fmt::format("{} ({}): {}\n", printable(imported.transformer.name), imported.family,
                                 parameter_text(imported.transformer));
  if (!imported.assumed.empty())
    text += fmt::format("assumed (defaults of the library): {}\n", fmt::join(imported.assumed, ", "));
  for (const std::string& note : imported.notes) text += note + "\n";
  return text;
}

}  // namespace

ExitCode import_nccl_tests(const ImportNcclTestsRequest& request) {
  const auto targets = output_targets(request.output, {OutputFormat::json});
  const ProbeSamples samples = read_nccl_tests(request.file, {request.date, request.operation});
  if (!request.output.quiet) write_error(counts_text(samples));
  if (samples.samples.empty()) {
    write_error("error: the log has no usable row; nothing was written\n");
    return ExitCode::impossible;
  }
  deliver(targets, request.output.quiet, [&](OutputFormat) { return json_text(write_probe_samples(samples)); });
  if (!request.output.quiet && !request.output.files.empty())
    write_error(
        fmt::format("Next: clusterwright calibrate fit {} -o parameters.json   (with --cluster FILE if the log spans "
                    "several nodes)\n",
                    printable(request.output.files.front())));
  return ExitCode::ok;
}

ExitCode import_nccl_topology(const ImportTopologyRequest& request) {
  const auto targets = output_targets(request.output, {OutputFormat::json});
  ClusterImport options{request.accelerator, request.nic, 0, transport_of(request.transport), request.name};
  if (!request.nodes.empty()) options.nodes = parse_count({"--nodes", request.nodes});
  const Catalog catalog = load_catalog(configs_directory() / "parts");
  const JsonValue cluster = cluster_of(read_nccl_topology(request.file), options, catalog);
  if (const JsonValue* source = cluster.find("source"); source && !request.output.quiet)
    write_error(printable(source->as_text()) + "\n");
  deliver(targets, request.output.quiet, [&](OutputFormat) { return json_text(cluster); });
  if (!request.output.quiet && !request.output.files.empty())
    write_error(fmt::format("Next: clusterwright collective {}\n", printable(request.output.files.front())));
  return ExitCode::ok;
}

ExitCode import_hf_config_file(const ImportHfConfigRequest& request) {
  const auto targets = output_targets(request.output, {OutputFormat::json});
  const HfImport imported = import_hf_config(read_json_file(request.file), request.name);
  if (!request.output.quiet) write_error(summary(imported));
  JsonValue document = JsonValue::object({{"$schema", "transformer.schema.json"}});
  for (const auto& [key, value] : imported.document.members()) document.set(key, value);
  deliver(targets, request.output.quiet, [&](OutputFormat) { return json_text(document); });
  return ExitCode::ok;
}

}  // namespace clusterwright
