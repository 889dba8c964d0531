// SPDX-License-Identifier: Apache-2.0
#include "sim/field_table.hpp"

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "sim/field_docs.hpp"
#include "sim/field_schema.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "support/catch.hpp"

namespace clusterwright {

enum class Paint { red, green, blue };

template <>
struct EnumNames<Paint> {
  static constexpr std::array<std::string_view, 3> names = {"red", "green", "blue"};
  static constexpr std::array<OtherName, 1> other_names = {{{"azure", "azure is \"blue\" here"}}};
};

/// One field of every type.
struct Wheel {
  std::string maker;
  int spokes = 3;
  std::int8_t tiny = 1;
  std::optional<int> gears;
  std::optional<double> wear;
  std::optional<Sourced<int>> age;
  Watts drag;
  Sourced<Bytes> memory;
  bool round = true;
  Paint paint = Paint::green;
  std::optional<Paint> rim;
  std::map<std::string, Sourced<double>> prices;
};

constexpr std::array<std::string_view, 2> price_keys{"low", "high"};

const Record<Wheel>& record(const Wheel*) {
  static const auto table =
      Record<Wheel>("wheel", "Something that turns")
          .required("maker", &Wheel::maker, {.help = "who made it"})
          .optional("spokes", &Wheel::spokes, {.help = "how many", .min = 1, .max = 100})
          .optional("tiny", &Wheel::tiny, {.help = "a narrow integer", .min = -1e18, .max = 1e18})
          .optional("gears", &Wheel::gears, {.help = "auto: as many as fit", .min = 1, .max = 4096})
          .optional("wear", &Wheel::wear, {.help = "null: not known", .min = 0, .max = 1})
          .optional("age", &Wheel::age, {.help = "a fact that may be unknown", .min = 0, .max = 5000})
          .optional("drag_kw", &Wheel::drag, {.help = "at full speed", .min = 0, .above_min = true})
          .optional("memory_gib", &Wheel::memory, {.help = "of its computer"})
          .optional("round", &Wheel::round, {.help = "is it?"})
          .optional("paint", &Wheel::paint, {.help = "colour"})
          .optional("rim", &Wheel::rim, {.help = "auto: as the paint"})
          .optional("prices_usd", &Wheel::prices, {.help = "what it costs", .min = 0, .map_keys = price_keys});
  return table;
}

struct Cart {
  Wheel spare;
  std::vector<Wheel> wheels;
};

const Record<Cart>& record(const Cart*) {
  static const auto table = Record<Cart>("cart", "Wheels that move together")
                                .optional("spare", &Cart::spare, {.help = "in the boot"})
                                .required("wheels", &Cart::wheels, {.help = "turning", .max_elements = 4});
  return table;
}

/// Not a wheel, for all its name.
struct Impostor {
  int cheese = 0;
};

const Record<Impostor>& record(const Impostor*) {
  static const auto table =
      Record<Impostor>("wheel", "Of cheese")
          .optional("cheese", &Impostor::cheese, {.help = "how many pounds", .min = 0, .max = 100});
  return table;
}

}  // namespace clusterwright

using namespace clusterwright;

namespace {

JsonValue read(const std::string& text) {
  return read_json(std::make_shared<const SourceText>("t.json", text));
}

Wheel wheel(const std::string& text) {
  return decode_record<Wheel>(read(text));
}

template <class T = Wheel>
std::vector<Diagnostic> errors_of(const std::string& text) {
  try {
    decode_record<T>(read(text));
  } catch (const ConfigError& error) {
    return error.diagnostics();
  }
  FAIL("accepted: " << text);
  return {};
}

/// "code pointer 'underlined text'" of the only error.
template <class T = Wheel>
std::string error_at(const std::string& text) {
  const auto errors = errors_of<T>(text);
  REQUIRE(errors.size() == 1);
  const Place& place = errors[0].places.at(0);
  return errors[0].code + " " + place.pointer + " '" + text.substr(place.offset, place.length) + "'";
}

}  // namespace

TEST_CASE("absent optional fields keep their defaults", "[sim][fields]") {
  const Wheel w = wheel(R"({"maker": "ACME", "$schema": "wheel.schema.json"})");
  CHECK(w.maker == "ACME");
  CHECK(w.spokes == 3);
  CHECK(w.round);
  CHECK(w.paint == Paint::green);
  CHECK(w.memory.source == "default");
}

