// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/learning_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "tools/cli/command_adder.hpp"
#include "tools/commands/commands.hpp"
#include "tools/config_kinds.hpp"

namespace clusterwright {

namespace {

void add_starting(CommandAdder& line) {
  const auto [init_app, init_request] = line.add<InitRequest>("init", "write a starter scenario with comments", init);
  init_app->add_option("NAME", init_request->name, "name of the new file");
  CLI::Option* const from = init_app
                                ->add_option("--from", init_request->from,
                                             "name of the shipped scenario to start from, without folder and .json")
                                ->type_name("SCENARIO")
                                ->capture_default_str();
  init_app
      ->add_option(
          "--model", init_request->model,
          "model to pretrain as usual instead, on the machine of --on and --gpus: a name of the catalog, or a file")
      ->type_name("FILE")
      ->excludes(from);
  init_app->add_option("--on", init_request->on, "nodes of the cluster, or their accelerator (`catalog nodes`)")
      ->type_name("NODE");
  init_app->add_option("--gpus", init_request->gpus, "number of accelerators")->type_name("N");
  init_app->add_flag("--quiet", init_request->quiet, "print no notes");
}

}  // namespace

void add_learning_options(CommandAdder& line) {
  add_starting(line);

  const auto [schema_app, schema_request] =
      line.add<SchemaRequest>("schema", "print the JSON Schema of a type of file", schema);
  schema_app
      ->add_option("KIND", schema_request->kind,
                   fmt::format("type of file: {}; the output is self-contained (the files in configs/schema refer to "
                               "types.schema.json)",
                               fmt::join(config_kind_names(), ", ")))
      ->capture_default_str();

  const auto [explain_app, explain_request] =
      line.add<ExplainRequest>("explain", "explain a field or an error code", explain);
  explain_app->add_option(
      "TOPIC", explain_request->topic,
      "path or last name of a field (job.parallel.tensor, tensor), term of the glossary (bubble), error "
      "code (E0203), errors for all codes, or exit for exit codes");

  const auto [doctor_app, doctor_request] =
      line.add<DoctorRequest>("doctor", "report what this machine has and what it can be used for", doctor);
  add_output(*doctor_app, doctor_request->output, "table, json or md");

  const auto [version_app, version_request] =
      line.add<VersionRequest>("version", "print version, commit, compiler and build type", version);
  add_output(*version_app, version_request->output, "table or json");
}

}  // namespace clusterwright
