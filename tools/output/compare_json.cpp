// SPDX-License-Identifier: Apache-2.0
#include "tools/output/compare_json.hpp"

#include "tools/output/compare_sentences.hpp"
#include "tools/output/result_json.hpp"

namespace clusterwright {

namespace {

JsonValue json_of_ratio(const Interval<double>& ratio) {
  return JsonValue::object({{"low", ratio.low}, {"value", ratio.value}, {"high", ratio.high}});
}

JsonValue if_known(const std::optional<double>& value) {
  return value ? JsonValue(*value) : JsonValue();
}

void add_ratio(JsonValue& out, const CompareAnswer& answer, std::size_t line) {
  const OptionRatio ratio = over_reference(answer, line);
  out.set("speed_ratio", json_of_ratio(ratio.speed));
  out.set("probability_faster", ratio.probability_faster);
  out.set("price_ratio", ratio.price ? json_of_ratio(*ratio.price) : JsonValue());
  out.set("probability_cheaper", if_known(ratio.probability_cheaper));
}

JsonValue json_of_failures(const ComparedOption& option) {
  JsonValue list = JsonValue::list();
  for (const SiteVerdict& verdict : option.failed_verdicts())
    list.push_back(JsonValue::object(
        {{"what", verdict.what}, {"arithmetic", verdict.arithmetic}, {"field", text_or_null(verdict.field)}}));
  return list;
}

void add_site(JsonValue& out, const SizedCluster& sized) {
  out.set("usd_per_million_tokens", if_known(sized.cost.usd_per_million_tokens));
  out.set("capex_usd", sized.cost.rented ? JsonValue() : JsonValue(sized.cost.capex_total.in(dollar)));
  out.set("lower_bound", sized.cost.lower_bound());
  out.set("facility_kw_rated", sized.plan.rated.facility.in(kilowatt));
  out.set("paid_days", sized.run ? JsonValue(sized.run->paid.value.in(day)) : JsonValue());
  out.set("run_usd", sized.run ? JsonValue(sized.run->total.value.in(dollar)) : JsonValue());
}

JsonValue json_of_line(const CompareAnswer& answer, std::size_t line) {
  const CompareLine& one = answer.lines[line];
  JsonValue out = JsonValue::object({{"letter", letter_of(line)},
                                     {"name", one.option.name},
                                     {"command", one.command},
                                     {"runs", one.option.runs()},
                                     {"reason", text_or_null(one.option.reason)}});
  if (!one.option.runs()) return out;
  out.set("step", step_to_json(*one.option.step));
  add_ratio(out, answer, line);
  out.set("can_be_built", one.option.can_be_built());
  out.set("failed_verdicts", json_of_failures(one.option));
  if (one.option.sized) add_site(out, *one.option.sized);
  return out;
}

std::vector<InputFile> inputs_of(const CompareAnswer& answer) {
  std::vector<InputFile> out;
  for (const CompareLine& line : answer.lines)
    for (const InputFile& file : line.context.inputs)
      if (std::ranges::find(out, file.path, &InputFile::path) == out.end()) out.push_back(file);
  return out;
}

}  // namespace

JsonValue compare_to_json(const CompareAnswer& answer) {
  JsonValue document = result_header("compare", answer.lines.front().context.seed, inputs_of(answer));
  JsonValue options = JsonValue::list();
  for (std::size_t i = 0; i < answer.lines.size(); ++i) options.push_back(json_of_line(answer, i));
  const std::optional<std::size_t> reference = reference_of(answer);
  document.set("reference", reference ? JsonValue(letter_of(*reference)) : JsonValue());
  document.set("replanned", answer.replanned);
  document.set("options", std::move(options));
  document.set("differences", json_of(field_differences(answer)));
  document.set("warnings", warnings_json(compare_warnings(answer)));
  return document;
}

}  // namespace clusterwright
