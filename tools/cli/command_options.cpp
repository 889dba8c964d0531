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
  app.add_option("--format", output.format, "output format: " + formats)->type_name("FORMAT");
  app.add_option("-o,--output", output.files, "write to FILE; its suffix selects the format; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_flag("--quiet", output.quiet, "print no progress and no notes");
}

void add_settings(CLI::App& app, std::vector<std::string>& settings, std::string& parameters) {
  app.add_option("--set", settings, "override a field, for example job.parallel.tensor=4; repeatable")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  app.add_option("--parameters", parameters, "file of fitted parameters (default: the one for the accelerator)")
      ->type_name("FILE");
}

void add_scenario(CLI::App& app, ScenarioRequest& request, const char* name = "SCENARIO") {
  app.add_option(name, request.scenario, std::string(name) == "SCENARIO" ? "scenario file" : "blueprint file");
  add_settings(app, request.settings, request.parameters);
  app.add_option("--seed", request.seed, "random seed")->type_name("N")->capture_default_str();
  app.add_option("--threads", request.threads, "maximum number of threads (does not change results)")->type_name("N");
}

constexpr auto all_formats = "table, json, csv, md or html";
constexpr auto data_formats = "table, json, csv or md";

void add_computing(CommandAdder& line) {
  const auto [run_app, run_request] =
      line.add<RunRequest>("run", "predict one step: time, throughput, memory and power", run);
  add_scenario(*run_app, run_request->scenario);
  add_output(*run_app, run_request->output, all_formats);
  run_app->add_option("--timeline", run_request->timeline, "write a timeline that ui.perfetto.dev can open")
      ->type_name("FILE");
  run_app->add_flag("--explain", run_request->explain, "print the origin of every number");
  run_request->scenario.command_line = line.typed;

  const auto [scale_app, scale_request] =
      line.add<ScaleRequest>("scale", "predict throughput and efficiency over a range of cluster sizes", scale);
  add_scenario(*scale_app, scale_request->scenario);
  add_output(*scale_app, scale_request->output, all_formats);
  scale_app->add_option("--gpus", scale_request->gpus, "cluster sizes: 8..16384x2, 8..64+8 or 8,16,32")
      ->type_name("RANGE");
  scale_app
      ->add_option("--mode", scale_request->mode, "strong: constant global batch; weak: constant batch per replica")
      ->type_name("strong|weak")
      ->capture_default_str();
  scale_request->scenario.command_line = line.typed;
}

void add_size(CommandAdder& line) {
  const auto [app, r] =
      line.add<SizeRequest>("size", "plan the site of a cluster: racks, cables, power, cooling and cost", size);
  add_scenario(*app, r->scenario);
  app->add_option("--prices", r->prices,
                  "price list: name in configs/prices, or a file (default: the scenario's list, else \"default\")")
      ->type_name("LIST");
  add_output(*app, r->output, all_formats);
  r->scenario.command_line = line.typed;
}

void add_auditing(CommandAdder& line) {
  const auto [app, request] = line.add<AuditRequest>("audit", "recompute each claim of a published blueprint", audit);
  add_scenario(*app, request->blueprint, "BLUEPRINT");
  add_output(*app, request->output, all_formats);
  request->blueprint.command_line = line.typed;
}

void add_collective_traffic(CLI::App& app, CollectiveCommandRequest& r) {
  app.add_option("--gpus", r.gpus, "ranks of one group (default: all accelerators)")->type_name("N");
  app.add_option("--concurrent", r.concurrent, "number of groups that run the operation at the same time (default: 1)")
      ->type_name("K|all");
  app.add_option("--placement", r.placement,
                 "placement of ranks: contiguous, rail, scattered, shuffled, hostlist or optimised")
      ->type_name("POLICY")
      ->capture_default_str();
  app.add_option("--hosts", r.hosts, "nodes of the group as a Slurm hostlist, for example gpu[001-004,7]")
      ->type_name("LIST");
  app.add_option("--stride", r.stride,
                 "distance between neighbours of a group in GPUs, for example the tensor-parallel degree")
      ->type_name("N");
  app.add_option("--algorithm", r.algorithm, "algorithm that replaces NCCL's choice: ring, tree, nvls_tree, ...")
      ->type_name("A");
  app.add_option("--protocol", r.protocol, "protocol that replaces NCCL's choice: LL, LL128 or Simple")->type_name("P");
}

