// SPDX-License-Identifier: Apache-2.0
#include "sim/json_reader.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/json_writer.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

JsonValue read_text(const std::string& text, const JsonLimits& limits = {}) {
  return read_json(std::make_shared<const SourceText>("t.json", text), limits);
}

/// The errors of a text that must not be accepted.
std::vector<Diagnostic> errors_of(const std::string& text, const JsonLimits& limits = {}) {
  try {
    read_text(text, limits);
  } catch (const ConfigError& error) {
    return error.diagnostics();
  }
  FAIL("accepted: " << text.substr(0, 80));
  return {};
}

/// Code and the underlined text of the only error.
std::pair<std::string, std::string> error_at(const std::string& text, const JsonLimits& limits = {}) {
  const auto errors = errors_of(text, limits);
  REQUIRE(errors.size() == 1);
  REQUIRE(errors[0].places.size() >= 1);
  const Place& place = errors[0].places[0];
  REQUIRE(place.offset + place.length <= text.size());
  return {errors[0].code, text.substr(place.offset, place.length)};
}

std::string text_at(const JsonValue& value) {
  return std::string(value.source->text().substr(value.offset, value.length));
}

using Found = std::pair<std::string, std::string>;

}  // namespace

TEST_CASE("every value knows where it was written", "[sim][json]") {
  const JsonValue root = read_text(R"({"a": 12, "b" : [true, null,-1.5e3 ,"x\"y"], "c":{"d":7}/* end */})");
  CHECK(text_at(root.at("a")) == "12");
  CHECK(text_at(*root.at_pointer("/b/0")) == "true");
  CHECK(text_at(*root.at_pointer("/b/1")) == "null");
  CHECK(text_at(*root.at_pointer("/b/2")) == "-1.5e3");
  CHECK(text_at(*root.at_pointer("/b/3")) == R"("x\"y")");
  CHECK(text_at(*root.at_pointer("/c/d")) == "7");
  CHECK(text_at(root.at("c")) == "{");  // containers are underlined where they open
}

TEST_CASE("keys know where they were written", "[sim][json]") {
  const std::string text = R"({ "say \"hi\"" : 1, "\u0061": {"inner": 2} , "z":3})";
  const JsonValue root = read_text(text);
  const auto key_of = [&](const JsonValue& v) { return text.substr(v.key_offset, v.key_length); };
  CHECK(key_of(root.at("say \"hi\"")) == R"("say \"hi\"")");
  CHECK(key_of(root.at("a")) == R"("\u0061")");
  CHECK(key_of(*root.at_pointer("/a/inner")) == R"("inner")");
  CHECK(key_of(root.at("z")) == R"("z")");
}

TEST_CASE("a number that ends at a comment, a bracket or the end keeps its place", "[sim][json]") {
  CHECK(text_at(read_text("42")) == "42");
  CHECK(text_at(read_text(" 42\n")) == "42");
  CHECK(text_at(*read_text("[42/* c */]").at_pointer("/0")) == "42");
  CHECK(text_at(*read_text("[42// c\n]").at_pointer("/0")) == "42");
  CHECK(text_at(*read_text("[[1],2]").at_pointer("/0/0")) == "1");
  CHECK(text_at(*read_text("[1e2,2E-3]").at_pointer("/1")) == "2E-3");
}

