// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/command_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>

#include "tools/commands/commands.hpp"
#include "tools/config_kinds.hpp"

namespace clusterwright {

namespace {

/// The parser that commands are added to.
struct CommandAdder {
  CLI::App& root;
  const std::string& typed;
  Action& action;

  /// A command whose options fill a request of type R.
  template <class R>
  std::pair<CLI::App*, std::shared_ptr<R>> add(const std::string& name, const std::string& help,
                                               ExitCode (*command)(const R&)) {
    return add_to(root, name, help, command);
  }

  /// The same below another command.
  template <class R>
  std::pair<CLI::App*, std::shared_ptr<R>> add_to(CLI::App& parent, const std::string& name, const std::string& help,
                                                  ExitCode (*command)(const R&)) {
    CLI::App* const app = parent.add_subcommand(name, help);
    app->allow_extras();
    auto request = std::make_shared<R>();
    app->callback([&action = action, request, command] { action = [request, command] { return command(*request); }; });
    return {app, request};
  }
};

void add_output(CLI::App& app, OutputRequest& output, const std::string& formats) {
  app.add_option("--format", output.format, formats)->type_name("FORMAT");
  app.add_option("-o,--output", output.files, "write to FILE; the suffix gives the format; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_flag("--quiet", output.quiet, "no progress and no notes");
}

void add_settings(CLI::App& app, std::vector<std::string>& settings, std::string& parameters) {
  app.add_option("--set", settings, "path=value, such as job.parallel.tensor=4; repeatable")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  app.add_option("--parameters", parameters, "fitted parameters to use")->type_name("FILE");
}

void add_scenario(CLI::App& app, ScenarioRequest& request, const char* name = "SCENARIO") {
  app.add_option(name, request.scenario, std::string(name) == "SCENARIO" ? "scenario file" : "blueprint file");
  add_settings(app, request.settings, request.parameters);
  app.add_option("--seed", request.seed, "of everything random")->type_name("N")->capture_default_str();
  app.add_option("--threads", request.threads, "at most so many; results do not depend on it")->type_name("N");
}

constexpr auto all_formats = "table, json, csv, md or html";
constexpr auto data_formats = "table, json, csv or md";

void add_computing(CommandAdder& line) {
  const auto [run_app, run_request] = line.add<RunRequest>("run", "one step: time, throughput, memory, power", run);
  add_scenario(*run_app, run_request->scenario);
  add_output(*run_app, run_request->output, all_formats);
  run_app->add_option("--timeline", run_request->timeline, "write a trace for ui.perfetto.dev")->type_name("FILE");
  run_app->add_flag("--explain", run_request->explain, "say where every number comes from");
  run_request->scenario.command_line = line.typed;

  const auto [scale_app, scale_request] =
      line.add<ScaleRequest>("scale", "the efficiency curve over cluster sizes", scale);
  add_scenario(*scale_app, scale_request->scenario);
  add_output(*scale_app, scale_request->output, all_formats);
  scale_app->add_option("--gpus", scale_request->gpus, "8..16384x2, 8..64+8 or 8,16,32")->type_name("RANGE");
  scale_app->add_option("--mode", scale_request->mode, "strong keeps the global batch, weak the batch per replica")
      ->type_name("strong|weak")
      ->capture_default_str();
  scale_request->scenario.command_line = line.typed;
}

void add_size(CommandAdder& line) {
  const auto [app, r] = line.add<SizeRequest>("size", "racks, cables, power, cooling and money of a cluster", size);
  add_scenario(*app, r->scenario);
  app->add_option("--prices", r->prices, "name in configs/prices or a file; the scenario's, or default, if not given")
      ->type_name("LIST");
  add_output(*app, r->output, all_formats);
  r->scenario.command_line = line.typed;
}

void add_auditing(CommandAdder& line) {
  const auto [app, request] =
      line.add<AuditRequest>("audit", "what a published blueprint claims: recomputed, claim by claim", audit);
  add_scenario(*app, request->blueprint, "BLUEPRINT");
  add_output(*app, request->output, all_formats);
  request->blueprint.command_line = line.typed;
}

void add_collective_traffic(CLI::App& app, CollectiveCommandRequest& r) {
  app.add_option("--gpus", r.gpus, "ranks of one group; all if not given")->type_name("N");
  app.add_option("--concurrent", r.concurrent, "groups that run the op at once")->type_name("K|all");
  app.add_option("--placement", r.placement, "contiguous, rail, scattered, shuffled, hostlist or optimised")
      ->type_name("POLICY")
      ->capture_default_str();
  app.add_option("--hosts", r.hosts, "Slurm hostlist: gpu[001-004,7]")->type_name("LIST");
  app.add_option("--stride", r.stride, "GPUs between neighbours of a group, such as the tensor-parallel degree")
      ->type_name("N");
  app.add_option("--algorithm", r.algorithm, "instead of NCCL's choice: ring, tree, nvls_tree, ...")->type_name("A");
  app.add_option("--protocol", r.protocol, "instead of NCCL's choice: LL, LL128 or Simple")->type_name("P");
}

void add_experts(CLI::App& app, CollectiveCommandRequest& r) {
  app.add_option("--experts", r.experts, "routed experts of dispatch and combine; 256 if not given")->type_name("N");
  app.add_option("--top-k", r.top_k, "experts of one token; 8 if not given")->type_name("N");
  app.add_option("--domain-limit", r.domain_limit, "nodes, or racks that act as one, that a token may go to")
      ->type_name("N");
  app.add_option("--imbalance", r.imbalance, "coefficient of variation of the experts' popularity")->type_name("CV");
}

void add_collective(CommandAdder& line) {
  const auto [app, r] =
      line.add<CollectiveCommandRequest>("collective", "what nccl-tests would print on a cluster", collective);
  app->add_option("CLUSTER", r->cluster, "cluster or scenario file");
  app->add_option("--op", r->op,
                  "all_reduce, all_gather, reduce_scatter, broadcast, all_to_all, send, dispatch or combine")
      ->type_name("OP")
      ->capture_default_str();
  app->add_option("--bytes", r->bytes, "as nccl-tests counts them, k M G of 1024: 8..8Gx2 or 1M,64M")
      ->type_name("RANGE")
      ->capture_default_str();
  add_collective_traffic(*app, *r);
  add_experts(*app, *r);
  app->add_option("--fail", r->failures, "spine:2, leaf:0-spine:1, node:5.3; with =0.5 slow instead; repeatable")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  app->add_option("--routing", r->routing, "hash, spray, valiant or adaptive; the fabric's if not given")
      ->type_name("HOW");
  app->add_option("--queue-pairs", r->queue_pairs, "of one pair of NICs; each hashes to a path of its own")
      ->type_name("N")
      ->capture_default_str();
  app->add_flag("--sharp", r->sharp, "switches between nodes may reduce");
  add_settings(*app, r->settings, r->parameters);
  app->add_option("--seed", r->seed, "of hashed paths and scattered nodes")->type_name("N")->capture_default_str();
  add_output(*app, r->output, "table, json, csv, md or nccl-tests");
}

void add_judging(CommandAdder& line) {
  const auto [app, r] = line.add<ValidateRequest>("validate", "predicted against measured, case by case", validate);
  app->add_option("--cases", r->cases, "files of measurements; all that are shipped if not given")
      ->type_name("FILE")
      ->allow_extra_args(true);
  app->add_flag("--cross", r->cross, "also fit without what is predicted");
  app->add_option("--parameters", r->parameters, "instead of the shipped ones of the accelerator they were fitted for")
      ->type_name("FILE");
  app->add_option("--max-error", r->max_error, "exit with 3 if the median of a family is above it, as 0.15")
      ->type_name("SHARE");
  app->add_option("--threads", r->threads, "at most so many; results do not depend on it")->type_name("N");
  r->command_line = line.typed;
  add_output(*app, r->output, all_formats);
}

void add_probing(CommandAdder& line, CLI::App& calibrate) {
  const auto [run_app, probes] = line.add_to<CalibrateRunRequest>(
      calibrate, "run", "microbenchmarks of this machine, raw samples kept", calibrate_run);
  run_app->add_option("--suite", probes->suite, "how much")->type_name("quick|full")->capture_default_str();
  run_app->add_option("--require", probes->require, "exit with 5 if there is none")->type_name("gpu");
  run_app->add_option("--only", probes->only, "leave the other out")->type_name("host|gpu");
  run_app->add_option("--folder", probes->folder, "for samples, a file for each device")
      ->type_name("FOLDER")
      ->capture_default_str();
  run_app->add_option("--scratch", probes->scratch, "folder on the storage to probe; the system's temporary one")
      ->type_name("FOLDER");
  run_app->add_option("--budget", probes->budget, "time for each device, such as 5min")->type_name("TIME");
  run_app->add_option("--device", probes->device, "index of the GPU")->type_name("N")->capture_default_str();
  add_output(*run_app, probes->output, data_formats);
}

void add_fitting(CommandAdder& line, CLI::App& calibrate) {
  const auto [fit_app, fit] = line.add_to<CalibrateFitRequest>(
      calibrate, "fit", "parameters from samples, judged on held-back ones", calibrate_fit);
  fit_app->add_option("SAMPLES", fit->files, "files of samples, or folders of them");
  fit_app->add_option("--accelerator", fit->accelerator, "catalog id; by the driver's name if not given")
      ->type_name("ID");
  fit_app->add_option("--base", fit->base, "parameters that stand before the samples do; as `run` would take")
      ->type_name("FILE");
  fit_app->add_option("--name", fit->name, "of the new parameters")->type_name("NAME");
  fit_app->add_option("--cluster", fit->cluster, "that collectives were logged on: cluster or scenario file")
      ->type_name("FILE");
  fit_app->add_option("--threads", fit->threads, "of a host's samples; the most that ran")->type_name("N");
  fit_app->add_flag("--keep-poor", fit->keep_poor, "keep what was known where a fit is poor, instead of refusing");
  add_output(*fit_app, fit->output, "table, json (the parameters), csv or md");
}

void add_loop(CommandAdder& line, CLI::App& calibrate) {
  const auto [loop_app, loop] = line.add_to<CalibrateLoopRequest>(
      calibrate, "loop", "a small training step of this host: predicted, then run", calibrate_loop);
  loop_app->add_option("--samples", loop->samples, "of this host; taken now if not given")->type_name("FILE");
  loop_app->add_option("--processes", loop->processes, "data-parallel, one and up to so many")
      ->type_name("N")
      ->capture_default_str();
  loop_app->add_option("--repetitions", loop->repetitions, "steps whose median counts")
      ->type_name("N")
      ->capture_default_str();
  loop_app->add_option("--layers", loop->layers, "of the model")->type_name("N")->capture_default_str();
  loop_app->add_option("--hidden", loop->hidden, "width of the model, a multiple of 64")
      ->type_name("N")
      ->capture_default_str();
  loop_app->add_option("--sequences", loop->sequences, "of 128 tokens in the batch of a process")
      ->type_name("N")
      ->capture_default_str();
  add_output(*loop_app, loop->output, "table, json or md");
}

void add_showing(CommandAdder& line, CLI::App& calibrate) {
  const auto [show_app, show] = line.add_to<CalibrateShowRequest>(
      calibrate, "show", "how well parameters predict samples and published benchmarks", calibrate_show);
  show_app->add_option("FILE", show->files, "a parameter file, samples, or both");
  show_app->add_option("--accelerator", show->accelerator, "catalog id; by the driver's name if not given")
      ->type_name("ID");
  show_app->add_option("--cluster", show->cluster, "that collectives were logged on: cluster or scenario file")
      ->type_name("FILE");
  show_app->add_option("--threads", show->threads, "of a host's samples; the most that ran")->type_name("N");
  add_output(*show_app, show->output, data_formats);
}

void add_calibrating(CommandAdder& line) {
  CLI::App& calibrate = *line.root.add_subcommand("calibrate", "probe this machine, fit parameters, look at them");
  calibrate.require_subcommand(0, 1);
  calibrate.allow_extras();
  add_probing(line, calibrate);
  add_fitting(line, calibrate);
  add_loop(line, calibrate);
  add_showing(line, calibrate);
}

void add_importing(CommandAdder& line) {
  CLI::App& import =
      *line.root.add_subcommand("import", "files of other programs: models, nccl-tests, NCCL's topology");
  import.require_subcommand(0, 1);
  import.allow_extras();

  const auto [log_app, log] = line.add_to<ImportNcclTestsRequest>(
      import, "nccl-tests", "output of all_reduce_perf and its kin, as samples for `calibrate fit`", import_nccl_tests);
  log_app->add_option("FILE", log->file, "text, or the JSON of -J");
  log_app->add_option("--op", log->operation, "where the log does not say: all_reduce, all_gather, ...")
      ->type_name("OP");
  log_app->add_option("--date", log->date, "of the run, UTC: 2026-11-21T21:04:06Z")->type_name("TIME");
  add_output(*log_app, log->output, "json");

  const auto [topology_app, topology] = line.add_to<ImportTopologyRequest>(
      import, "nccl-topology", "a node as NCCL saw it (NCCL_TOPO_DUMP_FILE), as a cluster file", import_nccl_topology);
  topology_app->add_option("FILE", topology->file, "XML");
  topology_app->add_option("--accelerator", topology->accelerator, "catalog id, where the file fits several")
      ->type_name("ID");
  topology_app->add_option("--nic", topology->nic, "catalog id of the network cards")->type_name("ID");
  topology_app->add_option("--nodes", topology->nodes, "alike; those of the file if not given")->type_name("N");
  topology_app->add_option("--transport", topology->transport, "between nodes: infiniband, roce or ethernet")
      ->type_name("HOW");
  topology_app->add_option("--name", topology->name, "of the cluster")->type_name("TEXT");
  add_output(*topology_app, topology->output, "json");

  const auto [model_app, model] = line.add_to<ImportHfConfigRequest>(
      import, "hf-config", "a model's config.json of Hugging Face, as a transformer", import_hf_config_file);
  model_app->add_option("FILE", model->file, "config.json");
  model_app->add_option("--name", model->name, "of the transformer")->type_name("TEXT");
  add_output(*model_app, model->output, "json");
}

void add_looking(CommandAdder& line) {
  const auto [check_app, check_request] = line.add<CheckRequest>("check", "whether files are valid", check);
  check_app->add_option("FILE", check_request->files,
                        "scenario, cluster, transformer, stack, parameters, catalog, steps or blueprint");
  check_app->add_flag("--quiet", check_request->quiet, "errors only");

  const auto [show_app, show_request] =
      line.add<ShowRequest>("show", "a file with references and defaults filled in", show);
  show_app->add_option("FILE", show_request->file, "scenario, cluster or another configuration file");
  show_app->add_flag("--topology", show_request->topology,
                     "switches, cables, diameter and bisection, also of a scenario's cluster");
  show_app
      ->add_option("--fail", show_request->failures, "the topology without spine:2, leaf:0-spine:1, ...; repeatable")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  add_settings(*show_app, show_request->settings, show_request->parameters);
  add_output(*show_app, show_request->output, "table, json, csv, md or dot");

  const auto [catalog_app, catalog_request] =
      line.add<CatalogRequest>("catalog", "parts and software stacks, with the sources of their numbers", catalog);
  catalog_app->add_option("SECTION", catalog_request->section,
                          "accelerators, nics, switches, cables, nodes, sources or stacks");
  catalog_app->add_option("ID", catalog_request->id, "one entry, with every fact");
  add_output(*catalog_app, catalog_request->output, data_formats);
}

void add_learning(CommandAdder& line) {
  const auto [init_app, init_request] = line.add<InitRequest>("init", "write a starter scenario with comments", init);
  init_app->add_option("NAME", init_request->name, "of the new file");
  init_app->add_option("--from", init_request->from, "a shipped scenario")
      ->type_name("SCENARIO")
      ->capture_default_str();
  init_app->add_flag("--quiet", init_request->quiet, "no notes");

  const auto [schema_app, schema_request] = line.add<SchemaRequest>("schema", "JSON Schema of a kind of file", schema);
  schema_app
      ->add_option("KIND", schema_request->kind,
                   fmt::format("one of {}; what is printed holds every type that it needs, while the files in "
                               "configs/schema share types.schema.json",
                               fmt::join(config_kind_names(), ", ")))
      ->capture_default_str();

  const auto [explain_app, explain_request] =
      line.add<ExplainRequest>("explain", "what a field or an error code means", explain);
  explain_app->add_option("TOPIC", explain_request->topic, "job.parallel.tensor, E0203, errors");

  const auto [doctor_app, doctor_request] =
      line.add<DoctorRequest>("doctor", "what is on this machine, and what it can be used for", doctor);
  add_output(*doctor_app, doctor_request->output, "table, json or md");

  const auto [version_app, version_request] =
      line.add<VersionRequest>("version", "what this program was built from", version);
  add_output(*version_app, version_request->output, "table or json");
}

}  // namespace

void add_commands(CLI::App& root, const std::string& typed, Action& action) {
  CommandAdder line{root, typed, action};
  add_computing(line);
  add_size(line);
  add_auditing(line);
  add_collective(line);
  add_judging(line);
  add_calibrating(line);
  add_importing(line);
  add_looking(line);
  add_learning(line);
}

}  // namespace clusterwright
