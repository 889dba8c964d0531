// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/command_adder.hpp"

#include <CLI/CLI.hpp>

namespace clusterwright {

CLI::App* CommandAdder::add_command(CLI::App& parent, const std::string& name, const std::string& help,
                                    const std::function<void()>& chosen) {
  CLI::App* const app = parent.add_subcommand(name, help);
  app->allow_extras();
  app->callback(chosen);
  return app;
}

void add_output(CLI::App& app, OutputRequest& output, const std::string& formats) {
  app.add_option("--format", output.format, "output format: " + formats)->type_name("FORMAT");
  app.add_option("-o,--output", output.files,
                 "write to FILE (- for standard output); the extension selects the format; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_flag("--quiet", output.quiet, "print no progress and no notes");
}

}  // namespace clusterwright
