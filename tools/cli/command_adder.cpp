// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/command_adder.hpp"

#include <CLI/CLI.hpp>

#include "tools/typed_text.hpp"

namespace clusterwright {

CLI::App* CommandAdder::add_command(CLI::App& parent, const std::string& name, const std::string& help,
                                    std::string& threads, const std::function<void()>& chosen) {
  CLI::App* const app = parent.add_subcommand(name, help);
  app->allow_extras();
  app->add_option("--threads", threads, "maximum number of threads (does not change results)")->type_name("N");
  app->callback(chosen);
  return app;
}

std::optional<ThreadLimit> CommandAdder::thread_limit(const std::string& threads) {
  if (threads.empty()) return {};
  return ThreadLimit(parse_threads(threads));
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
