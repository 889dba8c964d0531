// SPDX-License-Identifier: Apache-2.0
#include "models/job/hf_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sim/field_table.hpp"

namespace clusterwright {

namespace {

constexpr std::pair<std::string_view, HfNumber HfFamily::*> model_numbers[] = {
    {"layers", &HfFamily::layers},
    {"hidden", &HfFamily::hidden},
    {"heads", &HfFamily::heads},
    {"kv_heads", &HfFamily::kv_heads},
    {"head_width", &HfFamily::head_width},
    {"ffn", &HfFamily::ffn},
    {"vocabulary", &HfFamily::vocabulary},
    {"max_sequence", &HfFamily::max_sequence},
    {"sliding_window", &HfFamily::sliding_window},
    {"attention_chunk", &HfFamily::attention_chunk},
    {"full_attention_every", &HfFamily::full_attention_every},
    {"predicted_tokens", &HfFamily::predicted_tokens},
};

constexpr std::pair<std::string_view, HfNumber HfMixture::*> mixture_numbers[] = {
    {"experts", &HfMixture::experts},
    {"per_token", &HfMixture::per_token},
    {"ffn", &HfMixture::ffn},
    {"shared", &HfMixture::shared},
    {"shared_ffn", &HfMixture::shared_ffn},
    {"dense_layers", &HfMixture::dense_layers},
    {"every", &HfMixture::every},
    {"groups", &HfMixture::groups},
    {"groups_per_token", &HfMixture::groups_per_token},
};

constexpr std::pair<std::string_view, HfNumber HfLatent::*> latent_numbers[] = {
    {"query_rank", &HfLatent::query_rank},   {"key_value_rank", &HfLatent::key_value_rank},
    {"plain_width", &HfLatent::plain_width}, {"rotary_width", &HfLatent::rotary_width},
    {"value_width", &HfLatent::value_width},
};

template <class T>
const RecordSpec& spec_for() {
  return record(static_cast<const T*>(nullptr));
}

std::string pointer_of(const std::string& block, std::string_view key) {
  return fmt::format("{}{}/{}", block.empty() ? "" : "/", block, key);
}

std::string_view first_of(std::string_view keys) {
  return keys.substr(0, keys.find('|'));
}

/// Numbers of every transformer; the others are left out where they do not apply.
bool always_written(std::string_view flag) {
  return flag == "gated_mlp" || flag == "tied_embeddings" || flag == "biases";
}

bool names_known_family(const JsonValue* part) {
  const JsonValue* type = part && part->is(JsonKind::object) ? part->find("model_type") : nullptr;
  return type && type->is(JsonKind::text) && find_hf_family(type->as_text());
}

[[noreturn]] void unknown_family(const JsonValue& type, const std::string& pointer) {
  const std::vector<std::string> known = hf_family_names();
  const std::string meant = did_you_mean(type.as_text(), known);
  throw ConfigError({"E0342",
                     fmt::format("unknown model_type \"{}\"", type.as_text().substr(0, 60)),
                     {type.place(pointer)},
                     "not a known model family",
                     fmt::format("{}{}there are: {}", meant, meant.empty() ? "" : "   ", fmt::join(known, ", "))});
}

}  // namespace

HfReader::HfReader(const JsonValue& document) : part_(&document) {
  const JsonValue* inner = document.find("text_config");
  if (inner && inner->is(JsonKind::object) && !names_known_family(&document)) {
    inside_.emplace(decoder_, document, *inner, "text_config");
    prefix_ = "/text_config";
    part_ = inner;
    note("only the language model (text_config) is imported; other parts, such as vision, are ignored");
  }
  const JsonValue* type = part_->find("model_type");
  if (!type) error("E0104", "missing key \"model_type\"", "");
  if (type && !type->is(JsonKind::text)) error("E0201", "model_type must be a string", "model_type");
  decoder_.finish();
  family_ = find_hf_family(type->as_text());
  if (!family_) unknown_family(*type, prefix_ + "/model_type");
}

HfReader::Member HfReader::find(std::string_view keys) const {
  for (std::size_t begin = 0; begin <= keys.size();) {
    const std::size_t end = std::min(keys.find('|', begin), keys.size());
    const std::string_view key = keys.substr(begin, end - begin);
    if (const JsonValue* value = part_->find(key)) return {value, std::string(key)};
    begin = end + 1;
  }
  return {};
}

std::optional<std::int64_t> HfReader::number(const HfNumber& rule, const FieldSpec& spec) {
  const Member member = rule.keys.empty() ? Member{} : find(rule.keys);
  if (!member.value) {
    if (rule.fallback == HfNumber::required)
      error("E0104", fmt::format("missing key \"{}\" of {}", first_of(rule.keys), family_->model_type), "");
    if (rule.fallback < 0) return {};
    if (!rule.keys.empty()) assume(fmt::format("{} {}", first_of(rule.keys), rule.fallback));
    return rule.fallback;
  }
  if (member.value->is_null() && !spec.required) return {};
  FieldSpec plain = spec;  // "auto" is a word of ours, not of theirs
  plain.automatic = plain.nullable = false;
  const Decoder::Scope scope(decoder_, *part_, *member.value, member.key);
  return decoder_.integer(*member.value, plain);
}

bool HfReader::flag(const HfFlag& rule) {
  const JsonValue* value = rule.key.empty() ? nullptr : part_->find(rule.key);
  bool given = rule.fallback;
  if (value && !value->is_null()) {
    const Decoder::Scope scope(decoder_, *part_, *value, rule.key);
    FieldSpec spec;
    spec.type = FieldType::boolean;
    given = decoder_.boolean(*value, spec).value_or(rule.fallback);
  }
  return given != rule.inverted;
}

bool HfReader::each(std::string_view key, const std::function<void(const JsonValue&)>& visit) {
  const JsonValue* list = part_->find(key);
  if (!list || list->is_null()) return false;
  const Decoder::Scope scope(decoder_, *part_, *list, key);
  FieldSpec spec;
  spec.max_elements = 1 << 14;
  if (!decoder_.check_list(*list, spec)) return false;
  for (std::size_t i = 0; i < list->elements().size(); ++i) {
    const JsonValue& element = list->elements()[i];
    const Decoder::Scope at(decoder_, *list, element, std::to_string(i));
    visit(element);
  }
  return true;
}

std::int64_t HfReader::written_number(std::string_view pointer, std::int64_t otherwise) const {
  const JsonValue* value = written(pointer);
  return value ? value->as_integer() : otherwise;
}

JsonValue HfReader::placed(JsonValue value, std::string_view from) const {
  const JsonValue* theirs = part_->find(from);
  const JsonValue& at = theirs ? *theirs : *part_;
  if (!theirs) return value;  // the library's default: from no file
  value.source = at.source;
  value.offset = at.offset;
  value.length = at.length;
  return value;
}

void HfReader::set(const std::string& key, JsonValue value, std::string_view from) {
  origins_["/" + key] = from;
  out_.set(key, placed(std::move(value), from));
}

void HfReader::set_in(const std::string& block, const std::string& key, JsonValue value, std::string_view from) {
  JsonValue* object = out_.find(block);
  if (!object) object = &out_.set(block, JsonValue::object());
  origins_[pointer_of(block, key)] = from;
  object->set(key, placed(std::move(value), from));
}

void HfReader::drop(std::string_view key) {
  std::erase_if(out_.members(), [&](const JsonValue::Member& member) { return member.first == key; });
}

void HfReader::forget(const HfNumber& assumed) {
  if (assumed.keys.empty()) return;
  std::erase(assumed_, fmt::format("{} {}", first_of(assumed.keys), assumed.fallback));
}

void HfReader::error(std::string code, std::string message, std::string_view key) {
  const JsonValue* member = key.empty() ? nullptr : part_->find(key);
  if (!member) return decoder_.error(std::move(code), std::move(message), *part_);
  const Decoder::Scope scope(decoder_, *part_, *member, key);
  decoder_.error(std::move(code), std::move(message), *member);
}

void HfReader::error_at(std::string code, std::string message, const JsonValue& at) {
  decoder_.error(std::move(code), std::move(message), at);
}

template <class Table, std::size_t N>
void HfReader::copy(const Table& table, const std::pair<std::string_view, HfNumber Table::*> (&members)[N],
                    const RecordSpec& spec, const std::string& block) {
  for (const auto& [key, member] : members) {
    const HfNumber& rule = table.*member;
    const auto value = number(rule, *spec.find(key));
    if (!value) continue;
    const Member from = find(rule.keys);
    block.empty() ? set(std::string(key), *value, from.key) : set_in(block, std::string(key), *value, from.key);
  }
}

void HfReader::copy_flags() {
  const HfFamily& f = *family_;
  constexpr std::pair<const char*, HfFlag HfFamily::*> flags[] = {{"gated_mlp", &HfFamily::gated_mlp},
                                                                  {"tied_embeddings", &HfFamily::tied_embeddings},
                                                                  {"biases", &HfFamily::biases},
                                                                  {"attention_biases", &HfFamily::attention_biases},
                                                                  {"query_key_norm", &HfFamily::query_key_norm},
                                                                  {"parallel_block", &HfFamily::parallel_block}};
  for (const auto& [key, member] : flags)
    if (const bool given = flag(f.*member); given || always_written(key)) set(key, given, (f.*member).key);
  if (written("/biases")->as_boolean()) drop("attention_biases");  // among all of them
  Transformer words;
  words.normalisation = f.normalisation;
  words.positions = f.positions;
  const JsonValue names = encode_record(words);
  for (const char* key : {"normalisation", "positions"}) set(key, names.at(key), "model_type");
}

/// No experts, or none of them: a dense model in the same family.
void HfReader::copy_mixture(const HfMixture& mixture) {
  const Member experts = find(mixture.experts.keys);
  const bool none = experts.value && (experts.value->is_null() ||
                                      (experts.value->is(JsonKind::integer) && experts.value->as_integer() == 0));
  const JsonValue* listed = part_->find("moe_layers");
  if (none || (listed && listed->is(JsonKind::list) && listed->elements().empty())) return;
  copy(mixture, mixture_numbers, spec_for<ExpertMixture>(), "experts");
  JsonValue* out = out_.find("experts");
  if (out && written_number("/experts/groups", 1) == 1)
    std::erase_if(out->members(), [](const auto& member) { return member.first.starts_with("groups"); });
}

void HfReader::copy_tables() {
  const RecordSpec& spec = spec_for<Transformer>();
  HfFamily numbers = *family_;
  if (!flag(numbers.windows)) numbers.sliding_window = {};  // given all the same, and without effect
  copy(numbers, model_numbers, spec, "");
  if (!written("/ffn")) {
    const auto ratio = number(family_->ffn_ratio, *spec.find("ffn"));
    if (ratio) set("ffn", *ratio * written_number("/hidden", 1), find(family_->hidden.keys).key);
  }
  copy_flags();
  if (family_->experts) copy_mixture(*family_->experts);
  if (family_->latent) copy(*family_->latent, latent_numbers, spec_for<LatentAttention>(), "latent");
}

JsonValue HfReader::finish() {
  decoder_.finish();
  out_.source = part_->source;
  out_.offset = part_->offset;
  out_.length = part_->length;
  return std::move(out_);
}

Place HfReader::origin(const std::string& pointer) const {
  const auto at = origins_.find(pointer);
  const JsonValue* member = at == origins_.end() ? nullptr : part_->find(at->second);
  return member ? member->place(prefix_ + "/" + at->second) : part_->place(prefix_);
}

}  // namespace clusterwright
