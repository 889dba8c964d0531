/// Runs the program as a user would, in a directory of its own. For tests that are built with CLUSTERWRIGHT_PROGRAM.
#pragma once

#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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

  /// @param arguments  as typed into a shell
  Outcome run(const std::string& arguments) const {
    const std::string command = "cd '" + path_.string() +
                                "' && CLUSTERWRIGHT_CONFIGS='" CLUSTERWRIGHT_CONFIGS "' '" CLUSTERWRIGHT_PROGRAM "' " +
                                arguments + " 2>stderr.txt </dev/null";
    Outcome outcome;
    FILE* const pipe = ::popen(command.c_str(), "r");
    std::array<char, 4096> buffer;
    for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
      outcome.out.append(buffer.data(), n);
    const int status = ::pclose(pipe);
    outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
    std::ostringstream err;
    err << std::ifstream(path_ / "stderr.txt", std::ios::binary).rdbuf();
    outcome.err = err.str();
    return outcome;
  }

 private:
  std::filesystem::path path_;
};

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Wrong input: exit code 2 and the error in the one shape, nothing on standard output.
inline void check_refused(const std::string& arguments, const std::string& code, const std::string& words) {
  const ProgramRoom room;
  const Outcome outcome = room.run(arguments);
  INFO("clusterwright " << arguments << "\n" << outcome.err);
  CHECK(outcome.code == 2);
  CHECK(has(outcome.err, "error[" + code + "]: "));
  CHECK(has(outcome.err, words));
  CHECK(outcome.out.empty());
}

}  // namespace clusterwright::testing
