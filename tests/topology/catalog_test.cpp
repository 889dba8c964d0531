// SPDX-License-Identifier: Apache-2.0
#include "topology/parts/catalog.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "support/shipped_folders.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const Catalog& shipped() {
  static const Catalog catalog = load_catalog(configs / "parts");
  return catalog;
}

/// A directory of parts that lives as long as the test.
class PartsDirectory {
 public:
  PartsDirectory()
      : path_(std::filesystem::temp_directory_path() / ("clusterwright_catalog_test_" + std::to_string(getpid()))) {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~PartsDirectory() { std::filesystem::remove_all(path_); }
  PartsDirectory(const PartsDirectory&) = delete;
  PartsDirectory& operator=(const PartsDirectory&) = delete;

  void write(const std::string& name, const std::string& text) const { std::ofstream(path_ / name) << text; }

  std::vector<Diagnostic> errors() const {
    try {
      load_catalog(path_);
    } catch (const ConfigError& error) {
      return error.diagnostics();
    }
    return {};
  }

 private:
  std::filesystem::path path_;
};

const std::string nic = R"({"id": "N", "rate_gbit_per_s": {"value": 400, "source": "DOC"}})";
const std::string sources = R"({"sources": {"DOC": {"title": "A data sheet"}}})";

/// Calls `check(source, verified)` for every fact of a JSON tree.
template <class Check>
void for_each_fact(const JsonValue& value, const Check& check) {
  for (const JsonValue& element : value.elements()) for_each_fact(element, check);
  if (value.find("value")) check(value);
  for (const auto& [key, member] : value.members()) for_each_fact(member, check);
}

}  // namespace

TEST_CASE("the shipped catalog is complete", "[topology][catalog]") {
  CHECK(shipped().accelerators.size() == 57);
  CHECK(shipped().nics.size() == 27);
  CHECK(shipped().switches.size() == 15);
  CHECK(shipped().cables.size() == 31);
  CHECK(shipped().nodes.size() == 89);
  CHECK(shipped().racks.size() == 5);
  CHECK(shipped().power_stages.size() == 16);
  CHECK(shipped().rack_cooling.size() == 6);
  CHECK(shipped().heat_rejection.size() == 7);
  CHECK(shipped().climates.size() == 4);
  CHECK(shipped().coolant_units.size() == 4);
  CHECK(shipped().power_supplies.size() == 4);
  CHECK(shipped().storage_systems.size() == 2);
  CHECK(shipped().servers.size() == 2);
  CHECK(shipped().energy_storage.size() == 4);
  CHECK(shipped().generators.size() == 3);
  CHECK(shipped().interconnections.size() == 7);
}

TEST_CASE("an H100 is what its data sheet says", "[topology][catalog]") {
  const AcceleratorPart* h100 = shipped().find_accelerator("H100-SXM");
  REQUIRE(h100);
  CHECK(peak(*h100, NumberFormat::bf16).in(teraflop_per_second) == Approx(989));
  CHECK(peak(*h100, NumberFormat::fp8).in(teraflop_per_second) == Approx(1979));
  CHECK(h100->memory.value.in(gigabyte) == Approx(80));
  CHECK(h100->memory_bandwidth.value.in(terabyte_per_second) == Approx(3.35));
  CHECK(h100->power.value.in(watt) == Approx(700));
  CHECK(h100->scale_up_bandwidth->value.in(gigabyte_per_second) == Approx(450));  // one direction of 900 GB/s
  CHECK(h100->multiprocessors->value == 132);
  CHECK(h100->memory.verified);
}

TEST_CASE("a peak that no data sheet gives is zero, but fp16 stands for bf16", "[topology][catalog]") {
  const AcceleratorPart* h100 = shipped().find_accelerator("H100-SXM");
  CHECK(peak(*h100, NumberFormat::fp4) == FlopsPerSecond{});
  CHECK(peak(*h100, NumberFormat::fp16) == peak(*h100, NumberFormat::bf16));
  const AcceleratorPart* groq = shipped().find_accelerator("Groq-LPU-v1");
  CHECK(peak(*groq, NumberFormat::bf16).in(teraflop_per_second) == Approx(188));
}

TEST_CASE("a switch is in the units of its fields", "[topology][catalog]") {
  const SwitchPart* ndr = shipped().find_switch("QM9700/QM9790");
  REQUIRE(ndr);
  CHECK(ndr->ports.value == 64);
  CHECK(ndr->port_rate->value.in(gigabit_per_second) == Approx(400));
  CHECK(ndr->latency->value.in(nanosecond) == Approx(200));
  CHECK(ndr->passive_power->value.in(watt) == Approx(747));
  CHECK(ndr->max_power->value.in(watt) == Approx(1720));
  // 25 GB/s per link, 8 bits per byte
  CHECK(shipped().find_switch("NVSwitch gen3 (H100)")->port_rate->value.in(gigabit_per_second) == Approx(200));
}

TEST_CASE("a cable is in the units of its fields", "[topology][catalog]") {
  const CablePart* cable = shipped().find_cable("DAC 2x400G OSFP (MCP4Y10)");
  REQUIRE(cable);
  CHECK(cable->delay->value * (2 * meter) / nanosecond == Approx(9));
  CHECK((cable->mass_per_length->value * (2 * meter)).in(kilogram) == Approx(0.28));
  CHECK(cable->bend_radius->value.in(meter) == Approx(0.035));
}

