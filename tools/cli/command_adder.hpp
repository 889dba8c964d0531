// SPDX-License-Identifier: Apache-2.0
/// Commands with options that fill a request, and the options that several commands share.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "tools/cli/command_options.hpp"
#include "tools/commands/commands.hpp"

namespace clusterwright {

inline constexpr auto all_formats = "table, json, csv, md or html";
inline constexpr auto data_formats = "table, json, csv or md";

/// Parser that commands are added to.
struct CommandAdder {
  CLI::App& root;
  const std::string& typed;
  Action& action;

  /// Adds a command whose options fill a request of type R.
  template <class R>
  std::pair<CLI::App*, std::shared_ptr<R>> add(const std::string& name, const std::string& help,
                                               ExitCode (*command)(const R&)) {
    return add_to(root, name, help, command);
  }

  /// Adds the same below another command.
  template <class R>
  std::pair<CLI::App*, std::shared_ptr<R>> add_to(CLI::App& parent, const std::string& name, const std::string& help,
                                                  ExitCode (*command)(const R&)) {
    auto request = std::make_shared<R>();
    const auto chosen = [&action = action, request, command] {
      action = [request, command] { return command(*request); };
    };
    return {add_command(parent, name, help, chosen), request};
  }

 private:
  static CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& help,
                               const std::function<void()>& chosen);
};

/// Adds --format, --output and --quiet. @param formats  "table, json or md"
void add_output(CLI::App& app, OutputRequest& output, const std::string& formats);

}  // namespace clusterwright
