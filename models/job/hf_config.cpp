// SPDX-License-Identifier: Apache-2.0
#include "models/job/hf_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/job/hf_layers.hpp"
#include "models/job/hf_reader.hpp"
#include "sim/field_table.hpp"

namespace clusterwright {

namespace {

constexpr const char* contradiction = "E0343";

/// "meta-llama/Meta-Llama-3-8B" without its owner, whose folder may also be a home directory.
std::string name_of(const JsonValue& document, const HfReader& reader) {
  const JsonValue* path = document.find("_name_or_path");
  if (path && path->is(JsonKind::text)) {
    std::string text = path->as_text().substr(0, 4096);
    while (text.ends_with('/')) text.pop_back();
    text = text.substr(text.find_last_of('/') + 1);
    if (!text.empty() && text.find_first_not_of('.') != std::string::npos) return text;
  }
  return std::string(reader.family().model_type);
}

/// Checks of every transformer, with errors at their places in config.json.
void check_model(const Transformer& m, const JsonValue& document, const HfReader& reader,
                 std::vector<Diagnostic>& errors) {
  constexpr std::size_t wrapper = std::string_view("/transformer").size();
  try {
    check_transformer(m, JsonValue::object({{"transformer", document}}));
  } catch (const ConfigError& error) {
    for (Diagnostic found : error.diagnostics()) {
      found.code = contradiction;
      for (Place& place : found.places)
        place = reader.origin(place.pointer.substr(std::min(wrapper, place.pointer.size())));
      errors.push_back(std::move(found));
    }
  }
}

std::string billions(double count) {
  const double value = count / 1e9;
  const int digits = std::clamp(3 - static_cast<int>(std::floor(std::log10(std::max(value, 1e-3)))), 0, 4);
  return fmt::format("{:.{}f}", value, digits);
}

std::string count_text(const Transformer& m) {
  const double all = total_parameters(m), active = active_parameters(m);
  const std::string text = billions(all) + " billion parameters, ";
  return text + (active < all ? billions(active) + " billion of them active" : "all active");
}

/// Fields that a decoder of the family cannot have: it would be described as what it is not.
void check_family(HfReader& reader) {
  const std::string type(reader.family().model_type);
  const JsonValue* encoder = reader.part().find("is_encoder_decoder");
  if (encoder && encoder->is(JsonKind::boolean) && encoder->as_boolean())
    reader.error("E0342", "a model with an encoder is in none of the decoder families", "is_encoder_decoder");
  if (reader.family().experts) return;
  for (const char* key : {"num_local_experts", "num_experts", "n_routed_experts", "moe_num_experts"}) {
    const JsonValue* experts = reader.part().find(key);
    if (experts && experts->is(JsonKind::integer) && experts->as_integer() > 1)
      reader.error(contradiction,
                   fmt::format("the family {} is dense, and the file has {} experts", type, experts->as_integer()),
                   key);
  }
}

}  // namespace

bool is_hf_config(const JsonValue& document) {
  return document.is(JsonKind::object) && document.find("model_type") && !document.find("layers");
}

HfImport import_hf_config(const JsonValue& document, const std::string& name) {
  HfReader reader(document);
  reader.set("name", name.empty() ? name_of(document, reader) : name, "model_type");
  reader.set("source", fmt::format("Hugging Face config.json, model_type {}", reader.family().model_type),
             "model_type");
  check_family(reader);
  reader.copy_tables();
  settle_attention(reader);
  if (reader.family().adjust) reader.family().adjust(reader);
  const std::string_view unsaid = reader.family().unsaid;
  if (!unsaid.empty()) reader.note(fmt::format("not described: {}", unsaid));
  if (reader.part().find("quantization_config") || document.find("quantization_config"))
    reader.note("quantization_config is ignored: job.precision gives the number format of a job");
  HfImport out{std::string(reader.family().model_type), {}, reader.finish(), reader.assumed(), reader.notes()};
  out.transformer = decode_record<Transformer>(out.document);
  std::vector<Diagnostic> errors;
  check_model(out.transformer, out.document, reader, errors);
  if (!errors.empty()) throw ConfigError(errors);
  return out;
}

JsonValue in_own_form(JsonValue transformer) {
  return is_hf_config(transformer) ? import_hf_config(transformer).document : transformer;
}

std::string parameter_text(const Transformer& transformer) {
  if (transformer.predicted_tokens == 0) return count_text(transformer);
  Transformer usual = transformer;
  usual.predicted_tokens = 0;
  return fmt::format("{}; {} with {} further predicted, which published totals exclude", count_text(usual),
                     count_text(transformer), transformer.predicted_tokens == 1 ? "one token" : "tokens");
}

}  // namespace clusterwright
