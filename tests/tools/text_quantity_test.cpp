// SPDX-License-Identifier: Apache-2.0
#include "tools/typed_text.hpp"

#include "sim/diagnostic.hpp"
#include "support/catch.hpp"

using namespace clusterwright;

namespace {

/// The message of the one error that reading must give, or "no error".
template <class Parse>
std::string refusal(Parse parse, const std::string& text) {
  try {
    parse(TypedText{"--gpus", text});
  } catch (const ConfigError& error) {
    CHECK(error.diagnostics().size() == 1);
    CHECK(error.diagnostics()[0].code == "E0403");
    CHECK_FALSE(error.diagnostics()[0].help.empty());
    return error.diagnostics()[0].message;
  }
  return "no error";
}

std::vector<int> counts_in(const std::string& text) {
  return parse_counts({"--gpus", text});
}

}  // namespace

TEST_CASE("a range multiplies, adds, or doubles where nothing is said", "[tools]") {
  CHECK(counts_in("8..64") == std::vector{8, 16, 32, 64});
  CHECK(counts_in("8..128x4") == std::vector{8, 32, 128});
  CHECK(counts_in("8..32+8") == std::vector{8, 16, 24, 32});
  CHECK(counts_in("1024..16384x2") == std::vector{1024, 2048, 4096, 8192, 16384});
}

TEST_CASE("the end of a range belongs to it only if a step arrives there", "[tools]") {
  CHECK(counts_in("8..100x2") == std::vector{8, 16, 32, 64});
  CHECK(counts_in("8..20+8") == std::vector{8, 16});
}

TEST_CASE("a list is sorted and each count appears once", "[tools]") {
  CHECK(counts_in("32,8,16,8") == std::vector{8, 16, 32});
  CHECK(counts_in("8..32,24") == std::vector{8, 16, 24, 32});
  CHECK(counts_in("1k,2Ki") == std::vector{1000, 2048});
  CHECK(counts_in("8") == std::vector{8});
}

TEST_CASE("a factor need not be whole: values are rounded and stay ascending", "[tools]") {
  // 8, 12, 18, 27, 40.5 -> 41 (rounded away from zero), 60.75 -> 61
  CHECK(counts_in("8..64x1.5") == std::vector{8, 12, 18, 27, 41, 61});
}

TEST_CASE("counts below one, broken and backward ranges are refused with the reason", "[tools]") {
  CHECK(refusal(parse_counts, "0..8") == "must be >= 1 (got 0)");
  CHECK(refusal(parse_counts, "0") == "must be >= 1 (got 0)");
  CHECK(refusal(parse_counts, "-8") == "must be >= 1 (got -8)");
  CHECK(refusal(parse_counts, "64..8") == "the end of the range is below its start");
  CHECK(refusal(parse_counts, "8..64x1") == "a factor must be > 1 (got 1)");
  CHECK(refusal(parse_counts, "8..64x0.5") == "a factor must be > 1 (got 0.5)");
  CHECK(refusal(parse_counts, "8..64+0") == "must be >= 1 (got 0)");
  CHECK(refusal(parse_counts, "8.5") == "must be a whole number (got 8.5)");
  CHECK(refusal(parse_counts, "8,,16") == "a number is missing");
  CHECK(refusal(parse_counts, "8..") == "a number is missing");
  CHECK(refusal(parse_counts, "") == "a number is missing");
  CHECK(refusal(parse_counts, "many") == "\"many\" does not begin with a number");
  CHECK(refusal(parse_counts, "8Q") == "unknown unit \"Q\"");
  CHECK(refusal(parse_counts, "nan") == "\"nan\" does not begin with a number");
  CHECK(refusal(parse_counts, "1e400") == "\"1e400\" is too large");
  CHECK(refusal(parse_counts, "3000M") == "must be <= 2147483647 (got 3000M)");
}

TEST_CASE("a range of too many points is refused before it is built", "[tools]") {
  CHECK(counts_in("1..4096+1").size() == 4096);
  CHECK(refusal(parse_counts, "1..4097+1") == "has more than 4096 points");
  CHECK(refusal(parse_counts, "1..2000000000+1") == "has more than 4096 points");
}

TEST_CASE("an error underlines the part that is wrong", "[tools]") {
  try {
    counts_in("8..64xtwo");
    FAIL("no error");
  } catch (const ConfigError& error) {
    CHECK(error.diagnostics()[0].places[0].offset == 6);
    CHECK(error.diagnostics()[0].places[0].source->name() == "--gpus");
  }
}

TEST_CASE("b is a bit and B a byte, k is 1000 and Ki 1024", "[tools]") {
  const auto bytes = [](const std::string& text) { return parse_bytes({"--bytes", text}).in(byte); };
  CHECK(bytes("8") == 8);
  CHECK(bytes("8B") == 8);
  CHECK(bytes("8b") == 1);
  CHECK(bytes("8k") == 8000);
  CHECK(bytes("8G") == 8e9);
  CHECK(bytes("8GB") == 8e9);
  CHECK(bytes("8Gb") == 1e9);
  CHECK(bytes("8GiB") == 8 * 1073741824.0);
  CHECK(bytes("1.5MiB") == 1.5 * 1048576);
  CHECK(refusal(parse_bytes, "8GW") == "unknown unit \"GW\"");
  CHECK(refusal(parse_bytes, "8g") == "unknown unit \"g\"");
}

TEST_CASE("byte sizes make ranges as counts do", "[tools]") {
  const auto sizes = parse_byte_sizes({"--bytes", "8..8Gx2"});
  // 8 B x 2^29 = 4.29 GB is the last below 8 GB
  CHECK(sizes.size() == 30);
  CHECK(sizes.back().in(byte) == 8 * 536870912.0);
}

TEST_CASE("power and durations need their unit", "[tools]") {
  CHECK(parse_power({"--max-power", "20MW"}).in(megawatt) == Approx(20));
  CHECK(parse_power({"--max-power", "43.1kW"}).in(watt) == Approx(43100));
  CHECK(parse_duration({"--target", "90d"}).in(hour) == Approx(2160));
  CHECK(parse_duration({"--target", "15us"}).in(microsecond) == Approx(15));
  CHECK(refusal(parse_power, "20") == "\"20\" has no unit");
  CHECK(refusal(parse_power, "20mW") == "unknown unit \"mW\"");
  CHECK(refusal(parse_power, "0W") == "must be > 0 (got 0W)");
  CHECK(refusal(parse_duration, "90") == "\"90\" has no unit");
}

TEST_CASE("seeds are whole numbers from 0 to 2^63 - 1", "[tools]") {
  CHECK(parse_seed({"--seed", "0"}) == 0);
  CHECK(parse_seed({"--seed", "9223372036854775807"}) == 9223372036854775807u);
  for (const char* text : {"", "-1", "1.5", "9223372036854775808", "7 ", "0x10"}) {
    INFO(text);
    CHECK(refusal(parse_seed, text) != "no error");
  }
}
