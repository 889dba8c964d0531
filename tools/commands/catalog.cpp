// SPDX-License-Identifier: Apache-2.0
#include "topology/parts/catalog.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "models/job/hf_config.hpp"
#include "models/job/scenario_loader.hpp"
#include "models/job/stack.hpp"
#include "models/job/transformer.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "tools/commands/commands.hpp"
#include "tools/output/result_table.hpp"
#include "tools/typed_text.hpp"
#include "topology/nodes/node_group.hpp"
#include "topology/nodes/node_parts.hpp"

namespace clusterwright {

namespace {

/// Sections of files, beside those of parts: their entries are the names that other files and commands use.
struct FileSection {
  const char* folder;
  const char* about;
};
constexpr FileSection file_sections[] = {
    {"stacks", "software stacks, by the name that a job gives"},
    {"transformers", "models, by the name that a scenario gives under \"transformer\""},
    {"clusters", "clusters, by the name that a scenario gives under \"cluster\", and that commands take"},
    {"scenarios", "scenarios, by the name that `run`, `scale` and `size` take"},
    {"facilities", "buildings, by the name that a cluster gives under \"facility\": {\"like\": ...}"},
    {"prices", "price lists, by the name that --prices and \"prices\" take"},
    {"parameters", "fitted parameters, by the name that --parameters takes"},
    {"blueprints", "designs of a job and its cluster with claims, by the name that `audit` takes"},
    {"designs", "published clusters with their counts, watts and dollars, by the name that `audit` takes"},
};

bool scalar_field(const FieldSpec& field) {
  return field.type != FieldType::record && !field.is_list && !field.is_map;
}

ResultTable overview(const JsonValue& catalog) {
  ResultTable table{
      "", {words_column("section", "Section"), {"entries", "Entries", ""}, words_column("about", "About")}, {}};
  for (const FieldSpec& field : record(static_cast<const Catalog*>(nullptr)).fields) {
    const JsonValue& section = catalog.at(field.key);
    const std::size_t size = section.is(JsonKind::list) ? section.elements().size() : section.members().size();
    table.rows.push_back({field.key, static_cast<std::int64_t>(size), field.help});
  }
  for (const FileSection& section : file_sections)
    table.rows.push_back(
        {section.folder, static_cast<std::int64_t>(config_names(section.folder).size()), section.about});
  return table;
}

/// Columns that hold sentences, or a value for few parts, would push the numbers off the screen. The id stays: other
/// files name a part by it.
void drop_minor_columns(ResultTable& table) {
  constexpr std::size_t longest = 32;
  for (std::size_t c = table.columns.size(); c-- > 0;) {
    if (table.columns[c].key == "id") continue;
    std::size_t width = 0, known = 0;
    for (const auto& row : table.rows) {
      width = std::max(width, machine_text(row[c]).size());
      known += machine_text(row[c]).empty() ? 0 : 1;
    }
    if (width <= longest && 3 * known >= 2 * table.rows.size() && known > 0) continue;
    const auto at = static_cast<std::ptrdiff_t>(c);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
}

/// A line per part: its numbers that stand alone; the rest is shown for one id.
ResultTable part_list(const FieldSpec& section, const JsonValue& parts) {
  ResultTable table;
  for (const FieldSpec& field : section.nested().fields) {
    if (!scalar_field(field)) continue;
    const bool number = field.type == FieldType::number || field.type == FieldType::integer;
    table.columns.push_back({field.key, field.key, "", 1, -1, number ? Alignment::right : Alignment::left, true});
  }
  for (const JsonValue& part : parts.elements()) {
    std::vector<Cell> row;
    for (const Column& column : table.columns) row.push_back(fact_cell(part.find(column.key)));
    table.rows.push_back(std::move(row));
  }
  drop_minor_columns(table);
  const auto id =
      std::find_if(table.columns.begin(), table.columns.end(), [](const Column& column) { return column.key == "id"; });
  const auto at = id - table.columns.begin();
  std::rotate(table.columns.begin(), id, id + 1);
  for (auto& row : table.rows) std::rotate(row.begin(), row.begin() + at, row.begin() + at + 1);
  return table;
}

/// The list of accelerators with the dense rates that jobs run at, behind the id.
ResultTable accelerator_list(ResultTable table, const Catalog& catalog) {
  constexpr std::pair<NumberFormat, const char*> formats[] = {{NumberFormat::bf16, "dense_tflops_16_bit"},
                                                              {NumberFormat::fp8, "dense_tflops_8_bit"}};
  std::ptrdiff_t place = 1;
  for (const auto& [format, key] : formats) {
    table.columns.insert(table.columns.begin() + place, Column{key, key, "", 1, -1, Alignment::right, true});
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const FlopsPerSecond rate = peak(catalog.accelerators[i], format);
      const Cell cell = rate > FlopsPerSecond{} ? Cell(std::round(rate.in(teraflop_per_second)*10) / 10) : Cell();
      table.rows[i].insert(table.rows[i].begin() + place, cell);
    }
    ++place;
  }
  return table;
}

/// With what the models take where an entry is silent. Power is that of the data sheet, which few entries have.
std::vector<Cell> node_row(const NodePart& part, const Catalog& catalog) {
  NodeSpec named;
  named.part = part.id;
  const NodeSpec node = fill_in(named, catalog);
  std::vector<Cell> row{part.id, node.accelerator, Cell(), node.nic, Cell(), Cell(), Cell(), Cell()};
  if (part.max_power) row[6] = part.max_power->value.in(kilowatt);
  if (node.host_power.value > Watts{}) row[7] = node.host_power.value.in(watt);
  if (!catalog.find_accelerator(node.accelerator)) return row;
  const NodeGroup group = make_node_group(node, catalog, NodeId(0), node.accelerators.value_or(0));
  row[2] = group.node_accelerators;
  row[4] = group.nics;
  row[5] = group.domain;
  return row;
}

ResultTable node_list(const Catalog& catalog) {
  const auto number = [](const char* key, const char* title, const char* unit = "") {
    return Column{key, title, unit, 1, -1, Alignment::right, true};
  };
  ResultTable table{"",
                    {words_column("id", "Id"),
                     words_column("accelerator", "Accelerator"),
                     number("accelerators", "Each"),
                     words_column("nic", "NIC"),
                     number("nics", "NICs"),
                     number("domain", "Domain"),
                     number("max_power_kw", "Max power", "kW"),
                     {"host_power_w", "Host power", "W"}},
                    {}};
  for (const NodePart& part : catalog.nodes) table.rows.push_back(node_row(part, catalog));
  return table;
}

ResultTable source_list(const JsonValue& sources) {
  ResultTable table{"", {words_column("id", "Id"), words_column("title", "Title")}, {}};
  for (const auto& [id, source] : sources.members()) table.rows.push_back({id, fact_cell(source.find("title"))});
  return table;
}

/// Documents of a folder, by the name of the file.
JsonValue file_entries(const std::string& folder) {
  JsonValue out = JsonValue::object();
  for (const std::string& name : config_names(folder)) {
    const JsonValue document = read_json_file(configs_directory() / folder / (name + ".json"));
    out.set(name, folder == "stacks" ? encode_record(decode_record<SoftwareStack>(document)) : document);
  }
  return out;
}

/// Of a source, what stands before the details.
std::string first_words(const std::string& source) {
  const std::string begin = source.substr(0, source.find_first_of(":;("));
  return begin.substr(0, begin.find_last_not_of(' ') + 1);
}

std::string text_of(const JsonValue& entry, std::string_view key) {
  const JsonValue* value = entry.find(key);
  return value && value->is(JsonKind::text) ? value->as_text() : std::string();
}

/// What a scenario says of itself: its model on its cluster.
std::string about(const JsonValue& entry) {
  const auto stem = [&](std::string_view key) { return std::filesystem::path(text_of(entry, key)).stem().string(); };
  if (entry.find("job") && !entry.find("claims")) return fmt::format("{} on {}", stem("transformer"), stem("cluster"));
  return text_of(entry, "name");
}

ResultTable file_list(const JsonValue& entries) {
  ResultTable table{"", {words_column("id", "Id"), words_column("about", "About")}, {}};
  for (const auto& [id, entry] : entries.members()) table.rows.push_back({id, about(entry)});
  return table;
}

ResultTable transformer_list(const JsonValue& entries) {
  ResultTable table{
      "", {words_column("id", "Id"), words_column("name", "Name"), words_column("size", "Parameters")}, {}};
  for (const auto& [id, entry] : entries.members()) {
    const auto model = decode_record<Transformer>(in_own_form(entry));
    table.rows.push_back({id, model.name, parameter_text(model)});
  }
  return table;
}

ResultTable stack_list(const JsonValue& stacks) {
  ResultTable table{"", {words_column("id", "Id"), words_column("date", "Date"), words_column("source", "Source")}, {}};
  for (const auto& [id, stack] : stacks.members())
    table.rows.push_back({id, stack.at("date").as_text(), first_words(stack.at("source").as_text())});
  return table;
}

ResultTable list_of(const std::string& folder, const JsonValue& entries) {
  if (folder == "stacks") return stack_list(entries);
  return folder == "transformers" ? transformer_list(entries) : file_list(entries);
}

const JsonValue& find_entry(const JsonValue& section, const std::string& id) {
  std::vector<std::string> ids;
  for (const auto& [key, member] : section.members()) {
    if (key == id) return member;
    ids.push_back(key);
  }
  for (const JsonValue& part : section.elements()) {
    ids.push_back(part.at("id").as_text());
    if (ids.back() == id) return part;
  }
  const std::string near = did_you_mean(id, ids);
  throw option_error("ID", id, fmt::format("\"{}\" is not in the catalog", id),
                     near.empty() ? fmt::format("one of: {}", fmt::join(ids, ", ")) : near);
}

struct Answer {
  JsonValue json;
  ResultTable table;
};

Answer answer(const CatalogRequest& request, const Catalog& parts, const JsonValue& catalog) {
  const RecordSpec& spec = record(static_cast<const Catalog*>(nullptr));
  if (request.section.empty()) return {catalog, overview(catalog)};
  std::vector<std::string> sections = spec.keys();
  for (const FileSection& section : file_sections) sections.emplace_back(section.folder);
  const std::size_t chosen = parse_choice("SECTION", request.section, sections);
  const std::string& name = sections[chosen];
  const bool files = chosen >= spec.fields.size();
  const JsonValue section = files ? file_entries(name) : catalog.at(name);
  if (!request.id.empty()) {
    const JsonValue& entry = find_entry(section, request.id);
    return {entry, facts_table(entry)};
  }
  if (files) return {section, list_of(name, section)};
  const FieldSpec& field = spec.fields[chosen];
  if (name == "nodes") return {section, node_list(parts)};
  if (name == "accelerators") return {section, accelerator_list(part_list(field, section), parts)};
  return {section, field.is_map ? source_list(section) : part_list(field, section)};
}

}  // namespace

ExitCode catalog(const CatalogRequest& request) {
  const auto targets = output_targets(
      request.output, {OutputFormat::table, OutputFormat::json, OutputFormat::csv, OutputFormat::markdown});
  const Catalog parts = load_catalog(configs_directory() / "parts");
  const Answer found = answer(request, parts, encode_record(parts));
  deliver(targets, request.output.quiet, [&](OutputFormat format) {
    switch (format) {
      case OutputFormat::json:
        return write_json(found.json) + "\n";
      case OutputFormat::csv:
        return render_csv(found.table);
      case OutputFormat::markdown:
        return render_markdown(found.table);
      default:
        return render_text(found.table);
    }
  });
  return ExitCode::ok;
}

}  // namespace clusterwright
