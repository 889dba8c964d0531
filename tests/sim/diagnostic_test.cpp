// SPDX-License-Identifier: Apache-2.0
#include "sim/diagnostic.hpp"

#include <string>

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// An error at the first occurrence of `word`.
Diagnostic at(const std::string& text, const std::string& word, const std::string& pointer = "/a") {
  const auto source = std::make_shared<const SourceText>("f.json", text);
  return {"E0202", "is wrong", {Place{source, text.find(word), word.size(), pointer}}, "here", "do better"};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("an error is rendered with its line underlined", "[sim][diagnostic]") {
  const std::string text = "{\n  \"a\": \"H100-SXN\",\n}";
  CHECK(render(at(text, "\"H100-SXN\"")) ==
        "error[E0202]: is wrong\n"
        "  --> f.json:2:8  (/a)\n"
        "   |\n"
        " 2 |   \"a\": \"H100-SXN\",\n"
        "   |        ^^^^^^^^^^ here\n"
        "   = help: do better\n");
}

TEST_CASE("further places are named", "[sim][diagnostic]") {
  Diagnostic error = at("{\"a\": 1, \"b\": 2}", "1");
  error.places.push_back(at("x\ny: 7", "7", "/y").places[0]);
  CHECK(contains(render(error), "  --> f.json:1:7  (/a)  and  f.json:2:4  (/y)\n"));
}

TEST_CASE("an error without a place still says what and why", "[sim][diagnostic]") {
  CHECK(render({"E0402", "unknown field", {}, "", ""}) == "error[E0402]: unknown field\n");
  CHECK(contains(render({"E0402", "x", {Place{}}, "", ""}), "(input)"));
}

TEST_CASE("lines and columns count from one, also at the ends", "[sim][diagnostic]") {
  const SourceText text("f", "ab\r\ncd\n");
  CHECK(text.locate(0).line == 1);
  CHECK(text.locate(0).column == 1);
  CHECK(text.locate(4).line == 2);
  CHECK(text.locate(5).column == 2);
  CHECK(text.locate(7).line == 3);     // behind the last newline
  CHECK(text.locate(1000).line == 3);  // behind everything
  CHECK(text.line(1) == "ab");         // without the carriage return
  CHECK(text.line(3).empty());
  CHECK(SourceText("f", "").locate(0).line == 1);
}

TEST_CASE("the underline counts characters, not bytes", "[sim][diagnostic]") {
  const std::string text = render(at("{\"\xC3\xA9\": \"\xE2\x82\xAC\xE2\x82\xAC\", \"a\": 5}", "5"));
  // {"e": "EE", "a": 5}: the 5 is the 18th character
  CHECK(contains(text, "|" + std::string(18, ' ') + "^ here"));
}

TEST_CASE("long lines are cut to a window around the place", "[sim][diagnostic]") {
  const std::string text = render(at(std::string(100000, 'x') + "!" + std::string(100000, 'y'), "!"));
  CHECK(text.size() < 500);
  CHECK(contains(text, "x!y"));
  CHECK(contains(text, "|" + std::string(51, ' ') + "^ here"));
}

TEST_CASE("hostile widths do not make long messages", "[sim][diagnostic]") {
  Diagnostic error = at("{\"a\": 1}", "1", "/" + std::string(100000, 'k'));
  error.places[0].length = std::size_t(-1);
  CHECK(render(error).size() < 600);
  error.places[0].offset = std::size_t(-1);
  CHECK(render(error).size() < 600);
  CHECK(render(at(std::string(100000, '\x80') + "!", "!")).size() < 600);
}

TEST_CASE("control characters of a file do not reach the terminal", "[sim][diagnostic]") {
  const std::string hostile =
      "\x1b[2J\x07 \xC2\x9B"
      "31m \xff \x7f 1";
  Diagnostic error = at(hostile, "1", "/\x1b[2J");
  error.message = hostile;
  error.help = hostile;
  for (const char c : render(error)) {
    CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
    CHECK(static_cast<unsigned char>(c) < 0x7f);
  }
}

TEST_CASE("an error carries at most the limit of diagnostics", "[sim][diagnostic]") {
  const ConfigError error(std::vector<Diagnostic>(100, at("1", "1")));
  CHECK(error.diagnostics().size() == ConfigError::limit);
  CHECK(contains(error.what(), "error[E0202]"));
}

TEST_CASE("the closest candidate is within two edits or a third of the word", "[sim][diagnostic]") {
  const std::vector<std::string> parts = {"H100-SXM", "H100-PCIe", "A100-80-SXM"};
  CHECK(closest("H100-SXN", parts) == "H100-SXM");
  CHECK(closest("h100_sxm", parts) == "H100-SXM");  // case does not count
  CHECK(closest("A100-SXM", parts) == "H100-SXM");  // one edit; the other needs three
  CHECK(closest("TPU", parts).empty());
  CHECK(closest("", parts).empty());
  CHECK(closest("x", {}).empty());
  CHECK(closest(std::string(1000000, 'H'), parts).empty());
  CHECK(did_you_mean("H100-SXN", parts) == "did you mean \"H100-SXM\"?");
}