void add_experts(CLI::App& app, CollectiveCommandRequest& r) {
  app.add_option("--experts", r.experts, "number of routed experts of dispatch and combine (default: 256)")
      ->type_name("N");
  app.add_option("--top-k", r.top_k, "experts per token (default: 8)")->type_name("N");
  app.add_option("--domain-limit", r.domain_limit,
                 "maximum number of nodes, or of racks that act as one, that a token is sent to")
      ->type_name("N");
  app.add_option("--imbalance", r.imbalance, "coefficient of variation of the experts' popularity")->type_name("CV");
}

void add_collective(CommandAdder& line) {
  const auto [app, r] =
      line.add<CollectiveCommandRequest>("collective", "predict what nccl-tests would print on a cluster", collective);
  app->add_option("CLUSTER", r->cluster, "cluster or scenario file");
  app->add_option("--op", r->op,
                  "operation: all_reduce, all_gather, reduce_scatter, broadcast, all_to_all, send, dispatch or combine")
      ->type_name("OP")
      ->capture_default_str();
  app->add_option("--bytes", r->bytes,
                  "message sizes as nccl-tests counts them (k, M and G of 1024): 8..8Gx2 or 1M,64M")
      ->type_name("RANGE")
      ->capture_default_str();
  add_collective_traffic(*app, *r);
  add_experts(*app, *r);
  app->add_option(
         "--fail", r->failures,
         "failed switch, cable or NIC: spine:2, leaf:0-spine:1, node:5.3; with =0.5 it keeps half its rate; repeatable")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  app->add_option("--routing", r->routing, "routing: hash, spray, valiant or adaptive (default: the fabric's)")
      ->type_name("HOW");
  app->add_option("--queue-pairs", r->queue_pairs, "queue pairs of one pair of NICs; each hashes to its own path")
      ->type_name("N")
      ->capture_default_str();
  app->add_flag("--sharp", r->sharp, "let switches between nodes reduce (SHARP)");
  add_settings(*app, r->settings, r->parameters);
  app->add_option("--seed", r->seed, "random seed of hashed paths and scattered nodes")
      ->type_name("N")
      ->capture_default_str();
  add_output(*app, r->output, "table, json, csv, md or nccl-tests");
}

void add_judging(CommandAdder& line) {
  const auto [app, r] =
      line.add<ValidateRequest>("validate", "compare predictions with published measurements, case by case", validate);
  app->add_option("--cases", r->cases, "files of measurements (default: all shipped files)")
      ->type_name("FILE")
      ->allow_extra_args(true);
  app->add_flag("--cross", r->cross, "repeat the fits with the predicted rows held out");
  app->add_option("--parameters", r->parameters, "parameter file that replaces the shipped one of its accelerator")
      ->type_name("FILE");
  app->add_option("--max-error", r->max_error,
                  "exit with 3 if the median error of a family is above this share, for example 0.15")
      ->type_name("SHARE");
  app->add_option("--threads", r->threads, "maximum number of threads (does not change results)")->type_name("N");
  r->command_line = line.typed;
  add_output(*app, r->output, all_formats);
}

void add_probing(CommandAdder& line, CLI::App& calibrate) {
  const auto [run_app, probes] = line.add_to<CalibrateRunRequest>(
      calibrate, "run", "run microbenchmarks on this machine and keep the raw samples", calibrate_run);
  run_app->add_option("--suite", probes->suite, "number and length of the measurements")
      ->type_name("quick|full")
      ->capture_default_str();
  run_app->add_option("--require", probes->require, "exit with 5 if this machine has no such device")->type_name("gpu");
  run_app->add_option("--only", probes->only, "measure only this device")->type_name("host|gpu");
  run_app->add_option("--folder", probes->folder, "folder for the samples, one file per device")
      ->type_name("FOLDER")
      ->capture_default_str();
  run_app
      ->add_option("--scratch", probes->scratch,
                   "folder on the storage to measure (default: the system's temporary folder)")
      ->type_name("FOLDER");
  run_app->add_option("--budget", probes->budget, "time limit per device, for example 5min")->type_name("TIME");
  run_app->add_option("--device", probes->device, "index of the GPU")->type_name("N")->capture_default_str();
  add_output(*run_app, probes->output, data_formats);
}

