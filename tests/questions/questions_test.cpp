// SPDX-License-Identifier: Apache-2.0
// Pages that answer questions with commands: each command is run, each quote and each number held against its output.
// CLUSTERWRIGHT_UPDATE_GOLDEN=1 writes new quotes instead; numbers of the text are then to be corrected by hand.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "questions/checked_page.hpp"
#include "questions/number_evidence.hpp"
#include "support/catch.hpp"

using namespace clusterwright::testing;

namespace {

using Lines = std::vector<std::string>;

const std::filesystem::path project = std::filesystem::path(CLUSTERWRIGHT_CONFIGS).parent_path();

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

/// Standard output of one command of the page, whatever its exit code: "does not fit" is an answer too.
Lines output_of(const std::string& command) {
  const std::string run = "cd '" + project.string() +
                          "' && CLUSTERWRIGHT_CONFIGS='" CLUSTERWRIGHT_CONFIGS "' '" CLUSTERWRIGHT_PROGRAM "' " +
                          command + " 2>/dev/null </dev/null";
  std::string text;
  FILE* const pipe = ::popen(run.c_str(), "r");
  REQUIRE(pipe);
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  ::pclose(pipe);
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

bool updating() {
  return std::getenv("CLUSTERWRIGHT_UPDATE_GOLDEN") != nullptr;
}

/// Runs every command once, in the order of the page; rewrites quotes if asked to.
void check_quotes(const std::filesystem::path& file, const CheckedPage& page) {
  std::vector<Lines> quotes;
  for (const PageSection& section : page.sections)
    for (const QuotedCommand& command : section.commands) {
      const Lines output = output_of(command.command);
      quotes.push_back(is_quote_of(command.quoted, output) ? command.quoted : requote(command.quoted, output));
      INFO(file.filename().string() << ":" << command.line << ": clusterwright " << command.command << "\nprints\n"
                                    << joined(output) << "\nthe page quotes\n"
                                    << joined(command.quoted));
      CHECK((updating() || is_quote_of(command.quoted, output)));
    }
  if (updating()) write_quotes(file, quotes);
}

void check_numbers(const PageSection& section) {
  NumberEvidence evidence;
  for (const QuotedCommand& command : section.commands) {
    evidence.add(joined(command.typed), false);
    evidence.add(joined(command.quoted), true);
  }
  for (const std::string& entry : section.numbers) {
    INFO(section.title << "\nentry of <!-- numbers: -->: " << entry);
    CHECK(evidence.add_entry(entry));
  }
  for (const WrittenNumber& number : numbers_in(section.prose)) {
    INFO(section.title << "\nnumber of the text that neither commands nor outputs nor <!-- numbers: --> have: "
                       << number.text);
    CHECK(evidence.bears_out(number));
  }
}

CheckedPage checked(const char* name, std::size_t least_commands) {
  const std::filesystem::path file = project / "docs" / name;
  const CheckedPage page = read_page(file);
  std::size_t commands = 0;
  for (const PageSection& section : page.sections) commands += section.commands.size();
  CHECK(commands >= least_commands);
  check_quotes(file, page);
  return updating() ? read_page(file) : page;
}

}  // namespace

TEST_CASE("docs/questions.md quotes what its commands print, and states no other number", "[questions]") {
  const CheckedPage page = checked("questions.md", 50);
  CHECK(joined(page.unchecked).empty());
  for (const PageSection& section : page.sections) check_numbers(section);
}

TEST_CASE("docs/calibration.md quotes what its commands print", "[questions]") {
  checked("calibration.md", 1);
}

TEST_CASE("docs/validation.md quotes the published designs", "[questions]") {
  checked("validation.md", 1);
}

TEST_CASE("a quote may be cut and must not be empty or different", "[questions]") {
  const Lines output = {"a", "b", "c", "d"};
  CHECK(is_quote_of({"a", "b", "c", "d"}, output));
  CHECK(is_quote_of({"...", "c", "..."}, output));
  CHECK(is_quote_of({"a", "...", "d"}, output));
  CHECK(is_quote_of({"...", "d", "..."}, output));
  CHECK_FALSE(is_quote_of({"a", "c", "..."}, output));
  CHECK_FALSE(is_quote_of({"...", "c"}, output));
  CHECK_FALSE(is_quote_of({"...", "d", "c", "..."}, output));
  CHECK_FALSE(is_quote_of({"..."}, output));
  CHECK_FALSE(is_quote_of({}, output));
}

TEST_CASE("a new quote keeps the lines that were meant", "[questions]") {
  const Lines output = {"Step time  8.0 s", "MFU  41 %", "Memory  80 GB", "Energy  2 J"};
  CHECK(requote({"...", "MFU  40 %", "...", "Energy  1 J"}, output) == Lines{"...", "MFU  41 %", "...", "Energy  2 J"});
}

TEST_CASE("numbers need evidence to the places that are written", "[questions]") {
  NumberEvidence evidence;
  evidence.add("--gpus 64 H100 --bytes 1G", false);
  evidence.add("time 1,315.56 us, 498,252 tokens/s", true);
  const auto stands = [&](const std::string& text) { return evidence.bears_out(numbers_in(text).at(0)); };
  CHECK(stands("64"));
  CHECK_FALSE(stands("65"));
  CHECK_FALSE(stands("100"));  // part of a name
  CHECK(stands("1,316"));
  CHECK(stands("1.3"));  // ms
  CHECK(stands("1.32"));
  CHECK_FALSE(stands("1.33"));
  CHECK(stands("498,000"));
  CHECK_FALSE(stands("497,000"));
  CHECK_FALSE(evidence.add_entry("7 / 64"));
  CHECK_FALSE(evidence.add_entry("64 /"));
  CHECK(evidence.add_entry("8"));
  CHECK(evidence.add_entry("1,316 / 64"));
  CHECK(stands("20.6"));
  CHECK_FALSE(stands("20.7"));
}