TEST_CASE("fields are decoded in the unit of their key", "[sim][fields]") {
  const Wheel w = wheel(R"({"maker": "A", "drag_kw": 1.5, "memory_gib": 2, "paint": "blue"})");
  CHECK(w.drag.in(watt) == Approx(1500));
  CHECK(w.memory.value.in(byte) == Approx(2147483648.0));
  CHECK(w.memory.source == "user");
  CHECK(w.paint == Paint::blue);
}

TEST_CASE("a value may carry its source", "[sim][fields]") {
  const Wheel w = wheel(
      R"({"maker": "A", "memory_gib": {"value": 1, "source": "data sheet", "verified": true, "std_error": 0.5}})");
  CHECK(w.memory.value.in(gibibyte) == Approx(1));
  CHECK(w.memory.source == "data sheet");
  CHECK(w.memory.verified);
  CHECK(w.memory.std_error == 0.5);
  CHECK_FALSE(wheel(R"({"maker": "A", "memory_gib": {"value": 1, "source": "s"}})").memory.verified);
}

TEST_CASE("auto lets the program choose, null is not known", "[sim][fields]") {
  CHECK_FALSE(wheel(R"({"maker": "A", "gears": "auto"})").gears);
  CHECK(wheel(R"({"maker": "A", "gears": 7})").gears == 7);
  CHECK_FALSE(wheel(R"({"maker": "A", "rim": "auto"})").rim);
  CHECK(wheel(R"({"maker": "A", "rim": "red"})").rim == Paint::red);
  CHECK_FALSE(wheel(R"({"maker": "A", "wear": null})").wear);
  CHECK_FALSE(wheel(R"({"maker": "A", "age": null})").age);  // nobody chooses a fact
  CHECK(wheel(R"({"maker": "A", "age": {"value": 3, "source": "s"}})").age->value == 3);
  CHECK(error_at(R"({"maker": "A", "wear": "auto"})") == "E0201 /wear '\"auto\"'");
  CHECK(error_at(R"({"maker": "A", "gears": null})") == "E0201 /gears 'null'");
  CHECK(error_at(R"({"maker": "A", "age": "auto"})") == "E0201 /age '\"auto\"'");
}

TEST_CASE("a word of the field for a choice is refused with the name that it has here", "[sim][fields]") {
  CHECK(error_at(R"({"maker": "A", "paint": "azure"})") == "E0203 /paint '\"azure\"'");
  CHECK(errors_of(R"({"maker": "A", "paint": "azure"})")[0].help == "azure is \"blue\" here");
  CHECK(errors_of(R"({"maker": "A", "rim": "Azure"})")[0].help == "azure is \"blue\" here");
  CHECK(errors_of(R"({"maker": "A", "paint": "gren"})")[0].help == "did you mean \"green\"?");
}

TEST_CASE("unknown keys are errors with a suggestion", "[sim][fields]") {
  CHECK(error_at(R"({"maker": "A", "spoke": 4})") == "E0102 /spoke '\"spoke\"'");
  CHECK(errors_of(R"({"maker": "A", "spoke": 4})")[0].help == "did you mean \"spokes\"?");
  CHECK(errors_of(R"({"maker": "A", "qqqqqqqq": 4})")[0].help.find("allowed: maker, spokes") == 0);
  CHECK(error_at(R"({"maker": "A", "a/~b": 4})") == "E0102 /a~1~0b '\"a/~b\"'");
  CHECK(error_at(R"({"maker": "A", "prices_usd": {"lowe": 1}})") == "E0102 /prices_usd/lowe '\"lowe\"'");
  CHECK(errors_of(R"({"maker": "A", "prices_usd": {"lowe": 1}})")[0].help == "did you mean \"low\"?");
  CHECK(error_at(R"({"maker": "A", "memory_gib": {"value": 1, "sorce": "s"}})") ==
        "E0102 /memory_gib/sorce '\"sorce\"'");
}

TEST_CASE("a missing key is reported where the object begins", "[sim][fields]") {
  CHECK(error_at(R"( {"spokes": 4})") == "E0104  '{'");
  CHECK(errors_of("{}")[0].message == "missing key \"maker\" in wheel");
}

