// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/command_line.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <new>
#include <sstream>

#include "sim/source_file.hpp"
#include "tools/build_facts.hpp"
#include "tools/cli/command_options.hpp"
#include "tools/long_computation.hpp"
#include "tools/output/output_target.hpp"
#include "tools/output/output_text.hpp"
#include "tools/standard_streams.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

namespace {

/// The words, the parser, and what it found.
struct CommandLine {
  explicit CommandLine(const std::vector<std::string>& arguments) : words(with_program(arguments)), typed(words) {}

  static std::vector<std::string> with_program(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "clusterwright");
    return arguments;
  }

  std::vector<std::string> words;
  TypedWords typed;
  CLI::App root{
      "Predicts how a transformer job runs on a GPU cluster that you have, rent or plan. Runs offline and sends no "
      "data.",
      "clusterwright"};
  Action action;
};

std::vector<std::string> command_names(const CLI::App& root) {
  std::vector<std::string> names;
  for (const CLI::App* app : root.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(app->get_name());
  return names;
}

/// The first word must be a command; the parser itself would only say that one is missing.
void check_command(const CommandLine& line) {
  const std::vector<std::string> names = command_names(line.root);
  const std::string list = fmt::format("commands: {}   (more: clusterwright --help)", fmt::join(names, ", "));
  if (line.words.size() < 2) throw line.typed.error(1, "a command is missing", list);
  const std::string& first = line.words[1];
  if (std::find(names.begin(), names.end(), first) != names.end()) return;
  const bool option = first.starts_with('-');
  const std::string near = did_you_mean(first, option ? std::vector<std::string>{"--help", "--version"} : names);
  throw line.typed.error(1, fmt::format("unknown {} \"{}\"", option ? "option" : "command", first),
                         near.empty() ? list : near);
}

/// The command that was typed: "calibrate", or its "calibrate fit".
const CLI::App& innermost(const CLI::App& root) {
  const CLI::App* app = &root;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return *app;
}

/// "calibrate fit".
std::string name_of(const CLI::App& app) {
  const CLI::App* parent = app.get_parent();
  const bool inner = parent && parent->get_parent();
  return inner ? name_of(*parent) + " " + app.get_name() : app.get_name();
}

/// A command that is only the name of others needs one of them.
void check_subcommand(const CommandLine& line, const CLI::App& app) {
  const std::vector<std::string> names = command_names(app);
  if (names.empty()) return;
  const std::string list = fmt::format("one of: {}", fmt::join(names, ", "));
  if (line.words.size() < 3) throw line.typed.error(2, fmt::format("{} needs a subcommand", app.get_name()), list);
  const std::string near = did_you_mean(line.words[2], names);
  throw line.typed.error(2, fmt::format("unknown subcommand \"{}\" for {}", line.words[2], app.get_name()),
                         near.empty() ? list : near);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// Words that the command does not know: the first option among them, else the first word.
void check_extras(const CommandLine& line, const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining();
  if (extras.empty()) return;
  const auto option =
      std::find_if(extras.begin(), extras.end(), [](const auto& word) { return word.starts_with("-"); });
  const std::string& word = option != extras.end() ? *option : extras.front();
  const auto at = std::find(line.words.begin() + 2, line.words.end(), word);
  const auto index = static_cast<std::size_t>(at - line.words.begin());
  if (option == extras.end())
    throw line.typed.error(index, fmt::format("unexpected argument \"{}\" for {}", word, name_of(app)),
                           fmt::format("clusterwright {} --help", name_of(app)));
  const std::string name = word.substr(0, word.find('='));
  const std::string near = did_you_mean(name, option_names(app));
  throw line.typed.error(index, fmt::format("unknown option \"{}\" for {}", name, name_of(app)),
                         near.empty() ? fmt::format("one of: {}", fmt::join(option_names(app), ", ")) : near);
}

/// Commands that need no file where --on names nodes: they ask for no job.
bool takes_nodes_alone(const CLI::App& app) {
  constexpr std::array commands = {"collective", "show", "size"};
  return std::ranges::find(commands, app.get_name()) != commands.end() && app.get_option("--on")->count() > 0;
}

/// Whether a command can do without an option that it has: only `fits` needs --on, and --gpus only `scale`, which may
/// be given power or caps instead.
bool does_without(const CLI::App& app, const std::string& needed) {
  if (!needed.starts_with("--") && takes_nodes_alone(app)) return true;
  if (needed == "--on") return app.get_name() != "fits";
  if (needed != "--gpus") return false;
  if (app.get_name() != "scale") return true;
  return std::ranges::any_of(std::array{"--power", "--caps", "--halls"}, [&](const char* name) {
    const CLI::Option* option = app.get_option_no_throw(name);
    return option && option->count() > 0;
  });
}

/// Words that the command cannot do without. SECTION, ID, KIND and TOPIC have an answer for their absence.
void check_needed(const CommandLine& line, const CLI::App& app) {
  for (const char* needed :
       {"SCENARIO", "BLUEPRINT", "MODEL", "--on", "CLUSTER", "FILE", "SAMPLES", "NAME", "--gpus"}) {
    const CLI::Option* option = app.get_option_no_throw(needed);
    if (!option || option->count() > 0 || does_without(app, needed)) continue;
    const std::string example = std::string(needed) == "--gpus" ? "--gpus 8..16384x2, or 8..64+8, or 8,16,32"
                                : std::string(needed) == "--on"
                                    ? "--on H100-SXM   (list all: clusterwright catalog accelerators)"
                                    : fmt::format("clusterwright {} {}", name_of(app), needed);
    throw line.typed.error(line.words.size(), fmt::format("{} needs {}", name_of(app), needed), example);
  }
}

[[noreturn]] void refuse_empty_value(const CLI::Option& option) {
  throw option_error(option.get_name(), "", fmt::format("{} is given an empty value", option.get_name()),
                     "leave it out, or give it a value (an empty shell variable?)");
}

/// `--cap=` has no value, and the parser would take the next word for it.
void check_assigned_values(const CommandLine& line) {
  const CLI::App* app = &line.root;
  for (const std::string& word : line.words) {
    if (word == "--") return;
    for (const CLI::App* inner : app->get_subcommands([&](const CLI::App* one) { return one->get_name() == word; }))
      app = inner;
    if (!word.starts_with("--") || word.find('=') != word.size() - 1) continue;
    const CLI::Option* option = app->get_option_no_throw(word.substr(0, word.size() - 1));
    if (option && option->get_items_expected_max() > 0) refuse_empty_value(*option);
  }
}

/// Commands take an empty text for an option that was not given.
void check_empty_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    if (std::ranges::find(option->results(), "") != option->results().end()) refuse_empty_value(*option);
}

/// Options that name files to write.
constexpr std::array written_files = {"--output", "--timeline", "--heat", "--elevations", "--patch-list"};

/// Results must not replace what they are computed from, nor each other: options and words that are files are compared
/// before any work. Without -o the answer goes to standard output.
void check_files(const CLI::App& app) {
  std::vector<std::string> inputs, outputs;
  const CLI::Option* answer = app.get_option_no_throw("--output");
  if (answer && answer->count() == 0) outputs.push_back("-");
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_type_name() != "FILE") continue;
    const bool written = std::any_of(written_files.begin(), written_files.end(),
                                     [&](const char* name) { return option->check_name(name); });
    for (const std::string& file : option->results()) (written ? outputs : inputs).push_back(file);
  }
  check_outputs(outputs, inputs);
}

