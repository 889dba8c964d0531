// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/importing_options.hpp"

#include <CLI/CLI.hpp>

#include "tools/cli/command_adder.hpp"
#include "tools/commands/commands.hpp"

namespace clusterwright {

void add_importing_options(CommandAdder& line) {
  CLI::App& import = *line.root.add_subcommand(
      "import", "convert files from other programs: models, nccl-tests logs, NCCL topologies");
  import.require_subcommand(0, 1);
  import.allow_extras();

  const auto [log_app, log] = line.add_to<ImportNcclTestsRequest>(
      import, "nccl-tests",
      "convert the output of an nccl-tests program (all_reduce_perf, ...) into samples for `calibrate fit`",
      import_nccl_tests);
  log_app->add_option("FILE", log->file, "log file: text, or JSON written by -J")->type_name("FILE");
  log_app->add_option("--op", log->operation, "operation, if the log does not name it: all_reduce, all_gather, ...")
      ->type_name("OP");
  log_app->add_option("--date", log->date, "date of the run in UTC, for example 2026-11-21T21:04:06Z")
      ->type_name("TIME");
  add_output(*log_app, log->output, "json");

  const auto [topology_app, topology] = line.add_to<ImportTopologyRequest>(
      import, "nccl-topology",
      "convert an NCCL topology dump (the file that NCCL_TOPO_DUMP_FILE names) into a cluster file",
      import_nccl_topology);
  topology_app->add_option("FILE", topology->file, "XML file")->type_name("FILE");
  topology_app
      ->add_option("--accelerator", topology->accelerator, "catalog id of the accelerator, if the file matches several")
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
  model_app->add_option("FILE", model->file, "config.json")->type_name("FILE");
  model_app->add_option("--name", model->name, "name of the transformer")->type_name("TEXT");
  add_output(*model_app, model->output, "json");
}

}  // namespace clusterwright