void add_fitting(CommandAdder& line, CLI::App& calibrate) {
  const auto [fit_app, fit] = line.add_to<CalibrateFitRequest>(
      calibrate, "fit", "fit parameters to samples and judge them on held-out samples", calibrate_fit);
  fit_app->add_option("SAMPLES", fit->files, "sample files, or folders of sample files");
  fit_app
      ->add_option("--accelerator", fit->accelerator, "catalog id (default: found by the name that the driver reports)")
      ->type_name("ID");
  fit_app->add_option("--base", fit->base, "parameter file used as the prior (default: the one that `run` would take)")
      ->type_name("FILE");
  fit_app->add_option("--name", fit->name, "name of the new parameter set")->type_name("NAME");
  fit_app->add_option("--cluster", fit->cluster, "cluster on which collectives were logged: cluster or scenario file")
      ->type_name("FILE");
  fit_app->add_option("--threads", fit->threads, "thread count whose host samples are used (default: the largest)")
      ->type_name("N");
  fit_app->add_flag("--keep-poor", fit->keep_poor,
                    "keep the prior of a section whose fit is poor, instead of refusing the file");
  add_output(*fit_app, fit->output, "table, json (the parameters), csv or md");
}

void add_loop(CommandAdder& line, CLI::App& calibrate) {
  const auto [loop_app, loop] = line.add_to<CalibrateLoopRequest>(
      calibrate, "loop", "predict a small training step on this host, then run it", calibrate_loop);
  loop_app->add_option("--samples", loop->samples, "samples of this host (default: taken now)")->type_name("FILE");
  loop_app
      ->add_option("--processes", loop->processes,
                   "largest number of data-parallel processes; every number from 1 on is run")
      ->type_name("N")
      ->capture_default_str();
  loop_app->add_option("--repetitions", loop->repetitions, "number of measured steps; their median is reported")
      ->type_name("N")
      ->capture_default_str();
  loop_app->add_option("--layers", loop->layers, "layers of the model")->type_name("N")->capture_default_str();
  loop_app->add_option("--hidden", loop->hidden, "width of the model, a multiple of 64")
      ->type_name("N")
      ->capture_default_str();
  loop_app->add_option("--sequences", loop->sequences, "sequences of 128 tokens in the batch of one process")
      ->type_name("N")
      ->capture_default_str();
  add_output(*loop_app, loop->output, "table, json or md");
}

void add_showing(CommandAdder& line, CLI::App& calibrate) {
  const auto [show_app, show] = line.add_to<CalibrateShowRequest>(
      calibrate, "show", "compare parameters with samples and published microbenchmarks", calibrate_show);
  show_app->add_option("FILE", show->files, "parameter file, sample files, or both");
  show_app
      ->add_option("--accelerator", show->accelerator,
                   "catalog id (default: found by the name that the driver reports)")
      ->type_name("ID");
  show_app->add_option("--cluster", show->cluster, "cluster on which collectives were logged: cluster or scenario file")
      ->type_name("FILE");
  show_app->add_option("--threads", show->threads, "thread count whose host samples are used (default: the largest)")
      ->type_name("N");
  add_output(*show_app, show->output, data_formats);
}

void add_calibrating(CommandAdder& line) {
  CLI::App& calibrate = *line.root.add_subcommand("calibrate", "measure this machine, fit parameters and inspect them");
  calibrate.require_subcommand(0, 1);
  calibrate.allow_extras();
  add_probing(line, calibrate);
  add_fitting(line, calibrate);
  add_loop(line, calibrate);
  add_showing(line, calibrate);
}

