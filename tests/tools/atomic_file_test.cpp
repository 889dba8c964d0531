// SPDX-License-Identifier: Apache-2.0
#include "tools/output/output_target.hpp"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "sim/diagnostic.hpp"
#include "support/catch.hpp"

using namespace clusterwright;
namespace fs = std::filesystem;

namespace {

/// A directory of its own that goes with the test.
struct Folder {
  Folder() {
    std::string name = (fs::temp_directory_path() / "clusterwright-test-XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  ~Folder() { fs::remove_all(path); }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  fs::path path;
};

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string code_of(const std::function<void()>& write) {
  try {
    write();
  } catch (const ConfigError& error) {
    return error.diagnostics()[0].code;
  }
  return "no error";
}

}  // namespace

TEST_CASE("a file is written whole and replaced whole, and nothing stays beside it", "[tools]") {
  const Folder room;
  const fs::path file = room.path / "result.json";
  write_file(file, "first");
  CHECK(bytes_of(file) == "first");
  write_file(file, "");
  CHECK(bytes_of(file).empty());
  CHECK(room.entries() == 1);
}

TEST_CASE("a new file follows the umask", "[tools]") {
  const Folder room;
  const mode_t before = ::umask(027);
  write_file(room.path / "result.json", "x");
  ::umask(before);
  CHECK((fs::status(room.path / "result.json").permissions() & fs::perms::mask) == fs::perms(0640));
}

TEST_CASE("where nothing can be written there is an error and no file", "[tools]") {
  const Folder room;
  CHECK(code_of([&] { write_file(room.path / "missing" / "x.json", "x"); }) == "E0405");
  CHECK(code_of([&] { write_file(room.path, "x"); }) == "E0405");  // a directory
  CHECK(room.entries() == 0);
}

TEST_CASE("a full disk is a limit of the machine, not wrong input", "[tools]") {
  CHECK_THROWS_AS(write_file("/dev/full", "x"), ResourceLimit);
}

TEST_CASE("a file that must be new never replaces another", "[tools]") {
  const Folder room;
  const fs::path file = room.path / "mine.json";
  write_new_file(file, "mine");
  CHECK(code_of([&] { write_new_file(file, "other"); }) == "E0405");
  CHECK(bytes_of(file) == "mine");
  CHECK(room.entries() == 1);
}