TEST_CASE("values of the wrong kind are named with what was expected", "[sim][fields]") {
  CHECK(error_at(R"({"maker": 7})") == "E0201 /maker '7'");
  CHECK(error_at(R"({"maker": "A", "spokes": "4"})") == "E0201 /spokes '\"4\"'");
  CHECK(error_at(R"({"maker": "A", "spokes": 4.5})") == "E0201 /spokes '4.5'");
  CHECK(error_at(R"({"maker": "A", "round": 1})") == "E0201 /round '1'");
  CHECK(error_at(R"({"maker": "A", "drag_kw": [1]})") == "E0201 /drag_kw '['");
  CHECK(error_at(R"({"maker": "A", "prices_usd": [1]})") == "E0201 /prices_usd '['");
  CHECK(error_at(R"([])") == "E0201  '['");
  CHECK(error_at<Cart>(R"({"wheels": {}})") == "E0201 /wheels '{'");
  CHECK(error_at(R"({"maker": "A", "memory_gib": {"value": "1", "source": "s"}})") ==
        "E0201 /memory_gib/value '\"1\"'");
  CHECK(error_at(R"({"maker": "A", "memory_gib": {"value": 1, "source": 2}})") == "E0201 /memory_gib/source '2'");
  CHECK(error_at(R"({"maker": "A", "memory_gib": {"value": 1, "source": "s", "std_error": -1}})") ==
        "E0201 /memory_gib/std_error '-1'");
}

TEST_CASE("choices are named, with a suggestion", "[sim][fields]") {
  CHECK(error_at(R"({"maker": "A", "paint": "gren"})") == "E0203 /paint '\"gren\"'");
  CHECK(errors_of(R"({"maker": "A", "paint": "gren"})")[0].help == "did you mean \"green\"?");
}

TEST_CASE("values out of range are errors", "[sim][fields]") {
  CHECK(error_at(R"({"maker": "A", "spokes": 0})") == "E0202 /spokes '0'");
  CHECK(error_at(R"({"maker": "A", "spokes": 101})") == "E0202 /spokes '101'");
  CHECK(error_at(R"({"maker": "A", "drag_kw": 0})") == "E0202 /drag_kw '0'");  // above the minimum, not at it
  CHECK(error_at(R"({"maker": "A", "wear": 1.5})") == "E0202 /wear '1.5'");
}

TEST_CASE("integers that their type cannot hold are errors, never cut off", "[sim][fields]") {
  CHECK(wheel(R"({"maker": "A", "tiny": -128})").tiny == -128);
  CHECK(error_at(R"({"maker": "A", "tiny": 128})") == "E0202 /tiny '128'");
  CHECK(error_at(R"({"maker": "A", "gears": 4294967297})") == "E0202 /gears '4294967297'");
  CHECK(error_at(R"({"maker": "A", "gears": 18446744073709551616})") == "E0202 /gears '18446744073709551616'");
  CHECK(error_at(R"({"maker": "A", "gears": 1e300})") == "E0202 /gears '1e300'");
}

TEST_CASE("whole numbers may be written with a point or an exponent", "[sim][fields]") {
  CHECK(wheel(R"({"maker": "A", "spokes": 8.0})").spokes == 8);
  CHECK(wheel(R"({"maker": "A", "gears": 1e3})").gears == 1000);
}

TEST_CASE("all errors are reported together, at most twenty", "[sim][fields]") {
  CHECK(errors_of(R"({"spokes": 0, "drag_kw": -1, "paint": 3, "x": 1})").size() == 5);
  std::string many = R"({"maker": "A")";
  for (int i = 0; i < 1000; ++i) many += ", \"unknown" + std::to_string(i) + "\": 1";
  CHECK(errors_of(many + "}").size() == ConfigError::limit);
}

TEST_CASE("errors in nested records and lists point there", "[sim][fields]") {
  CHECK(error_at<Cart>(R"({"wheels": [{"maker": "A"}, {"maker": "B", "spokes": 0}]})") == "E0202 /wheels/1/spokes '0'");
  CHECK(error_at<Cart>(R"({"spare": {"maker": "A", "paint": 1}, "wheels": []})") == "E0203 /spare/paint '1'");
}

TEST_CASE("hostile sizes are refused", "[sim][fields]") {
  CHECK(error_at<Cart>(R"({"wheels": [{},{},{},{},{}]})") == "E0501 /wheels '['");
  CHECK(errors_of("{\"maker\": \"" + std::string(5000, 'a') + "\"}")[0].code == "E0501");
  const auto long_key = errors_of("{\"maker\": \"A\", \"" + std::string(100000, 'k') + "\": 1}");
  CHECK(render(long_key[0]).size() < 1500);
  const auto long_text = errors_of("{\"maker\": \"A\", \"spokes\": \"" + std::string(100000, 'k') + "\"}");
  CHECK(render(long_text[0]).size() < 1000);
}

