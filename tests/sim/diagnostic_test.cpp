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

TEST_CASE("a value of no file is named by its path", "[sim][diagnostic]") {
  const Place batch{nullptr, 0, 1, "/job/global_batch"};
  CHECK(render({"E0312", "x", {batch}, "", ""}) == "error[E0312]: x\n  --> job.global_batch (in no file)\n");
  Diagnostic error = at("{\"a\": 1}", "1");
  error.places.push_back(batch);
  CHECK(contains(render(error), "  --> f.json:1:7  (/a)  and  job.global_batch (in no file)\n"));
  CHECK(render({"E0312", "x", {Place{nullptr, 0, 1, "/" + std::string(100000, 'k')}}, "", ""}).size() < 300);
}

TEST_CASE("the closest candidate is within two edits or a third of the word", "[sim][diagnostic]") {
  const std::vector<std::string> parts = {"H100-SXM", "H100-PCIe", "A100-80-SXM"};
  CHECK(closest("H100-SXN", parts) == "H100-SXM");
  CHECK(closest("h100_sxm", parts) == "H100-SXM");  // case and separators do not count
  CHECK(closest("TPU", parts).empty());
  CHECK(closest("", parts).empty());
  CHECK(closest("-", parts).empty());
  CHECK(closest("x", {}).empty());
  CHECK(closest(std::string(1000000, 'H'), parts).empty());
  CHECK(did_you_mean("H100-SXN", parts) == "did you mean \"H100-SXM\"?");
}

TEST_CASE("a beginning stands for all names that go on from it, at most three", "[sim][diagnostic]") {
  const std::vector<std::string> parts = {"P100",      "A100-80-SXM", "H100-SXM",         "H100-PCIe", "H100-NVL-94GB",
                                          "H100-96GB", "GB200-GPU",   "GB200 NVL72 rack", "B200"};
  CHECK(did_you_mean("H100", parts) == "did you mean \"H100-SXM\", \"H100-PCIe\" or \"H100-96GB\"?");  // shortest first
  CHECK(did_you_mean("A100", parts) == "did you mean \"A100-80-SXM\"?");  // not P100, one edit away
  CHECK(did_you_mean("GB200", parts) == "did you mean \"GB200-GPU\" or \"GB200 NVL72 rack\"?");  // nor B200
  CHECK(did_you_mean("gb200_nvl72", parts) == "did you mean \"GB200 NVL72 rack\"?");
  CHECK(did_you_mean("b200", parts) == "did you mean \"B200\"?");  // the name itself, not names that contain it
}

TEST_CASE("a part of a name comes before a name that is near", "[sim][diagnostic]") {
  CHECK(did_you_mean("B300", {"B100", "GB300-GPU", "DGX B300 (AC)"}) ==
        "did you mean \"GB300-GPU\" or \"DGX B300 (AC)\"?");
  CHECK(did_you_mean("batch", {"bath", "micro_batch", "global_batch"}) ==
        "did you mean \"micro_batch\" or \"global_batch\"?");
  CHECK(closest("run", {"runs", "prune"}) == "runs");
  CHECK(closest("rum", {"drumming", "run"}) == "run");  // three letters are part of too many words
}

TEST_CASE("of names equally near, the longer common beginning is meant", "[sim][diagnostic]") {
  CHECK(closest("A100-SXM", {"H100-SXM", "A100-80-SXM"}) == "A100-80-SXM");
  CHECK(closest("H200-SXM", {"H100-SXM", "H200"}) == "H200");  // an ending too many
  CHECK(closest("llama-70b", {"llama3-8b", "llama3-70b", "qwen-70b"}) == "llama3-70b");
  CHECK(closest("B300", {"B100"}) == "B100");
}

TEST_CASE("a name that is known is not suggested in its own place", "[sim][diagnostic]") {
  CHECK(did_you_mean("H20", {"H20"}).empty());
  CHECK(did_you_mean("H20", {"H20", "H200", "H200"}) == "did you mean \"H200\"?");  // once
  CHECK(is_same_name("dgx_h100", "DGX H100"));
  CHECK_FALSE(is_same_name("H20", "H200"));
}
