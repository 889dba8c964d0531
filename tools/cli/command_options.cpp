// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/command_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tools/cli/buying_options.hpp"
#include "tools/cli/calibrate_options.hpp"
#include "tools/cli/command_adder.hpp"
#include "tools/cli/common_options.hpp"
#include "tools/cli/comparing_options.hpp"
#include "tools/cli/importing_options.hpp"
#include "tools/cli/learning_options.hpp"
#include "tools/commands/commands.hpp"

namespace clusterwright {

namespace {

void add_running(CommandAdder& line) {
  const auto [run_app, run_request] =
      line.add<RunRequest>("run", "predict one step: time, throughput, memory and power", run);
  add_scenario(*run_app, run_request->scenario);
  add_machine(*run_app, run_request->scenario);
  add_faults(*run_app, run_request->scenario.faults, "; dead node (node:5) or accelerator (gpu:40)");
  add_nodes(*run_app, run_request->scenario);
  run_app
      ->add_option("--samples", run_request->samples,
                   "step times over the draws of K seeds: paths of hashed flows, shuffled nodes, slow devices")
      ->type_name("K");
  run_app
      ->add_option("--beside", run_request->beside,
                   "another job on the machine: its nodes are the next ones, and both meet on the links of the network")
      ->type_name("SCENARIO");
  add_output(*run_app, run_request->output, all_formats);
  run_app
      ->add_option("--timeline", run_request->timeline,
                   "write a timeline that ui.perfetto.dev can open, with the busiest links")
      ->type_name("FILE");
  run_app
      ->add_option("--heat", run_request->heat,
                   "write how busy the step keeps each link of the network: .html, .dot or .csv")
      ->type_name("FILE");
  run_app->add_flag("--blast-radius", run_request->blast_radius,
                    "what one failed cable, NIC, switch, rail, accelerator or node costs, each by the name that --fail "
                    "takes");
  run_app->add_flag("--advise", run_request->advise,
                    "try layouts near this one, and name the fastest; takes a second, for mixtures ten");
  run_app->add_flag("--explain", run_request->explain, "print the origin of every number");
  run_app->add_flag("--unfold", run_request->unfold,
                    "replay every accelerator for itself too, and compare: 16,384 GPUs take seconds and gigabytes");
  run_request->scenario.command_line = line.typed;
}

void add_scaling(CommandAdder& line) {
  const auto [scale_app, scale_request] =
      line.add<ScaleRequest>("scale", "predict throughput and efficiency over a range of cluster sizes", scale);
  add_scenario(*scale_app, scale_request->scenario);
  add_machine(*scale_app, scale_request->scenario, false);
  add_faults(*scale_app, scale_request->scenario.faults);
  add_nodes(*scale_app, scale_request->scenario);
  add_output(*scale_app, scale_request->output, all_formats);
  scale_app
      ->add_option(
          "--gpus", scale_request->gpus,
          "cluster sizes: a range with a factor (8..16384x2), a range with a step (8..64+8) or a list (8,16,32)")
      ->type_name("RANGE");
  scale_app
      ->add_option(
          "--mode", scale_request->mode,
          "strong: constant global batch; weak: constant batch per replica (default: strong, with --power weak)")
      ->type_name("strong|weak");
  scale_app
      ->add_option("--power", scale_request->power,
                   "instead of --gpus: the most replicas that this much power from the grid feeds, at each of --caps")
      ->type_name("20MW");
  scale_app
      ->add_option("--caps", scale_request->caps,
                   "power limits of each accelerator to compare at --power, in percent of its rating")
      ->type_name("100,80,60");
  scale_app
      ->add_option("--halls", scale_request->halls,
                   "halls to compare at --power: files of configs/facilities, for example for air and for liquid")
      ->type_name("air,direct-to-chip");
  scale_app->add_flag("--replan", scale_request->replan,
                      "search degrees, micro-batch and recomputation anew at each size, instead of keeping them");
  scale_request->scenario.command_line = line.typed;
}

void add_wave(CommandAdder& line) {
  const auto [app, r] = line.add<WaveRequestOptions>(
      "wave", "power over time: swings, ramps and oscillations, and what a utility allows", wave);
  add_scenario(*app, r->scenario);
  add_machine(*app, r->scenario);
  add_cap(*app, r->scenario);
  add_output(*app, r->output, "table, json, csv, md, html or prometheus");
  app->add_option("--length", r->length, "time that is looked at, at least (default: 2min)")->type_name("TIME");
  app->add_option("--stall", r->stall, "one pause of this length in which all ranks wait")->type_name("TIME");
  app->add_option("--utility", r->utility, "limits to hold: an entry of `catalog interconnections`")->type_name("NAME");
  app->add_option("--floor", r->floor, "firmware that keeps each accelerator at this share of its power limit")
      ->type_name("65%");
  app->add_option("--filler", r->filler, "filler work at this share of the power limit while an accelerator waits")
      ->type_name("60%");
  app->add_option("--storage", r->storage, "energy storage: an entry of `catalog energy_storage`; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false);
  r->scenario.command_line = line.typed;
}

void add_search(CommandAdder& line) {
  const auto [app, r] = line.add<SearchCommandRequest>(
      "search", "find the parallel layout with the shortest, cheapest or least energy-hungry step", search);
  add_scenario(*app, r->scenario);
  add_machine(*app, r->scenario, false);
  add_output(*app, r->output, "table, json, csv or md");
  app->add_option("--gpus", r->gpus, "accelerators of the job (default: as many as the scenario has)")->type_name("N");
  app->add_option("--objective", r->objective, "what is made as small as possible, per step")
      ->type_name("time|cost|energy")
      ->capture_default_str();
  app->add_option("--constraint", r->constraints,
                  "limit a field (tensor<=8, pipeline=4,8, recompute=none, schedule!=dualpipe, offload.optimizer=host) "
                  "or a result (memory_gb<=70, step_time_s<=10, nodes_kw<=800); repeatable")
      ->type_name("LIMIT")
      ->allow_extra_args(false);
  app->add_flag("--keep", r->keep,
                "keep every field of the layout that the scenario states; search those that are auto");
  app->add_option("--top", r->top, "plans that are predicted in full")->type_name("K")->capture_default_str();
  app->add_option("--layouts", r->layouts, "layouts to evaluate at most; a larger space is thinned out")
      ->type_name("N")
      ->capture_default_str();
  app->add_option("--replays", r->replays,
                  "layouts to replay at most before the search ends without a proof; the best of other choices, and "
                  "layouts near "
                  "the best, come on top")
      ->type_name("N")
      ->capture_default_str();
  r->scenario.command_line = line.typed;
}

void add_fits(CommandAdder& line) {
  const auto [app, r] =
      line.add<FitsRequest>("fits", "find the fewest GPUs in whose memory a model can be trained", fits);
  app->add_option("MODEL", r->model,
                  "transformer: a name in configs/transformers, a file, or a Hugging Face config.json")
      ->type_name("FILE");
  app->add_option("--on", r->gpu, "accelerator: an id of `catalog accelerators`")->type_name("GPU");
  app->add_option("--task", r->task, "train all weights, or adapters of low rank")
      ->type_name("train|lora")
      ->capture_default_str();
  app->add_option("--sequence", r->sequence,
                  "tokens of one sequence (default: 4096, or what the model has positions for)")
      ->type_name("N");
  app->add_option("--batch", r->batch, "sequences per step (default: four for each GPU)")->type_name("N");
  app->add_option("--precision", r->precision, "number format of the GEMMs")
      ->type_name("FORMAT")
      ->capture_default_str();
  app->add_option("--lora-rank", r->lora_rank, "rank of the adapters")->type_name("N")->capture_default_str();
  app->add_option("--stack", r->stack,
                  "software stack (default: one with tensor and pipeline parallelism, one with FSDP)")
      ->type_name("NAME");
  app->add_option("--most", r->most, "largest number of GPUs to try")->type_name("N")->capture_default_str();
  add_output(*app, r->output, "table, json, csv or md");
  r->command_line = line.typed;
}

void add_size(CommandAdder& line) {
  const auto [app, r] =
      line.add<SizeRequest>("size", "plan the site of a cluster: racks, cables, power, cooling and cost", size);
  add_scenario(*app, r->scenario, "SCENARIO", "scenario or cluster: a name of the catalog, a file, or -");
  add_machine(*app, r->scenario);
  app->add_option("--prices", r->prices,
                  "price list: name in configs/prices, or a file (default: the scenario's list, else \"default\")")
      ->type_name("LIST");
  app->add_option("--elevations", r->elevations, "write the devices of every rack by rack unit, as CSV")
      ->type_name("FILE");
  app->add_option("--patch-list", r->patch_list, "write both ends of every cable, with ports, part and lengths, as CSV")
      ->type_name("FILE");
  add_cap(*app, r->scenario);
  add_output(*app, r->output, all_formats);
  r->scenario.command_line = line.typed;
}

void add_auditing(CommandAdder& line) {
  const auto [app, request] = line.add<AuditRequest>("audit", "recompute each claim of a published blueprint", audit);
  add_scenario(*app, request->blueprint, "BLUEPRINT", "blueprint file");
  add_output(*app, request->output, all_formats);
  request->blueprint.command_line = line.typed;
}

void add_collective_traffic(CLI::App& app, CollectiveCommandRequest& r) {
  app.add_option("--gpus", r.gpus, "ranks of one group (default: all accelerators)")->type_name("N");
  app.add_option(
         "--concurrent", r.concurrent,
         "number of groups that run the operation at the same time; all: as many as the cluster holds (default: 1)")
      ->type_name("K|all");
  app.add_option("--placement", r.placement,
                 "placement of ranks: contiguous, rail, scattered, shuffled, hostlist (needs --hosts) or optimised")
      ->type_name("POLICY")
      ->capture_default_str();
  app.add_option("--hosts", r.hosts, "nodes of the group as a Slurm hostlist, for example gpu[001-004,7]")
      ->type_name("LIST");
  app.add_option("--stride", r.stride,
                 "distance in GPUs between consecutive ranks of a group, for example the tensor-parallel degree")
      ->type_name("N");
  app.add_option("--per-domain", r.per_domain,
                 "GPUs that the job uses of each scale-up domain (rack or node), for example 64 of the 72 of an NVL72; "
                 "the others are idle (default: all)")
      ->type_name("K");
  app.add_option("--algorithm", r.algorithm,
                 "force this algorithm instead of NCCL's choice: ring, tree, nvls_tree, ...; dispatch and combine: "
                 "hierarchical (bulk kernels, the default) or direct (low-latency kernels)")
      ->type_name("A");
  app.add_option("--protocol", r.protocol, "force this protocol instead of NCCL's choice: LL, LL128 or Simple")
      ->type_name("P");
}

void add_experts(CLI::App& app, CollectiveCommandRequest& r) {
  app.add_option("--experts", r.experts, "number of routed experts, for dispatch and combine (default: 256)")
      ->type_name("N");
  app.add_option("--top-k", r.top_k, "experts per token (default: 8)")->type_name("N");
  app.add_option("--domain-limit", r.domain_limit,
                 "maximum number of scale-up domains (servers or NVLink racks) that a token is sent to")
      ->type_name("N");
  app.add_option("--imbalance", r.imbalance,
                 "coefficient of variation of the load per expert, for dispatch and combine")
      ->type_name("CV");
  app.add_flag("--inside-over-nics", r.inside_over_nics,
               "dispatch and combine with --algorithm direct: copies inside a node take NICs as well, as low-latency "
               "kernels without NVLink do");
}

void add_collective(CommandAdder& line) {
  const auto [app, r] =
      line.add<CollectiveCommandRequest>("collective", "predict what nccl-tests would print on a cluster", collective);
  app->add_option("CLUSTER", r->cluster, "cluster or scenario: a name of the catalog, a file, or -")->type_name("FILE");
  app->add_option("--on", r->on,
                  "instead of CLUSTER: nodes of this kind, or the first that are sold with this accelerator; --gpus "
                  "says how many accelerators they have, all in one group")
      ->type_name("NODE");
  app->add_option("--op", r->op,
                  "operation: all_reduce, all_gather, reduce_scatter, broadcast, all_to_all, send, dispatch or combine")
      ->type_name("OP")
      ->capture_default_str();
  app->add_option("--bytes", r->bytes,
                  "message sizes as nccl-tests counts them (k, M, G: powers of 1024): 8..8Gx2 or 1M,64M")
      ->type_name("RANGE")
      ->capture_default_str();
  add_collective_traffic(*app, *r);
  add_experts(*app, *r);
  add_faults(*app, r->failures);
  app->add_option("--routing", r->routing, "routing: hash, spray, valiant or adaptive (default: the fabric's)")
      ->type_name("HOW");
  app->add_option("--queue-pairs", r->queue_pairs,
                  "queue pairs per pair of NICs; each is hashed to a path independently (default: the fabric's)")
      ->type_name("N");
  app->add_flag("--sharp", r->sharp, "use in-network reduction in the switches between nodes (SHARP)");
  add_settings(*app, r->settings, r->parameters, ", for example cluster.fabric.transport=roce");
  app->add_option("--seed", r->seed, "random seed of hashed paths (default: the fabric's) and scattered nodes")
      ->type_name("N");
  add_output(*app, r->output, "table, json, csv, md or nccl-tests");
}

void add_judging(CommandAdder& line) {
  const auto [app, r] =
      line.add<ValidateRequest>("validate", "compare predictions with published measurements, case by case", validate);
  app->add_option("--cases", r->cases, "files of measurements (default: all shipped files)")
      ->type_name("FILE")
      ->allow_extra_args(true);
  app->add_flag("--cross", r->cross, "cross-validate: fit again with the rows being predicted held out");
  CLI::Option* const designs = app->add_flag(
      "--designs", r->designs, "counts, watts and dollars of published clusters instead, each beside what is computed");
  app->add_option("--parameters", r->parameters,
                  "use this parameter file instead of the shipped one for the same accelerator")
      ->type_name("FILE");
  app->add_option(
         "--max-error", r->max_error,
         "exit with code 3 if the median relative error of any family of cases exceeds this fraction, for example 0.15")
      ->type_name("SHARE");
  for (const char* measured : {"--cases", "--cross", "--parameters", "--max-error"})
    designs->excludes(app->get_option(measured));
  r->command_line = line.typed;
  add_output(*app, r->output, all_formats);
}

void add_looking(CommandAdder& line) {
  const auto [check_app, check_request] = line.add<CheckRequest>("check", "check that files are valid", check);
  check_app
      ->add_option("FILE", check_request->files,
                   "any clusterwright file: scenario, cluster, transformer, facility, price list, blueprint, ...")
      ->type_name("FILE");
  check_app->add_flag("--quiet", check_request->quiet, "print errors only");

  const auto [show_app, show_request] =
      line.add<ShowRequest>("show", "print a file with references resolved and defaults filled in", show);
  show_app->add_option("FILE", show_request->file, "scenario, cluster or another configuration file")
      ->type_name("FILE");
  show_app
      ->add_option("--on", show_request->on,
                   "instead of FILE: the topology of nodes of this kind, or of the first that are sold with this "
                   "accelerator")
      ->type_name("NODE");
  show_app->add_option("--gpus", show_request->gpus, "number of accelerators of these nodes")->type_name("N");
  show_app->add_flag("--topology", show_request->topology,
                     "print switches, cables, diameter and bisection of the cluster in FILE");
  show_app
      ->add_option("--fail", show_request->failures,
                   "failed switch, cable or NIC of the topology: spine:2, leaf:0-spine:1, ...; repeatable")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  add_settings(*show_app, show_request->settings, show_request->parameters, "");
  add_output(*show_app, show_request->output, "table, json, csv, md or dot");

  const auto [catalog_app, catalog_request] = line.add<CatalogRequest>(
      "catalog", "list parts and shipped files, with the names that other files and commands use", catalog);
  catalog_app->add_option(
      "SECTION", catalog_request->section,
      "section to list, for example accelerators, nodes, clusters or transformers (default: list all sections)");
  catalog_app->add_option("ID", catalog_request->id, "id of one entry, which is printed with all its facts");
  add_output(*catalog_app, catalog_request->output, data_formats);
}

}  // namespace

void add_commands(CLI::App& root, const std::string& typed, Action& action) {
  CommandAdder line{root, typed, action};
  add_running(line);
  add_scaling(line);
  add_wave(line);
  add_search(line);
  add_buying(line);
  add_comparing(line);
  add_fits(line);
  add_size(line);
  add_auditing(line);
  add_collective(line);
  add_judging(line);
  add_calibrate_options(line);
  add_importing_options(line);
  add_looking(line);
  add_learning_options(line);
}

}  // namespace clusterwright
