// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/calibrate_options.hpp"

#include <CLI/CLI.hpp>

#include "tools/cli/command_adder.hpp"

namespace clusterwright {

namespace {

void add_probing(CommandAdder& line, CLI::App& calibrate) {
  const auto [run_app, probes] = line.add_to<CalibrateRunRequest>(
      calibrate, "run", "run microbenchmarks on this machine and keep the raw samples", calibrate_run);
  run_app->add_option("--suite", probes->suite, "how many measurements are taken, and how long they run")
      ->type_name("quick|full")
      ->capture_default_str();
  run_app->add_option("--require", probes->require, "exit with code 5 if this machine has no GPU")->type_name("gpu");
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
  fit_app->add_option("SAMPLES", fit->files, "sample files, or folders of sample files")->type_name("FILE");
  fit_app
      ->add_option("--accelerator", fit->accelerator, "catalog id (default: found by the name that the driver reports)")
      ->type_name("ID");
  fit_app
      ->add_option("--base", fit->base,
                   "parameter file that supplies the priors (default: the file that `run` uses for the accelerator)")
      ->type_name("FILE");
  fit_app->add_option("--name", fit->name, "name of the new parameter set")->type_name("NAME");
  fit_app
      ->add_option("--cluster", fit->cluster,
                   "cluster or scenario file of the machine on which the nccl-tests logs were taken")
      ->type_name("FILE");
  fit_app
      ->add_option("--host-threads", fit->host_threads,
                   "use the host samples taken with N threads (default: the largest N in the samples)")
      ->type_name("N");
  fit_app->add_flag("--keep-poor", fit->keep_poor,
                    "if the fit of a section is poor, write its prior instead of refusing to write a parameter file");
  add_output(*fit_app, fit->output, "table, json (the parameters), csv or md");
}

void add_loop(CommandAdder& line, CLI::App& calibrate) {
  const auto [loop_app, loop] = line.add_to<CalibrateLoopRequest>(
      calibrate, "loop", "predict a small training step on this host, run it, and compare", calibrate_loop);
  loop_app->add_option("--samples", loop->samples, "sample file of this host (default: measure now)")
      ->type_name("FILE");
  loop_app
      ->add_option("--processes", loop->processes,
                   "maximum number of data-parallel processes; every count from 1 to N is run")
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
  show_app->add_option("FILE", show->files, "parameter file, sample files, or both")->type_name("FILE");
  show_app
      ->add_option("--accelerator", show->accelerator,
                   "catalog id (default: found by the name that the driver reports)")
      ->type_name("ID");
  show_app
      ->add_option("--cluster", show->cluster,
                   "cluster or scenario file of the machine on which the nccl-tests logs were taken")
      ->type_name("FILE");
  show_app
      ->add_option("--host-threads", show->host_threads,
                   "use the host samples taken with N threads (default: the largest N in the samples)")
      ->type_name("N");
  add_output(*show_app, show->output, data_formats);
}

}  // namespace

void add_calibrate_options(CommandAdder& line) {
  CLI::App& calibrate =
      *line.root.add_subcommand("calibrate", "measure this machine, fit parameters and compare them with samples");
  calibrate.require_subcommand(0, 1);
  calibrate.allow_extras();
  add_probing(line, calibrate);
  add_fitting(line, calibrate);
  add_loop(line, calibrate);
  add_showing(line, calibrate);
}

}  // namespace clusterwright
