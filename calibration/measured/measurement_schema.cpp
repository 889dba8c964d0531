// SPDX-License-Identifier: Apache-2.0
#include "calibration/measured/measurement_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <regex>
#include <utility>

#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"

namespace clusterwright {

namespace {

/// Places of the schema whose words stay open.
constexpr std::array<std::string_view, 2> open_words = {"/definitions/hardware/properties/accelerator",
                                                        "/definitions/job/properties/framework"};

bool equal(const JsonValue& a, const JsonValue& b) {
  return a.is_numeric() && b.is_numeric() ? a.as_number() == b.as_number() : write_json(a) == write_json(b);
}

bool is_of_type(const JsonValue& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is(JsonKind::boolean);
  if (type == "integer") return value.is(JsonKind::integer);
  if (type == "number") return value.is_numeric();
  if (type == "string") return value.is(JsonKind::text);
  if (type == "array") return value.is(JsonKind::list);
  return type == "object" && value.is(JsonKind::object);
}

/// Text such as "4 entries", "1 to 3 entries" or "at least 1 entry". @pre one of both is given
std::string length_text(const JsonValue* least, const JsonValue* most) {
  const auto entries = [](std::int64_t count) { return fmt::format("{} {}", count, count == 1 ? "entry" : "entries"); };
  if (!most) return "at least " + entries(least->as_integer());
  if (!least) return "at most " + entries(most->as_integer());
  if (least->as_integer() == most->as_integer()) return entries(most->as_integer());
  return fmt::format("{} to {}", least->as_integer(), entries(most->as_integer()));
}

/// One walk over a value and the part of the schema that describes it.
class SchemaWalk {
 public:
  SchemaWalk(const JsonValue& document, std::vector<Diagnostic>& errors) : document_(document), errors_(errors) {}

  void check(const JsonValue& given, const JsonValue& value, const std::string& pointer) {
    const JsonValue& schema = resolved(given);
    if (!check_type(schema, value, pointer)) return;
    check_word(schema, value, pointer);
    check_range(schema, value, pointer);
    check_length(schema, value, pointer);
    check_object(schema, value, pointer);
    if (const JsonValue* items = schema.find("items"); items && value.is(JsonKind::list))
      for (std::size_t i = 0; i < value.elements().size(); ++i)
        check(*items, value.elements()[i], fmt::format("{}/{}", pointer, i));
    check_conditions(schema, value, pointer);
  }

 private:
  void report(const char* code, std::string message, Place place) {
    errors_.push_back({code, std::move(message), {std::move(place)}, "", ""});
  }

  const JsonValue& resolved(const JsonValue& schema) const {
    const JsonValue* reference = schema.find("$ref");
    return reference ? *document_.at_pointer(reference->as_text().substr(1)) : schema;
  }

  bool check_type(const JsonValue& schema, const JsonValue& value, const std::string& pointer) {
    const JsonValue* type = schema.find("type");
    if (!type) return true;
    std::string allowed;
    for (const JsonValue& one : type->is(JsonKind::list) ? type->elements() : std::vector<JsonValue>{*type}) {
      if (is_of_type(value, one.as_text())) return true;
      allowed += (allowed.empty() ? "" : " or ") + one.as_text();
    }
    report("E0201", fmt::format("must be of type {} (got {})", allowed, describe(value.kind())), value.place(pointer));
    return false;
  }

  bool is_open(const JsonValue& schema) const {
    return std::any_of(open_words.begin(), open_words.end(),
                       [&](std::string_view place) { return document_.at_pointer(place) == &schema; });
  }

  void check_word(const JsonValue& schema, const JsonValue& value, const std::string& pointer) {
    if (const JsonValue* only = schema.find("const"); only && !equal(*only, value))
      report("E0203", fmt::format("must be {}", write_json(*only)), value.place(pointer));
    if (const JsonValue* pattern = schema.find("pattern"); pattern && value.is(JsonKind::text))
      if (!std::regex_search(value.as_text(), std::regex(pattern->as_text())))
        report("E0203", fmt::format("must match {}", pattern->as_text()), value.place(pointer));
    const JsonValue* words = schema.find("enum");
    if (!words || is_open(schema)) return;
    const auto& all = words->elements();
    if (std::any_of(all.begin(), all.end(), [&](const JsonValue& word) { return equal(word, value); })) return;
    std::vector<std::string> known;
    for (const JsonValue& word : all) known.push_back(word.is(JsonKind::text) ? word.as_text() : write_json(word));
    report("E0203", fmt::format("must be one of: {}", fmt::join(known, ", ")), value.place(pointer));
  }