/// @return what to do, or nothing after help or the version was printed
Action parse(CommandLine& line) {
  std::vector<const char*> words;
  for (const std::string& word : line.words) words.push_back(word.c_str());
  const bool asks_root =
      line.words.size() > 1 && (line.words[1] == "--help" || line.words[1] == "-h" || line.words[1] == "--version");
  if (!asks_root) check_command(line);
  check_assigned_values(line);
  try {
    line.root.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::Success& request) {
    std::ostringstream text;
    line.root.exit(request, text, text);
    return [text = text.str()] {
      write_file("-", text);
      return ExitCode::ok;
    };
  } catch (const CLI::ParseError& error) {
    throw line.typed.error(line.words.size(), error.what(), fmt::format("clusterwright {} --help", line.words[1]));
  }
  const CLI::App& app = innermost(line.root);
  check_subcommand(line, app);
  check_empty_values(app);
  check_extras(line, app);
  check_needed(line, app);
  check_files(app);
  return line.action;
}

ExitCode dispatch(const std::vector<std::string>& arguments) {
  CommandLine line(arguments);
  line.root.set_version_flag("--version", "clusterwright " + std::string(build_facts().version));
  line.root.require_subcommand(0, 1);
  line.root.footer("Exit codes:\n" + std::string(exit_codes()));
  add_commands(line.root, line.typed.text(), line.action);
  return parse(line)();
}

}  // namespace

namespace {

/// What asked for memory, and how much the program had.
std::string out_of_memory(const std::vector<std::string>& arguments) {
  struct rusage usage = {};
  ::getrusage(RUSAGE_SELF, &usage);
  return fmt::format(
      "error: out of memory in: clusterwright {}\n"
      "   = help: the program held {:.0f} MB; give it more, or ask for fewer GPUs, sizes, threads or cases\n",
      printable(fmt::format("{}", fmt::join(arguments, " "))), static_cast<double>(usage.ru_maxrss) * 1024 / 1e6);
}

/// Paths are checked where they are used; what is left is a name that no file can have, or a folder that is closed.
std::string unusable_path(const std::filesystem::filesystem_error& error) {
  const std::string name = error.path1().empty() ? "working directory" : short_path(error.path1());
  const Place place{std::make_shared<const SourceText>(name, ""), 0, 1, ""};
  return ConfigError({"E0401", "cannot be read: " + error.code().message(), {place}, "", ""}).what();
}

ExitCode guarded(const std::vector<std::string>& arguments) {
  try {
    return dispatch(arguments);
  } catch (const ConfigError& error) {
    write_error(error.what());
    return ExitCode::wrong_input;
  } catch (const Interrupted&) {
    return ExitCode::interrupted;
  } catch (const ResourceLimit& error) {
    write_error(fmt::format("error: {}\n", printable(error.what())));
    return ExitCode::resource_limit;
  } catch (const std::bad_alloc&) {
    write_error(out_of_memory(arguments));
    return ExitCode::resource_limit;
  } catch (const std::filesystem::filesystem_error& error) {
    write_error(unusable_path(error));
    return ExitCode::wrong_input;
  } catch (const std::exception& error) {
    write_error(fmt::format("internal error: {}\nThis is a bug in clusterwright; the input is not at fault.\n",
                            printable(error.what())));
    return ExitCode::internal_error;
  }
}

}  // namespace

ExitCode run_command_line(const std::vector<std::string>& arguments) {
  occupy_closed_streams();
  watch_for_interrupt();
  forget_read_files();
  try {
    return guarded(arguments);
  } catch (...) {  // the message itself found no memory
    write_error("error: out of memory\n");
    return ExitCode::resource_limit;
  }
}

}  // namespace clusterwright