void add_importing(CommandAdder& line) {
  CLI::App& import =
      *line.root.add_subcommand("import", "convert files of other programs: models, nccl-tests logs, NCCL topologies");
  import.require_subcommand(0, 1);
  import.allow_extras();

  const auto [log_app, log] = line.add_to<ImportNcclTestsRequest>(
      import, "nccl-tests", "convert the output of all_reduce_perf and its siblings into samples for `calibrate fit`",
      import_nccl_tests);
  log_app->add_option("FILE", log->file, "log file: text, or JSON written by -J");
  log_app->add_option("--op", log->operation, "operation, if the log does not name it: all_reduce, all_gather, ...")
      ->type_name("OP");
  log_app->add_option("--date", log->date, "date of the run in UTC, for example 2026-11-21T21:04:06Z")
      ->type_name("TIME");
  add_output(*log_app, log->output, "json");

  const auto [topology_app, topology] = line.add_to<ImportTopologyRequest>(
      import, "nccl-topology", "convert the node that NCCL wrote to NCCL_TOPO_DUMP_FILE into a cluster file",
      import_nccl_topology);
  topology_app->add_option("FILE", topology->file, "XML file");
  topology_app->add_option("--accelerator", topology->accelerator, "catalog id, if the file fits several accelerators")
      ->type_name("ID");
  topology_app->add_option("--nic", topology->nic, "catalog id of the NICs")->type_name("ID");
  topology_app->add_option("--nodes", topology->nodes, "number of identical nodes (default: those of the file)")
      ->type_name("N");
  topology_app
      ->add_option("--transport", topology->transport, "network protocol between nodes: infiniband, roce or ethernet")
      ->type_name("HOW");
  topology_app->add_option("--name", topology->name, "name of the cluster")->type_name("TEXT");
  add_output(*topology_app, topology->output, "json");

  const auto [model_app, model] = line.add_to<ImportHfConfigRequest>(
      import, "hf-config", "convert a Hugging Face config.json into a transformer file", import_hf_config_file);
  model_app->add_option("FILE", model->file, "config.json");
  model_app->add_option("--name", model->name, "name of the transformer")->type_name("TEXT");
  add_output(*model_app, model->output, "json");
}

void add_looking(CommandAdder& line) {
  const auto [check_app, check_request] = line.add<CheckRequest>("check", "check that files are valid", check);
  check_app->add_option("FILE", check_request->files,
                        "scenario, cluster, transformer, stack, parameters, catalog, steps or blueprint");
  check_app->add_flag("--quiet", check_request->quiet, "print errors only");

  const auto [show_app, show_request] =
      line.add<ShowRequest>("show", "print a file with references and defaults filled in", show);
  show_app->add_option("FILE", show_request->file, "scenario, cluster or another configuration file");
  show_app->add_flag("--topology", show_request->topology,
                     "print switches, cables, diameter and bisection of the cluster in FILE");
  show_app
      ->add_option("--fail", show_request->failures,
                   "failed switch, cable or NIC of the topology: spine:2, leaf:0-spine:1, ...; repeatable")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  add_settings(*show_app, show_request->settings, show_request->parameters);
  add_output(*show_app, show_request->output, "table, json, csv, md or dot");

  const auto [catalog_app, catalog_request] =
      line.add<CatalogRequest>("catalog", "list parts and software stacks with the sources of their numbers", catalog);
  catalog_app->add_option("SECTION", catalog_request->section,
                          "section: accelerators, nics, switches, cables, nodes, sources or stacks");
  catalog_app->add_option("ID", catalog_request->id, "id of one entry, which is printed with all its facts");
  add_output(*catalog_app, catalog_request->output, data_formats);
}

void add_learning(CommandAdder& line) {
  const auto [init_app, init_request] = line.add<InitRequest>("init", "write a starter scenario with comments", init);
  init_app->add_option("NAME", init_request->name, "name of the new file");
  init_app->add_option("--from", init_request->from, "shipped scenario to start from")
      ->type_name("SCENARIO")
      ->capture_default_str();
  init_app->add_flag("--quiet", init_request->quiet, "print no notes");

  const auto [schema_app, schema_request] =
      line.add<SchemaRequest>("schema", "print the JSON Schema of a kind of file", schema);
  schema_app
      ->add_option("KIND", schema_request->kind,
                   fmt::format("kind of file: {}; the printed schema contains all its types, whereas the files in "
                               "configs/schema share types.schema.json",
                               fmt::join(config_kind_names(), ", ")))
      ->capture_default_str();

  const auto [explain_app, explain_request] =
      line.add<ExplainRequest>("explain", "explain a field or an error code", explain);
  explain_app->add_option("TOPIC", explain_request->topic,
                          "path of a field (job.parallel.tensor), error code (E0203), or errors for all codes");

  const auto [doctor_app, doctor_request] =
      line.add<DoctorRequest>("doctor", "report what this machine has and what it can be used for", doctor);
  add_output(*doctor_app, doctor_request->output, "table, json or md");

  const auto [version_app, version_request] =
      line.add<VersionRequest>("version", "print version, commit, compiler and kind of build", version);
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