  void check_range(const JsonValue& schema, const JsonValue& value, const std::string& pointer) {
    if (!value.is_numeric()) return;
    const double number = value.as_number();
    if (const JsonValue* least = schema.find("minimum"); least && number < least->as_number())
      report("E0202", fmt::format("must be >= {} (got {})", least->as_number(), number), value.place(pointer));
    if (const JsonValue* above = schema.find("exclusiveMinimum"); above && number <= above->as_number())
      report("E0202", fmt::format("must be > {} (got {})", above->as_number(), number), value.place(pointer));
  }

  void check_length(const JsonValue& schema, const JsonValue& value, const std::string& pointer) {
    if (!value.is(JsonKind::list)) return;
    const auto length = static_cast<std::int64_t>(value.elements().size());
    const JsonValue *least = schema.find("minItems"), *most = schema.find("maxItems");
    if ((least && length < least->as_integer()) || (most && length > most->as_integer()))
      report("E0202", fmt::format("must hold {} (got {})", length_text(least, most), length), value.place(pointer));
  }

  void check_object(const JsonValue& schema, const JsonValue& value, const std::string& pointer) {
    if (!value.is(JsonKind::object)) return;
    if (const JsonValue* required = schema.find("required"))
      for (const JsonValue& key : required->elements())
        if (!value.find(key.as_text()))
          report("E0104", fmt::format("missing key \"{}\"", key.as_text()), value.place(pointer));
    const JsonValue* properties = schema.find("properties");
    const JsonValue* others = schema.find("additionalProperties");
    for (const auto& [key, member] : value.members()) {
      const std::string below = pointer + "/" + key;
      if (const JsonValue* known = properties ? properties->find(key) : nullptr)
        check(*known, member, below);
      else if (others && others->is(JsonKind::object))
        check(*others, member, below);
      else if (others && others->is(JsonKind::boolean) && !others->as_boolean())
        report("E0102", fmt::format("unknown key \"{}\"", key), member.key_place(below));
    }
  }

  void check_conditions(const JsonValue& schema, const JsonValue& value, const std::string& pointer) {
    const JsonValue* all = schema.find("allOf");
    if (!all) return;
    for (const JsonValue& one : all->elements()) {
      const JsonValue *condition = one.find("if"), *then = one.find("then");
      if (!condition || !then) continue;
      std::vector<Diagnostic> unmet;
      SchemaWalk(document_, unmet).check(*condition, value, pointer);
      if (unmet.empty()) check(*then, value, pointer);
    }
  }

  const JsonValue& document_;
  std::vector<Diagnostic>& errors_;
};

std::string text_or_nothing(const JsonValue& object, std::string_view key) {
  const JsonValue* found = object.find(key);
  return found && found->is(JsonKind::text) ? found->as_text() : std::string();
}

ReadCase read_case(const JsonValue& value, const std::string& pointer, const MeasurementSchema& schema) {
  ReadCase out;
  out.errors = schema.check(value, pointer);
  const auto unknown_key = [](const Diagnostic& found) { return found.code == "E0102"; };
  // Beside other errors an unknown key may be their cause, a misspelt one.
  if (std::ranges::all_of(out.errors, unknown_key)) out.ignored = std::exchange(out.errors, {});
  if (out.errors.empty()) try {
      out.measurement = read_measurement(value);
      return out;
    } catch (const ConfigError& error) {
      out.errors = error.diagnostics();
    }
  out.measurement.id = text_or_nothing(value, "id");
  out.measurement.family = text_or_nothing(value, "family");
  out.measurement.kind = text_or_nothing(value, "kind");
  if (out.measurement.id.empty()) out.measurement.id = pointer;
  return out;
}

}  // namespace

std::vector<Diagnostic> MeasurementSchema::check(const JsonValue& measurement, const std::string& pointer) const {
  std::vector<Diagnostic> errors;
  SchemaWalk(document_, errors).check(*document_.at_pointer("/definitions/case"), measurement, pointer);
  return errors;
}

std::vector<ReadCase> read_cases(const std::filesystem::path& file, const MeasurementSchema& schema) {
  const JsonValue document = read_json_file(file, measurement_limits);
  const JsonValue* cases = document.find("cases");
  if (!cases || !cases->is(JsonKind::list))
    throw ConfigError(Diagnostic{"E0104",
                                 "missing key \"cases\" with a list of measurements",
                                 {document.place("")},
                                 "",
                                 "{\"schema\": 1, \"cases\": [...]}"});
  if (const JsonValue* version = document.find("schema");
      version && !(version->is(JsonKind::integer) && version->as_integer() == 1))
    throw ConfigError(Diagnostic{"E0340",
                                 "unknown version of the measurement format",
                                 {version->place("/schema")},
                                 "",
                                 "the one known version is 1"});
  std::vector<ReadCase> out;
  for (const JsonValue& value : cases->elements())
    out.push_back(read_case(value, fmt::format("/cases/{}", out.size()), schema));
  return out;
}

}  // namespace clusterwright
