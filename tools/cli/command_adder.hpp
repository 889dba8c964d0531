// SPDX-License-Identifier: Apache-2.0
/// Commands with options that fill a request, and the options that several commands share.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "tools/cli/command_options.hpp"
#include "tools/commands/commands.hpp"
#include "tools/long_computation.hpp"

namespace clusterwright {

inline constexpr auto all_formats = "table, json, csv, md or html";
inline constexpr auto data_formats = "table, json, csv or md";

/// Parser that commands are added to.
struct CommandAdder {
  CLI::App& root;
  const std::string& typed;
  Action& action;

  /// Adds a command whose options fill a request of type R. Every command takes --threads.
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
    auto threads = std::make_shared<std::string>();
    const auto chosen = [&action = action, request, threads, command] {
      action = [request, threads, command] {
        const auto limit = thread_limit(*threads);
        return command(*request);
      };
    };
    return {add_command(parent, name, help, *threads, chosen), request};
  }

 private:
  static CLI::App* add_command(CLI::App& parent, const std::string& name, const std::string& help, std::string& threads,
                               const std::function<void()>& chosen);
  static std::optional<ThreadLimit> thread_limit(const std::string& threads);
};

/// Adds --format, --output and --quiet. @param formats  "table, json or md"
void add_output(CLI::App& app, OutputRequest& output, const std::string& formats);

}  // namespace clusterwright
