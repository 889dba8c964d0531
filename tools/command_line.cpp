#include "tools/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <new>

#include "tools/build_facts.hpp"
#include "tools/commands/commands.hpp"
#include "tools/interrupt.hpp"
#include "tools/output/atomic_file.hpp"
#include "tools/usage_error.hpp"

namespace clusterwright {

namespace {

/// What the parsed words ask for.
using Action = std::function<ExitCode()>;

/// The words, the parser, and what it found. Option values stay text: the commands read them, in one way.
struct CommandLine {
  explicit CommandLine(const std::vector<std::string>& arguments) : words(with_program(arguments)), typed(words) {}

  static std::vector<std::string> with_program(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "clusterwright");
    return arguments;
  }

  /// A command whose options fill a request of type R.
  template <class R>
  std::pair<CLI::App*, std::shared_ptr<R>> add(const std::string& name, const std::string& help,
                                               ExitCode (*command)(const R&)) {
    CLI::App* const app = root.add_subcommand(name, help);
    app->allow_extras();
    auto request = std::make_shared<R>();
    app->callback([this, request, command] { action = [request, command] { return command(*request); }; });
    return {app, request};
  }

  std::vector<std::string> words;
  TypedWords typed;
  CLI::App root{
      "Simulates a transformer step on a GPU cluster before money is spent on it. Works offline, sends nothing.",
      "clusterwright"};
  Action action;
};

void add_output(CLI::App& app, OutputRequest& output, const std::string& formats) {
  app.add_option("--format", output.format, formats)->type_name("FORMAT");
  app.add_option("-o,--output", output.files, "write to FILE; the suffix gives the format; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  app.add_flag("--quiet", output.quiet, "no progress and no notes");
}

void add_settings(CLI::App& app, std::vector<std::string>& settings, std::string& parameters) {
  app.add_option("--set", settings, "path=value, such as job.parallel.tensor=4; repeatable")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  app.add_option("--parameters", parameters, "fitted parameters to use")->type_name("FILE");
}

void add_scenario(CLI::App& app, ScenarioRequest& request) {
  app.add_option("SCENARIO", request.scenario, "scenario file");
  add_settings(app, request.settings, request.parameters);
  app.add_option("--seed", request.seed, "of everything random")->type_name("N")->capture_default_str();
  app.add_option("--threads", request.threads, "at most so many; results do not depend on it")->type_name("N");
}

constexpr auto all_formats = "table, json, csv, md or html";
constexpr auto data_formats = "table, json, csv or md";

void add_computing(CommandLine& line) {
  const auto [run_app, run_request] = line.add<RunRequest>("run", "one step: time, throughput, memory, power", run);
  add_scenario(*run_app, run_request->scenario);
  add_output(*run_app, run_request->output, all_formats);
  run_app->add_option("--timeline", run_request->timeline, "write a trace for ui.perfetto.dev")->type_name("FILE");
  run_app->add_flag("--explain", run_request->explain, "say where every number comes from");
  run_request->scenario.command_line = line.typed.text();

  const auto [scale_app, scale_request] =
      line.add<ScaleRequest>("scale", "the efficiency curve over cluster sizes", scale);
  add_scenario(*scale_app, scale_request->scenario);
  add_output(*scale_app, scale_request->output, all_formats);
  scale_app->add_option("--gpus", scale_request->gpus, "8..16384x2, 8..64+8 or 8,16,32")->type_name("RANGE");
  scale_app->add_option("--mode", scale_request->mode, "strong keeps the global batch, weak the batch per replica")
      ->type_name("strong|weak")
      ->capture_default_str();
  scale_app->add_flag("--replan", scale_request->replan, "search the best plan at each size: planned, not there yet");
  scale_request->scenario.command_line = line.typed.text();
}

void add_collective_traffic(CLI::App& app, CollectiveCommandRequest& r) {
  app.add_option("--gpus", r.gpus, "ranks of one group; all if not given")->type_name("N");
  app.add_option("--concurrent", r.concurrent, "groups that run the op at once")->type_name("K|all");
  app.add_option("--placement", r.placement, "contiguous, rail, scattered, shuffled, hostlist or optimised")
      ->type_name("POLICY")
      ->capture_default_str();
  app.add_option("--hosts", r.hosts, "Slurm hostlist: gpu[001-004,7]")->type_name("LIST");
  app.add_option("--stride", r.stride, "GPUs between neighbours of a group, such as the tensor-parallel degree")
      ->type_name("N");
  app.add_option("--algorithm", r.algorithm, "instead of NCCL's choice: ring, tree, nvls_tree, ...")->type_name("A");
  app.add_option("--protocol", r.protocol, "instead of NCCL's choice: LL, LL128 or Simple")->type_name("P");
}

void add_experts(CLI::App& app, CollectiveCommandRequest& r) {
  app.add_option("--experts", r.experts, "routed experts of dispatch and combine; 256 if not given")->type_name("N");
  app.add_option("--top-k", r.top_k, "experts of one token; 8 if not given")->type_name("N");
  app.add_option("--domain-limit", r.domain_limit, "nodes, or racks that act as one, that a token may go to")
      ->type_name("N");
  app.add_option("--imbalance", r.imbalance, "coefficient of variation of the experts' popularity")->type_name("CV");
}

void add_collective(CommandLine& line) {
  const auto [app, r] =
      line.add<CollectiveCommandRequest>("collective", "what nccl-tests would print on a cluster", collective);
  app->add_option("CLUSTER", r->cluster, "cluster or scenario file");
  app->add_option("--op", r->op,
                  "all_reduce, all_gather, reduce_scatter, broadcast, all_to_all, send, dispatch or combine")
      ->type_name("OP")
      ->capture_default_str();
  app->add_option("--bytes", r->bytes, "as nccl-tests counts them, k M G of 1024: 8..8Gx2 or 1M,64M")
      ->type_name("RANGE")
      ->capture_default_str();
  add_collective_traffic(*app, *r);
  add_experts(*app, *r);
  app->add_option("--fail", r->failures, "spine:2, leaf:0-spine:1, node:5.3; with =0.5 slow instead; repeatable")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  app->add_option("--routing", r->routing, "hash, spray, valiant or adaptive; the fabric's if not given")
      ->type_name("HOW");
  app->add_option("--queue-pairs", r->queue_pairs, "of one pair of NICs; each hashes to a path of its own")
      ->type_name("N")
      ->capture_default_str();
  app->add_flag("--sharp", r->sharp, "switches between nodes may reduce");
  add_settings(*app, r->settings, r->parameters);
  app->add_option("--seed", r->seed, "of hashed paths and scattered nodes")->type_name("N")->capture_default_str();
  add_output(*app, r->output, "table, json, csv, md or nccl-tests");
}

void add_judging(CommandLine& line) {
  const auto [app, r] = line.add<ValidateRequest>("validate", "predicted against measured, case by case", validate);
  app->add_option("--cases", r->cases, "files of measurements; all that are shipped if not given")
      ->type_name("FILE")
      ->allow_extra_args(true);
  app->add_flag("--cross", r->cross, "also fit without what is predicted");
  app->add_option("--max-error", r->max_error, "exit with 3 if the median of a family is above it, as 0.15")
      ->type_name("SHARE");
  app->add_option("--threads", r->threads, "at most so many; results do not depend on it")->type_name("N");
  r->command_line = line.typed.text();
  add_output(*app, r->output, all_formats);
}

void add_looking(CommandLine& line) {
  const auto [check_app, check_request] = line.add<CheckRequest>("check", "whether files are valid", check);
  check_app->add_option("FILE", check_request->files,
                        "scenario, cluster, transformer, stack, parameters, catalog or steps");
  check_app->add_flag("--quiet", check_request->quiet, "errors only");

  const auto [show_app, show_request] =
      line.add<ShowRequest>("show", "a file with references and defaults filled in", show);
  show_app->add_option("FILE", show_request->file, "scenario, cluster or another configuration file");
  show_app->add_flag("--topology", show_request->topology,
                     "switches, cables, diameter and bisection, also of a scenario's cluster");
  show_app
      ->add_option("--fail", show_request->failures, "the topology without spine:2, leaf:0-spine:1, ...; repeatable")
      ->type_name("WHAT")
      ->allow_extra_args(false);
  add_settings(*show_app, show_request->settings, show_request->parameters);
  add_output(*show_app, show_request->output, "table, json, csv, md or dot");

  const auto [catalog_app, catalog_request] =
      line.add<CatalogRequest>("catalog", "parts and software stacks, with the sources of their numbers", catalog);
  catalog_app->add_option("SECTION", catalog_request->section,
                          "accelerators, nics, switches, cables, nodes, sources or stacks");
  catalog_app->add_option("ID", catalog_request->id, "one entry, with every fact");
  add_output(*catalog_app, catalog_request->output, data_formats);
}

void add_learning(CommandLine& line) {
  const auto [init_app, init_request] = line.add<InitRequest>("init", "write a starter scenario with comments", init);
  init_app->add_option("NAME", init_request->name, "of the new file");
  init_app->add_option("--from", init_request->from, "a shipped scenario")
      ->type_name("SCENARIO")
      ->capture_default_str();
  init_app->add_flag("--quiet", init_request->quiet, "no notes");

  const auto [schema_app, schema_request] = line.add<SchemaRequest>("schema", "JSON Schema of a kind of file", schema);
  schema_app
      ->add_option("KIND", schema_request->kind, "scenario, cluster, transformer, stack, parameters, catalog or steps")
      ->capture_default_str();

  const auto [explain_app, explain_request] =
      line.add<ExplainRequest>("explain", "what a field or an error code means", explain);
  explain_app->add_option("TOPIC", explain_request->topic, "job.parallel.tensor, E0203, errors");

  const auto [version_app, version_request] =
      line.add<VersionRequest>("version", "what this program was built from", version);
  add_output(*version_app, version_request->output, "table or json");
}

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
    throw line.typed.error(index, fmt::format("\"{}\" is one word too many for {}", word, app.get_name()),
                           fmt::format("clusterwright {} --help", app.get_name()));
  const std::string name = word.substr(0, word.find('='));
  const std::string near = did_you_mean(name, option_names(app));
  throw line.typed.error(index, fmt::format("unknown option \"{}\" of {}", name, app.get_name()),
                         near.empty() ? fmt::format("one of: {}", fmt::join(option_names(app), ", ")) : near);
}

/// Words that the command cannot do without. SECTION, ID, KIND and TOPIC have an answer for their absence.
void check_needed(const CommandLine& line, const CLI::App& app) {
  for (const char* needed : {"SCENARIO", "CLUSTER", "FILE", "NAME", "--gpus"}) {
    const CLI::Option* option = app.get_option_no_throw(needed);
    const bool has_default = std::string(needed) == "--gpus" && app.get_name() == "collective";
    if (!option || option->count() > 0 || has_default) continue;
    const std::string example = std::string(needed) == "--gpus"
                                    ? "--gpus 8..16384x2, or 8..64+8, or 8,16,32"
                                    : fmt::format("clusterwright {} {}", app.get_name(), needed);
    throw line.typed.error(line.words.size(), fmt::format("{} needs {}", app.get_name(), needed), example);
  }
}

/// @return what to do, or nothing after help or the version was printed
Action parse(CommandLine& line) {
  std::vector<const char*> words;
  for (const std::string& word : line.words) words.push_back(word.c_str());
  const bool asks_root =
      line.words.size() > 1 && (line.words[1] == "--help" || line.words[1] == "-h" || line.words[1] == "--version");
  if (!asks_root) check_command(line);
  try {
    line.root.parse(static_cast<int>(words.size()), words.data());
  } catch (const CLI::Success& request) {
    line.root.exit(request);
    return [] { return ExitCode::ok; };
  } catch (const CLI::ParseError& error) {
    throw line.typed.error(line.words.size(), error.what(), fmt::format("clusterwright {} --help", line.words[1]));
  }
  const CLI::App& app = *line.root.get_subcommands().front();
  check_extras(line, app);
  check_needed(line, app);
  return line.action;
}

ExitCode dispatch(const std::vector<std::string>& arguments) {
  CommandLine line(arguments);
  line.root.set_version_flag("--version", "clusterwright " + std::string(build_facts().version));
  line.root.require_subcommand(0, 1);
  add_computing(line);
  add_collective(line);
  add_judging(line);
  add_looking(line);
  add_learning(line);
  return parse(line)();
}

}  // namespace

ExitCode run_command_line(const std::vector<std::string>& arguments) {
  watch_for_interrupt();
  try {
    return dispatch(arguments);
  } catch (const ConfigError& error) {
    std::fputs(error.what(), stderr);
    return ExitCode::wrong_input;
  } catch (const Interrupted&) {
    return ExitCode::interrupted;
  } catch (const ResourceLimit& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return ExitCode::resource_limit;
  } catch (const std::bad_alloc&) {
    std::fputs("error: out of memory\n", stderr);
    return ExitCode::resource_limit;
  } catch (const std::exception& error) {
    fmt::print(stderr, "internal error: {}\nThis is a fault of clusterwright, not of the input.\n", error.what());
    return ExitCode::impossible;
  }
}

}  // namespace clusterwright