TEST_CASE("a node is in the units of its fields", "[topology][catalog]") {
  const NodePart* node = shipped().find_node("DGX H100");
  REQUIRE(node);
  CHECK(node->max_power->value.in(kilowatt) == Approx(10.2));
  CHECK(node->mass->value.in(kilogram) == Approx(130.45));
  CHECK(node->rack_units->value == 8);
}

TEST_CASE("what is not in the catalog is not found", "[topology][catalog]") {
  CHECK(shipped().find_accelerator("H100-SXN") == nullptr);
  CHECK(shipped().find_nic("") == nullptr);
  const Catalog empty;
  CHECK(empty.find_node("DGX H100") == nullptr);
}

TEST_CASE("every shipped fact names a listed source, and what is from memory is not verified", "[topology][catalog]") {
  std::size_t facts = 0, unverified = 0;
  for (const auto& entry : std::filesystem::directory_iterator(configs / "parts"))
    for_each_fact(read_json_file(entry.path()), [&](const JsonValue& fact) {
      const std::string source = fact.at("source").as_text();
      const bool verified = fact.at("verified").as_boolean();
      INFO(entry.path().string() << ": " << source);
      CHECK(shipped().sources.contains(source.substr(0, source.find(':'))));
      CHECK_FALSE((source == "MEM" && verified));
      ++facts;
      if (!verified) ++unverified;
    });
  CHECK(facts > 600);
  CHECK(unverified > 200);
}

TEST_CASE("shipped parts are physically sensible", "[topology][catalog]") {
  for (const AcceleratorPart& part : shipped().accelerators) {
    INFO(part.id);
    CHECK_FALSE(part.peak_dense_tflops.empty());
    CHECK(part.scale_up_kind.empty() == !part.scale_up_bandwidth);
    if (part.idle_power) CHECK(part.idle_power->value < part.power.value);
    if (part.min_power_limit) CHECK(part.min_power_limit->value < part.power.value);
    for (const auto& [format, rate] : part.best_gemm_tflops)
      CHECK(rate.value <= part.peak_dense_tflops.at(format).value);
    if (part.price_usd.contains("low")) CHECK(part.price_usd.at("low").value <= part.price_usd.at("high").value);
  }
}

TEST_CASE("a catalog may be spread over files in any way", "[topology][catalog]") {
  PartsDirectory parts;
  parts.write("a.json", "{\"nics\": [" + nic + "]}");
  parts.write("z.json", sources);
  parts.write("notes.txt", "not read");
  CHECK(parts.errors().empty());
}

TEST_CASE("ids are unique over all files", "[topology][catalog]") {
  PartsDirectory parts;
  parts.write("a.json", "{\"nics\": [" + nic + "]}");
  parts.write("b.json", "{\"nics\": [" + nic + "]}");
  parts.write("s.json", sources);
  const auto errors = parts.errors();
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].code == "E0204");
  REQUIRE(errors[0].places.size() == 2);
  CHECK(errors[0].places[0].source->name().find("b.json") != std::string::npos);
  CHECK(errors[0].places[1].source->name().find("a.json") != std::string::npos);
  CHECK(errors[0].places[0].pointer == "/nics/0/id");
}

TEST_CASE("a source that nobody lists is an error with a suggestion", "[topology][catalog]") {
  PartsDirectory parts;
  parts.write("a.json", R"({"nics": [{"id": "N", "rate_gbit_per_s": {"value": 400, "source": "DOK: page 2"}}]})");
  parts.write("s.json", sources);
  const auto errors = parts.errors();
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].code == "E0205");
  CHECK(errors[0].places[0].pointer == "/nics/0/rate_gbit_per_s/source");
  CHECK(errors[0].help == "did you mean \"DOC\"?");
}

TEST_CASE("the errors of all files are reported together", "[topology][catalog]") {
  PartsDirectory parts;
  parts.write("a.json", R"({"nics": [{"id": "N", "rate_gbit_per_s": 0}]})");
  parts.write("b.json", R"({"switches": [{"id": "S", "portz": 1}]})");
  parts.write("c.json", R"({"nodes": )");
  std::multiset<std::string> codes;
  for (const Diagnostic& error : parts.errors()) codes.insert(error.code);
  // a: out of range; b: unknown key and missing key; c: truncated
  CHECK(codes == std::multiset<std::string>{"E0101", "E0102", "E0104", "E0202"});
}

TEST_CASE("power supplies of nodes and switches are in the catalog, and counted", "[catalog]") {
  const auto check = [](const auto& parts) {
    for (const auto& part : parts) {
      INFO(part.id);
      CHECK(part.power_supply.empty() == !part.power_supply_count);
      CHECK((part.power_supply.empty() || find_part(shipped().power_supplies, part.power_supply)));
    }
  };
  check(shipped().nodes);
  check(shipped().switches);
}

TEST_CASE("a missing directory of parts is an error", "[topology][catalog]") {
  try {
    load_catalog(configs / "no-such-directory");
    FAIL("accepted");
  } catch (const ConfigError& error) {
    CHECK(error.diagnostics()[0].code == "E0401");
  }
}