TEST_CASE("a record is written as it is read", "[sim][fields]") {
  const std::string text =
      R"({"maker":"A","spokes":8,"tiny":2,"gears":"auto","wear":null,"age":{"value":3,"source":"s","verified":true},)"
      R"("drag_kw":1.5,"memory_gib":{"value":2.0,"source":"d","std_error":0.5,"verified":false},"round":false,)"
      R"("paint":"red","rim":"auto","prices_usd":{"low":{"value":1.0,"source":"user","verified":false}}})";
  CHECK(write_json(encode_record(wheel(text)), -1) == text);
}

TEST_CASE("a quantity whose key names no unit is a mistake of the table", "[sim][fields]") {
  CHECK_THROWS_AS(Record<Wheel>("w", "").optional("drag", &Wheel::drag, {.help = ""}), std::logic_error);
}

TEST_CASE("units are read from the longest suffix that fits", "[sim][fields]") {
  CHECK(unit_of_key("rate_gbit_per_s")->scale == Approx(1.25e8));
  CHECK(unit_of_key("ramp_kw_per_s")->unit == "kW/s");
  CHECK(unit_of_key("mass_kg_per_m")->unit == "kg/m");
  CHECK(unit_of_key("delay_ns_per_m")->unit == "ns/m");
  CHECK(unit_of_key("bandwidth_gb_per_s_bidirectional")->unit == "GB/s, both directions together");
  CHECK(unit_of_key("bandwidth_tb_per_s")->scale == 1e12);
  for (const char* none : {"layers", "max_sequence", "biases", "s", "", "power_usage_effectiveness"})
    CHECK(unit_of_key(none) == nullptr);
}

TEST_CASE("every number has bounds on both sides: its own, its unit's, or it is a mistake of the table",
          "[sim][fields]") {
  const auto bounded = [](const char* key, const FieldRule& rule) {
    FieldSpec spec(rule);
    spec.key = key, spec.type = FieldType::number;
    bound_number(spec);
    return std::pair(spec.min, spec.max);
  };
  CHECK(bounded("drag_kw", {.min = 0}) == std::pair(0.0, 1e9));
  CHECK(bounded("drag_kw", {.min = 0, .above_min = true}) == std::pair(1e-3, 1e9));
  CHECK(bounded("drag_kw", {.min = 2, .max = 5}) == std::pair(2.0, 5.0));
  CHECK(bounded("drag_kw", {.min = 0, .max = 1e300}) == std::pair(0.0, 1e9));
  CHECK(bounded("inlet_c", {}) == std::pair(-200.0, 200.0));
  CHECK(bounded("share", {.min = 0, .max = 1, .above_min = true}) == std::pair(1e-6, 1.0));
  CHECK_THROWS_AS(bounded("share", {.min = 0}), std::logic_error);
  CHECK_THROWS_AS(bounded("share", {.max = 1}), std::logic_error);
}

TEST_CASE("the schema says what the decoder accepts", "[sim][fields]") {
  const JsonValue schema = json_schema(record(static_cast<const Cart*>(nullptr)));
  CHECK(schema.at("$schema").as_text() == "http://json-schema.org/draft-07/schema#");
  CHECK_FALSE(schema.at("additionalProperties").as_boolean());
  CHECK(write_json(schema.at("required"), -1) == R"(["wheels"])");
  CHECK(schema.at_pointer("/properties/wheels/items/$ref")->as_text() == "#/definitions/wheel");
  const JsonValue& w = *schema.at_pointer("/definitions/wheel/properties");
  CHECK(w.at_pointer("/spokes/minimum")->as_number() == 1);
  CHECK(w.at_pointer("/spokes/maximum")->as_number() == 100);
  CHECK(w.at_pointer("/spokes/default")->as_integer() == 3);
  CHECK(w.at_pointer("/drag_kw/minimum")->as_number() == 0.001);
  CHECK(w.at_pointer("/drag_kw/maximum")->as_number() == 1e9);
  CHECK(w.at_pointer("/drag_kw/description")->as_text() == "at full speed [kW]");
  CHECK(write_json(*w.at_pointer("/paint/enum"), -1) == R"(["red","green","blue"])");
  CHECK(w.at_pointer("/gears/anyOf/1/const")->as_text() == "auto");
  CHECK(w.at_pointer("/wear/anyOf/1/type")->as_text() == "null");
  CHECK(w.at_pointer("/memory_gib/anyOf/1/allOf/0/$ref")->as_text() == "#/definitions/fact");
  CHECK(w.at_pointer("/memory_gib/anyOf/1/allOf/1/properties/value/type")->as_text() == "number");
  CHECK(schema.at_pointer("/definitions/fact/properties/verified/type")->as_text() == "boolean");
  CHECK(write_json(*w.at_pointer("/prices_usd/propertyNames/enum"), -1) == R"(["low","high"])");
  CHECK(w.find("$schema") != nullptr);
}