TEST_CASE("strings with backslashes before the quote keep their place", "[sim][json]") {
  CHECK(text_at(read_text(R"("")")) == R"("")");
  CHECK(text_at(read_text(R"("\\")")) == R"("\\")");
  CHECK(text_at(*read_text(R"(["\\\"", "a\\"])").at_pointer("/1")) == R"("a\\")");
  CHECK(text_at(*read_text(R"(["\\\"", "a\\"])").at_pointer("/0")) == R"("\\\"")");
}

TEST_CASE("comments may stand wherever blanks may", "[sim][json]") {
  const JsonValue root = read_text("// first\n{ /* \"no\": 1, */ \"a\": 1, // \"b\"\n \"c\": [1, /**/ 2] }\n// last");
  CHECK(root.members().size() == 2);
  CHECK(root.at("c").elements().size() == 2);
  CHECK(text_at(*root.at_pointer("/c/1")) == "2");
  CHECK(errors_of("{} /* open")[0].code == "E0101");
}

TEST_CASE("a byte order mark is skipped", "[sim][json]") {
  CHECK(read_text("\xEF\xBB\xBF{\"a\":1}").at("a").as_integer() == 1);
}

TEST_CASE("duplicate keys are all reported, with both places", "[sim][json]") {
  const std::string text = "{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2},\n \"\\u0061\": 3}";
  const auto errors = errors_of(text);
  REQUIRE(errors.size() == 2);
  CHECK(errors[0].code == "E0103");
  CHECK(errors[0].message == "duplicate key \"c\"");
  // The same name written with an escape is the same key.
  CHECK(errors[1].message == "duplicate key \"a\"");
  REQUIRE(errors[1].places.size() == 2);
  CHECK(text.substr(errors[1].places[0].offset, errors[1].places[0].length) == "\"\\u0061\"");
  CHECK(text.substr(errors[1].places[1].offset, errors[1].places[1].length) == "\"a\"");
}

TEST_CASE("a thousand duplicate keys give at most the limit of errors", "[sim][json]") {
  std::string text = "{\"k\": 0";
  for (int i = 0; i < 1000; ++i) text += ", \"k\": 1";
  CHECK(errors_of(text + "}").size() == ConfigError::limit);
}

TEST_CASE("syntax errors point at the token that is wrong", "[sim][json]") {
  CHECK(error_at(R"({"a" 12})") == Found("E0101", "12"));
  CHECK(error_at(R"({"a": 1 "b": 2})") == Found("E0101", "\"b\""));
  CHECK(error_at(R"([1, 2,])") == Found("E0101", "]"));
  CHECK(error_at(R"({"a": tru})") == Found("E0101", "}"));
  CHECK(error_at(R"({} x)") == Found("E0101", "x"));
  CHECK(error_at(R"({'a': 1})") == Found("E0101", "'"));
  CHECK(error_at(R"([01])") == Found("E0101", "01"));
  CHECK(error_at(R"({true: 1})") == Found("E0101", "true"));
  CHECK(error_at(R"({"a" /* c */ "b\"c"})") == Found("E0101", R"("b\"c")"));
  CHECK(error_at(R"(["unexpected end of input\q"])") == Found("E0101", "q"));
  CHECK(error_at(R"([1.])") == Found("E0101", "]"));
  CHECK(error_at(R"([NaN])") == Found("E0101", "N"));
  CHECK(error_at("[\"a\nb\"]") == Found("E0101", "\n"));
}

TEST_CASE("a wrong token at the very end is not called the end of the text", "[sim][json]") {
  CHECK(errors_of("[1,]")[0].underline.empty());
  CHECK(errors_of("[1,")[0].underline == "the text ends here");
}

TEST_CASE("a truncated text is reported at its last character", "[sim][json]") {
  CHECK(error_at("{\"a\": [1, 2\n\n") == Found("E0101", "2"));
  CHECK(error_at("{\"a\"") == Found("E0101", "\""));
  CHECK(error_at("[\"abc") == Found("E0101", "c"));
  CHECK(error_at("[tru") == Found("E0101", "u"));
  CHECK(errors_of("")[0].code == "E0101");
  CHECK(errors_of(" \n ")[0].code == "E0101");
}

TEST_CASE("every truncation of a text is one error with a place inside", "[sim][json]") {
  const std::string text = "{\"a\": [1, -2.5e1, true, null, \"x\\u00e9\\n\"], /* c */ \"b\": {\"c\": {}}}";
  for (std::size_t n = 0; n < text.size(); ++n) {
    const auto errors = errors_of(text.substr(0, n));
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].places[0].offset <= n);
    CHECK_FALSE(render(errors[0]).empty());
  }
}

TEST_CASE("numbers that no double holds are errors", "[sim][json]") {
  CHECK(error_at("[1e400]") == Found("E0202", "1e400"));
  CHECK(error_at("{\"a\":-1e400 }") == Found("E0202", "-1e400"));
  CHECK(error_at("1" + std::string(400, '0')).first == "E0202");
  CHECK(read_text("[1e-400]").elements()[0].as_number() == 0);
}

