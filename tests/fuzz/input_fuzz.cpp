// SPDX-License-Identifier: Apache-2.0
// The whole program on random input, in process: values drawn from the field tables, and mutations of every kind of
// shipped file. The gate on the way out is the oracle: whatever the input, an answer obeys the laws, or the input is
// refused. Exit code 70 (internal error), a signal, or more than a minute of CPU time is a finding.
//
//   input_fuzz --fields 2000 --mutations 100000 --seed 1
//   input_fuzz --fields 200 --mutations 0 --accepted 1     prints the drawn commands that got an answer
//
// Runs go in batches through child processes, so that a crash costs one batch. A finding leaves its file behind.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>

#include "models/job/scenario_loader.hpp"
#include "mutations.hpp"
#include "tools/cli/command_line.hpp"

namespace fs = std::filesystem;
using namespace clusterwright;
using namespace clusterwright::fuzz;

namespace {

constexpr unsigned longest_run_s = 60;
constexpr int batch_size = 200;

struct Settings {
  long fields = 200;
  long mutations = 1000;
  std::uint64_t seed = 1;
  bool accepted = false;  ///< prints accepted commands, to be checked by hand
};

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Copy of the shipped files in which one file at a time is changed.
struct Room {
  explicit Room(const fs::path& shipped) {
    std::string name = (fs::temp_directory_path() / "clusterwright-fuzz-XXXXXX").string();
    root = ::mkdtemp(name.data());
    configs = root / "configs";
    fs::copy(shipped, configs, fs::copy_options::recursive);
    ::setenv("CLUSTERWRIGHT_CONFIGS", configs.c_str(), 1);
    for (const auto& entry : fs::recursive_directory_iterator(configs))
      if (entry.path().extension() == ".json" && entry.path().parent_path().filename() != "schema")
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
  }

  /// What the batch ran last: all that is known of a run that a signal ended.
  fs::path last_run() const { return root / "last-run.txt"; }
  std::string scenario(const std::string& name) const { return (configs / "scenarios" / (name + ".json")).string(); }

