#include "sim/field_spec.hpp"

#include <algorithm>
#include <array>

namespace clusterwright {

namespace {

// Longest suffix first where one ends in another.
constexpr std::array<KeyUnit, 39> key_units = {{
    {"_gb_per_s_bidirectional", "GB/s, both directions together", 1e9},
    {"_tb_per_s", "TB/s", 1e12},
    {"_gb_per_s", "GB/s", 1e9},
    {"_gbit_per_s", "Gbit/s", 1e9 / 8},
    {"_kw_per_s", "kW/s", 1e3},
    {"_usd_per_kwh", "USD/kWh", 1 / 3.6e6},
    {"_usd_per_year", "USD/year", 1 / (365.25 * 86400)},
    {"_usd_per_rack_year", "USD per rack and year", 1 / (365.25 * 86400)},
    {"_usd_per_kw_month", "USD per kW and month", 12 / (1e3 * 365.25 * 86400)},
    {"_usd_per_accelerator_hour", "USD per accelerator and hour", 1.0 / 3600},
    {"_usd_per_node", "USD per node", 1},
    {"_usd_per_kw", "USD/kW", 1e-3},
    {"_usd_per_m3", "USD/m3", 1},
    {"_tflops", "TFLOP/s", 1e12},
    {"_mw_site", "MW", 1e6},
    {"_ns_per_m", "ns/m", 1e-9},
    {"_kg_per_m", "kg/m", 1},
    {"_gib", "GiB", 1073741824.0},
    {"_mib", "MiB", 1048576.0},
    {"_kib", "KiB", 1024.0},
    {"_gb", "GB", 1e9},
    {"_mb", "MB", 1e6},
    {"_kb", "kB", 1e3},
    {"_bytes", "B", 1},
    {"_tb", "TB", 1e12},
    {"_ns", "ns", 1e-9},
    {"_us", "us", 1e-6},
    {"_ms", "ms", 1e-3},
    {"_mhz", "MHz", 1e6},
    {"_usd", "USD", 1},
    {"_kva", "kVA", 1e3},
    {"_kw", "kW", 1e3},
    {"_kg", "kg", 1},
    {"_s", "s", 1},
    {"_w", "W", 1},
    {"_m", "m", 1},
    {"_c", "degC", 1},
    {"_u", "rack units", 1},
    {"_hours", "h", 3600},
}};

/// Adds `record` and every record reachable from it to those that were found.
void collect(const RecordSpec& record, std::vector<const RecordSpec*>& found) {
  if (std::find(found.begin(), found.end(), &record) != found.end()) return;
  found.push_back(&record);
  for (const FieldSpec& field : record.fields)
    if (field.type == FieldType::record) collect(field.nested(), found);
}

}  // namespace

const FieldSpec* RecordSpec::find(std::string_view key) const {
  for (const FieldSpec& field : fields)
    if (field.key == key) return &field;
  return nullptr;
}

std::vector<std::string> RecordSpec::keys() const {
  std::vector<std::string> out;
  for (const FieldSpec& field : fields) out.push_back(field.key);
  return out;
}

const KeyUnit* unit_of_key(std::string_view key) {
  for (const KeyUnit& unit : key_units)
    if (key.ends_with(unit.suffix)) return &unit;
  return nullptr;
}

std::string_view json_type_name(FieldType type) {
  static constexpr std::array<std::string_view, 6> names = {"integer", "number", "boolean",
                                                            "string",  "string", "object"};
  return names[static_cast<std::size_t>(type)];
}

std::vector<const RecordSpec*> records_below(const RecordSpec& root) {
  std::vector<const RecordSpec*> found;
  collect(root, found);
  return found;
}

}  // namespace clusterwright