TEST_CASE("explain follows a dotted path", "[sim][fields]") {
  const auto& cart = record(static_cast<const Cart*>(nullptr));
  const std::string text = explain_field(cart, "wheels.drag_kw");
  CHECK(text.find("at full speed") != std::string::npos);
  CHECK(text.find("unit: kW") != std::string::npos);
  CHECK(explain_field(cart, "").find("Wheels that move together") != std::string::npos);
  CHECK_THROWS_AS(explain_field(cart, "wheels.drg_kw"), ConfigError);
  CHECK_THROWS_AS(explain_field(cart, "wheels.drag_kw.more"), ConfigError);
  CHECK_THROWS_AS(explain_field(cart, "."), ConfigError);
  CHECK_THROWS_AS(explain_field(cart, "wheels..drag_kw"), ConfigError);
}

TEST_CASE("reference docs name every record once, with links", "[sim][fields]") {
  const std::string docs = reference_docs({{"barrow", &record(static_cast<const Cart*>(nullptr))}});
  CHECK(docs.find("| [barrow](#barrow) | Wheels that move together |") != std::string::npos);
  CHECK(docs.find("### barrow\n") != std::string::npos);
  CHECK(docs.find("### wheel\n\nSomething that turns. In [barrow](#barrow).") != std::string::npos);
  CHECK(docs.find("### wheel") == docs.rfind("### wheel"));
  CHECK(docs.find("| `wheels` | list of [wheel](#wheel) |") != std::string::npos);
  CHECK(docs.find("| `drag_kw` | number | kW | >= 0.001, <= 1000000000 |") != std::string::npos);
}

TEST_CASE("a default names only what differs from the defaults of its members", "[sim][fields]") {
  const auto& cart = record(static_cast<const Cart*>(nullptr));
  CHECK(write_json(short_default(*cart.find("spare")), -1) == R"({"maker":""})");  // required, so it has no default
  const auto& wheels = record(static_cast<const Wheel*>(nullptr));
  CHECK(short_default(*wheels.find("memory_gib")).as_number() == 0);
  CHECK(short_default(*wheels.find("paint")).as_text() == "green");
}

TEST_CASE("one file of types serves several kinds of files", "[sim][fields]") {
  const FileKind barrow{"barrow", &record(static_cast<const Cart*>(nullptr))};
  const FileKind spokes{"spokes", &record(static_cast<const Wheel*>(nullptr))};
  const JsonValue types = schema_of_types({barrow, spokes});
  REQUIRE(types.at("definitions").members().size() == 4);  // and what facts and ranges have in common
  CHECK(types.at_pointer("/definitions/cart/properties/wheels/items/$ref")->as_text() == "#/definitions/wheel");
  const JsonValue short_one = schema_by_reference(spokes, "types.json");
  CHECK(short_one.at("title").as_text() == "spokes");
  CHECK(short_one.at_pointer("/allOf/0/$ref")->as_text() == "types.json#/definitions/wheel");
}

TEST_CASE("two types of records may not share a name", "[sim][fields]") {
  const RecordSpec* cart = &record(static_cast<const Cart*>(nullptr));
  const RecordSpec* impostor = &record(static_cast<const Impostor*>(nullptr));
  CHECK_THROWS_AS(records_below({cart, impostor}), std::logic_error);
  CHECK(records_below({cart, cart}).size() == 2);
}

TEST_CASE("folded JSON breaks only what is too wide", "[sim][json]") {
  const JsonValue value = read(R"({"a": [1, 2], "b": {"long": "0123456789", "c": []}, "d": null})");
  CHECK(write_folded_json(value) == R"({"a": [1, 2], "b": {"long": "0123456789", "c": []}, "d": null})");
  CHECK(write_folded_json(value, 24) ==
        "{\n  \"a\": [1, 2],\n  \"b\": {\n    \"long\": \"0123456789\",\n    \"c\": []\n  },\n  \"d\": null\n}");
}
