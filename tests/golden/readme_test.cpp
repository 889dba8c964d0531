// SPDX-License-Identifier: Apache-2.0
// README shows what the program prints, not what it once printed.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/catch.hpp"

namespace {

const std::filesystem::path project = std::filesystem::path(CLUSTERWRIGHT_CONFIGS).parent_path();

std::string readme() {
  std::ifstream in(project / "README.md", std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  REQUIRE(pipe);
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  REQUIRE(pclose(pipe) == 0);
  return text;
}

}  // namespace

TEST_CASE("the command on README's first screen prints what stands below it", "[golden]") {
  const std::string text = readme();
  const std::string opening = "```\n$ clusterwright ";
  const std::size_t command_at = text.find(opening) + opening.size();
  const std::size_t output_at = text.find("\n\n", command_at) + 2;
  const std::size_t end = text.find("```\n", output_at);
  REQUIRE(end != std::string::npos);
  const std::string command = text.substr(command_at, output_at - 2 - command_at);
  const std::string run = "cd '" + project.string() + "' && '" + CLUSTERWRIGHT_PROGRAM + "' " + command + " --quiet";
  CHECK(output_of(run) == text.substr(output_at, end - output_at));
}
