// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/price_settings.hpp"

#include "models/job/price_list.hpp"
#include "models/job/scenario_loader.hpp"

namespace clusterwright {

bool sets_prices(const std::string& setting) {
  return setting.starts_with("prices.") || setting.starts_with("prices=");
}

JsonValue with_price_settings(JsonValue document, const std::vector<std::string>& settings,
                              std::vector<InputFile>& inputs) {
  const ReferenceReader read = [&](const std::filesystem::path& file) { return read_input(file, inputs); };
  for (const std::string& setting : settings)
    if (sets_prices(setting)) apply_setting(document, scenario_spec(), setting, read);
  if (JsonValue* prices = document.find("prices")) *prices = filled_in_prices(std::move(*prices), read);
  return document;
}

}  // namespace clusterwright
