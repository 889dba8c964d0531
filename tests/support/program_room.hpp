// SPDX-License-Identifier: Apache-2.0
/// Runs the program as a user would, in a directory of its own. For tests that are built with CLUSTERWRIGHT_PROGRAM.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>

#include "sim/json_reader.hpp"
#include "support/catch.hpp"

namespace clusterwright::testing {

struct Outcome {
  int code = -1;
  std::string out;
  std::string err;

  JsonValue json() const { return read_json(std::make_shared<SourceText>("output", out)); }
};

inline std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// A directory that goes with the test.
class ProgramRoom {
 public:
  ProgramRoom() {
    std::string name = (std::filesystem::temp_directory_path() / "clusterwright-room-XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  ~ProgramRoom() { std::filesystem::remove_all(path_); }
  ProgramRoom(const ProgramRoom&) = delete;
  ProgramRoom& operator=(const ProgramRoom&) = delete;

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
    return path_ / name;
  }
  std::filesystem::path at(const std::string& name) const { return path_ / name; }
  std::size_t entries() const {
    using Entries = std::filesystem::directory_iterator;
    return static_cast<std::size_t>(std::distance(Entries(path_), Entries()));
  }

  /// @param arguments  as typed into a shell
  Outcome run(const std::string& arguments, const std::filesystem::path& configs = CLUSTERWRIGHT_CONFIGS) const {
    const std::string command = "cd '" + path_.string() + "' && CLUSTERWRIGHT_CONFIGS='" + configs.string() +
                                "' '" CLUSTERWRIGHT_PROGRAM "' " + arguments + " 2>stderr.txt </dev/null";
    Outcome outcome;
    FILE* const pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> buffer;
    for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
      outcome.out.append(buffer.data(), n);
    const int status = ::pclose(pipe);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    outcome.err = content(path_ / "stderr.txt");
    std::filesystem::remove(path_ / "stderr.txt");
    return outcome;
  }

 private:
  std::filesystem::path path_;
};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Wrong input: exit code 2 and the error in the one shape, nothing on standard output, no file.
inline void check_refused(const ProgramRoom& room, const std::string& arguments, const std::string& code,
                          const std::string& words) {
  const std::size_t before = room.entries();
  const Outcome outcome = room.run(arguments);
  INFO("clusterwright " << arguments << "\n" << outcome.err);
  CHECK(outcome.code == 2);
  CHECK(has(outcome.err, "error[" + code + "]: "));
  CHECK(has(outcome.err, words));
  CHECK(outcome.out.empty());
  CHECK(room.entries() == before);
}

inline void check_refused(const std::string& arguments, const std::string& code, const std::string& words) {
  check_refused(ProgramRoom(), arguments, code, words);
}

/// What a command answers in JSON, which must succeed.
inline JsonValue json_answer(const ProgramRoom& room, const std::string& words) {
  const Outcome outcome = room.run(words + " --format json");
  INFO("clusterwright " << words << "\n" << outcome.err);
  REQUIRE(outcome.code == 0);
  return outcome.json();
}

}  // namespace clusterwright::testing
