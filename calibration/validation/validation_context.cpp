#include "calibration/validation/validation_context.hpp"

#include <set>
#include <utility>

#include "sim/field_table.hpp"
#include "sim/json_writer.hpp"

namespace clusterwright {

namespace {

/// Values with a source that begins with "fit of", as text: a value that several sets borrow from one fit counts once.
void collect_fitted(const JsonValue& value, const std::string& key, std::set<std::string>& out) {
  const JsonValue *source = value.find("source"), *number = value.find("value");
  if (number && source && source->is(JsonKind::text) && source->as_text().starts_with("fit of"))
    out.insert(key + write_json(*number) + source->as_text());
  for (const auto& [name, member] : value.members()) collect_fitted(member, name, out);
  for (const JsonValue& element : value.elements()) collect_fitted(element, key, out);
}

}  // namespace

ValidationContext validation_context(ScenarioShelf shelf) {
  ValidationContext context{std::move(shelf), {}};
  for (const ParameterSet& set : context.shelf.parameters) context.collectives[set.name] = collective_set(set);
  return context;
}

int fitted_parameters(const ScenarioShelf& shelf, const std::vector<std::string>& accelerators, bool steps) {
  std::set<const ParameterSet*> used;
  for (const std::string& accelerator : accelerators)
    if (const ParameterSet* set = parameters_for(shelf, accelerator)) used.insert(set);
  std::set<std::string> fitted;
  for (const ParameterSet* set : used) collect_fitted(encode_record(*set), "", fitted);
  return static_cast<int>(fitted.size() + (steps ? shelf.steps.fitted.size() : 0));
}

}  // namespace clusterwright