  fs::path root, configs;
  std::vector<fs::path> files;
};

using Command = std::vector<std::string>;

const std::vector<std::string> base_scenarios = {"llama3-8b-h100-64", "mixtral-8x7b-h100", "llama3-70b-h100",
                                                 "llama3-8b-single-node", "multimodal-8b-loader-bound"};

std::string base_of(const Room& room, Random& random) {
  return room.scenario(base_scenarios[draw(random, base_scenarios.size())]);
}

/// Commands that read a file of the folder.
std::vector<Command> commands_for(const Room& room, const fs::path& file, Random& random) {
  const std::string folder = file.parent_path().filename().string(), path = file.string();
  const std::string base = base_of(room, random);
  if (folder == "scenarios")
    return {
        {"run", path}, {"size", path}, {"scale", path, "--gpus", "64..1024x4"}, {"collective", path, "--bytes", "1M"}};
  if (folder == "clusters")
    return {{"size", path}, {"collective", path, "--bytes", "1M"}, {"show", path, "--topology"}};
  if (folder == "blueprints" || folder == "designs") return {{"audit", path}};
  if (folder == "transformers") return {{"run", base, "--set", "transformer=" + path}};
  if (folder == "stacks") return {{"run", base, "--set", "job.stack=" + path}};
  if (folder == "facilities") return {{"size", base, "--set", "cluster.facility.like=" + path}};
  if (folder == "prices") return {{"size", base, "--prices", path}};
  if (folder == "parameters")
    return {{"run", base, "--parameters", path}, {"collective", base, "--parameters", path, "--bytes", "1M"}};
  if (folder == "steps") return {{"run", base, "--set", "steps=" + path}};
  return {{"run", base}, {"size", base}, {"catalog", "accelerators"}};  // parts
}

/// Files of a kind are equally likely, however many there are.
const fs::path& drawn_file(const Room& room, Random& random) {
  std::map<std::string, std::vector<const fs::path*>> kinds;
  for (const fs::path& file : room.files) kinds[file.parent_path().filename().string()].push_back(&file);
  auto kind = kinds.begin();
  std::advance(kind, static_cast<std::ptrdiff_t>(draw(random, kinds.size())));
  return *kind->second[draw(random, kind->second.size())];
}

Command field_command(const Room& room, Random& random) {
  static const std::vector<DrawnField> fields = drawn_fields(scenario_spec());
  static const std::vector<std::string> commands = {"run", "run", "size", "scale"};
  Command command = {commands[draw(random, commands.size())], base_of(room, random)};
  if (command.front() == "scale") command.insert(command.end(), {"--gpus", "32..256x2"});
  for (std::size_t i = 0; i < 1 + draw(random, 3); ++i) {
    const DrawnField& drawn = fields[draw(random, fields.size())];
    command.insert(command.end(), {"--set", drawn.path + "=" + drawn_value(*drawn.field, random)});
  }
  return command;
}

struct Tally {
  std::map<int, long> by_code;
  long findings = 0;
};

std::string line_of(const Command& command) {
  std::string line;
  for (const std::string& word : command) line += " '" + word + "'";
  return line;
}

void report(const Room& room, const Command& command, const std::string& what, const std::string& text) {
  static int number = 0;
  const fs::path kept = fs::path("fuzz-findings");
  fs::create_directories(kept);
  const fs::path file = kept / fmt::format("{}-{}.txt", ::getpid(), number++);
  const std::string line = line_of(command);
  std::ofstream(file) << what << "\n" << line << "\n" << content(room.root / "stderr.txt") << "\n" << text;
  ::dprintf(3, "FINDING %s:%s\n  %s\n", what.c_str(), line.c_str(), file.c_str());
}

/// Ends this process by a signal after that much CPU time, whatever else the machine does; 0: never.
void limit_cpu_time(unsigned seconds) {
  ::itimerval limit{};
  limit.it_value.tv_sec = seconds;
  ::setitimer(ITIMER_PROF, &limit, nullptr);
}

/// One run with its output thrown away. @param text  of the mutated file, for findings
int run_once(const Room& room, const Command& command, const std::string& text) {
  std::ofstream(room.last_run()) << line_of(command) << "\n" << text;
  limit_cpu_time(longest_run_s);
  if (!std::freopen((room.root / "stderr.txt").c_str(), "w", stderr)) std::abort();
  const int code = static_cast<int>(run_command_line(command));
  std::fflush(stderr);
  limit_cpu_time(0);
  if (code == static_cast<int>(ExitCode::internal_error)) report(room, command, "internal error", text);
  return code;
}

int mutation_run(const Room& room, Random& random) {
  const fs::path& file = drawn_file(room, random);
  const std::string before = content(file), after = mutated(before, random);
  const std::vector<Command> commands = commands_for(room, file, random);
  const Command& command = commands[draw(random, commands.size())];
  std::ofstream(file, std::ios::binary) << after;
  const int code = run_once(room, command, after);
  std::ofstream(file, std::ios::binary) << before;
  return code;
}

/// A batch in a child process. @return its tally, or a finding where it died
void child(const Room& room, std::uint64_t seed, int runs, bool fields, int result, bool accepted) {
  Random random(seed);
  if (!std::freopen("/dev/null", "w", stdout)) std::abort();
  for (int i = 0; i < runs; ++i) {
    const Command command = fields ? field_command(room, random) : Command{};
    const int code = fields ? run_once(room, command, "") : mutation_run(room, random);
    if (accepted && fields && code == 0) ::dprintf(3, "ACCEPTED%s\n", line_of(command).c_str());
    const auto byte = static_cast<unsigned char>(code);
    if (::write(result, &byte, 1) != 1) std::abort();
  }
  ::_exit(0);
}

void run_batch(const fs::path& shipped, std::uint64_t seed, int runs, bool fields, bool accepted, Tally& tally) {
  const Room room(shipped);
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const pid_t pid = ::fork();
  if (pid == 0) child(room, seed, runs, fields, ends[1], accepted);
  ::close(ends[1]);
  unsigned char code = 0;
  int done = 0;
  for (; ::read(ends[0], &code, 1) == 1; ++done) ++tally.by_code[code];
  ::close(ends[0]);
  int status = 0;
  ::waitpid(pid, &status, 0);
  if (done < runs) {
    ++tally.findings;
    fmt::print("FINDING signal {} in run {} of the batch with seed {}:\n{}\n", WTERMSIG(status), done, seed,
               content(room.last_run()));
  }
  fs::remove_all(room.root);
}

void run_all(const fs::path& shipped, long runs, const Settings& settings, bool fields, Tally& tally) {
  for (long done = 0; done < runs; done += batch_size)
    run_batch(shipped, settings.seed * 1'000'003 + static_cast<std::uint64_t>(done) + (fields ? 1 : 0),
              static_cast<int>(std::min<long>(batch_size, runs - done)), fields, settings.accepted, tally);
}

Settings settings_of(int count, char** words) {
  Settings out;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string name = words[i];
    if (name == "--fields") out.fields = std::atol(words[i + 1]);
    if (name == "--mutations") out.mutations = std::atol(words[i + 1]);
    if (name == "--accepted") out.accepted = true;
    if (name == "--seed") out.seed = std::strtoull(words[i + 1], nullptr, 10);
  }
  return out;
}

}  // namespace

int main(int count, char** words) {
  const Settings settings = settings_of(count, words);
  ::dup2(1, 3);  // findings of children, whose own output is thrown away
  Tally tally;
  run_all(CLUSTERWRIGHT_CONFIGS, settings.fields, settings, true, tally);
  run_all(CLUSTERWRIGHT_CONFIGS, settings.mutations, settings, false, tally);
  for (const auto& [code, runs] : tally.by_code) fmt::print("exit code {:>3}: {} runs\n", code, runs);
  const long internal = tally.by_code[static_cast<int>(ExitCode::internal_error)];
  fmt::print("{} internal errors, {} batches that died\n", internal, tally.findings);
  return internal + tally.findings > 0 ? 1 : 0;
}