TEST_CASE("integers are exact up to 64 bits with sign", "[sim][json]") {
  CHECK(read_text("9223372036854775807").as_integer() == INT64_MAX);
  CHECK(read_text("-9223372036854775808").as_integer() == INT64_MIN);
  CHECK(read_text("9223372036854775808").kind() == JsonKind::number);
  CHECK(read_text("18446744073709551616").kind() == JsonKind::number);  // 2^64
  CHECK(read_text("18446744073709551616").as_number() == 18446744073709551616.0);
  CHECK(read_text("1.0").kind() == JsonKind::number);
  CHECK(read_text("-0").as_integer() == 0);
}

TEST_CASE("malformed UTF-8 is an error, and its message is printable", "[sim][json]") {
  for (const std::string bad :
       {"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xe2\x82\"", "\"\xf5\x80\x80\x80\""}) {
    const auto errors = errors_of(bad);
    REQUIRE(errors.size() == 1);
    CHECK(errors[0].code == "E0101");
    for (const char c : render(errors[0])) CHECK(static_cast<unsigned char>(c) < 0x80);
  }
  CHECK(errors_of(R"("\ud800")")[0].code == "E0101");
  CHECK(read_text(R"("\ud83d\ude00")").as_text() == "\xF0\x9F\x98\x80");
}

TEST_CASE("caps stop hostile texts", "[sim][json]") {
  JsonLimits limits;
  limits.depth = 4;
  limits.values = 10;
  limits.members = 3;
  CHECK(read_text("[[[[1]]]]", limits).is(JsonKind::list));
  CHECK(error_at("[[[[[1]]]]]", limits) == Found("E0501", "["));
  CHECK(error_at("[1,2,3,4,5,6,7,8,9,10]", limits) == Found("E0501", "1"));  // with the list itself, 10 is the 11th
  CHECK(error_at(R"({"a":1,"b":1,"c":1,"d":1})", limits) == Found("E0501", "\""));
  CHECK(error_at(std::string(1000000, '[')) == Found("E0501", "["));
  CHECK(errors_of("{\"a\":" + std::string(100000, '[')).size() == 1);
}

TEST_CASE("pointers find values", "[sim][json]") {
  const JsonValue root = read_text(R"({"a/b": [10, {"~": 20}], "": 30})");
  CHECK(root.at_pointer("") == &root);
  CHECK(root.at_pointer("/a~1b/0")->as_integer() == 10);
  CHECK(root.at_pointer("/a~1b/1/~0")->as_integer() == 20);
  CHECK(root.at_pointer("/")->as_integer() == 30);
  for (const char* missing :
       {"/x", "/a~1b/2", "/a~1b/-1", "/a~1b/0/0", "/a~1b/1x", "a~1b", "/a~1b/99999999999999999999"})
    CHECK(root.at_pointer(missing) == nullptr);
}

TEST_CASE("what is written reads back the same", "[sim][json]") {
  const std::string text = R"({"z":1,"a":[0.1,1e+300,-9223372036854775808,true,null,"q\"\\\n"],"o":{}})";
  CHECK(write_json(read_text(text), -1) == text);
  CHECK_THROWS_AS(write_json(JsonValue(std::numeric_limits<double>::infinity())), std::logic_error);
  CHECK_THROWS_AS(write_json(JsonValue(std::numeric_limits<double>::quiet_NaN())), std::logic_error);
}

TEST_CASE("files that cannot be read say so", "[sim][json]") {
  const auto directory =
      std::filesystem::temp_directory_path() / ("clusterwright_json_reader_test_" + std::to_string(getpid()));
  std::filesystem::create_directories(directory);
  std::ofstream(directory / "big.json") << std::string(100, ' ');
  JsonLimits limits;
  limits.bytes = 99;
  const auto code_of = [&](const std::filesystem::path& path) {
    try {
      read_json_file(path, limits);
    } catch (const ConfigError& error) {
      return error.diagnostics()[0].code;
    }
    return std::string("accepted");
  };
  CHECK(code_of(directory / "none.json") == "E0401");
  CHECK(code_of(directory) == "E0401");
  CHECK(code_of(directory / "big.json") == "E0501");
  std::filesystem::remove_all(directory);
}
