// SPDX-License-Identifier: Apache-2.0
// Schemas and field reference are written by the field tables; what is committed must be what the tables say.
// CLUSTERWRIGHT_UPDATE_GOLDEN=1 writes the files instead.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "sim/field_docs.hpp"
#include "sim/field_schema.hpp"
#include "sim/json_writer.hpp"
#include "support/catch.hpp"
#include "tools/config_kinds.hpp"

using namespace clusterwright;

namespace {

const std::filesystem::path configs = CLUSTERWRIGHT_CONFIGS;

const std::string formats_head =
    R"(# File formats

Files are JSON; `//` and `/* */` comments are allowed. Units stand at the end of keys. The field tables of the program
write this page; `clusterwright explain PATH` prints the entry of one field. A file that begins with
`"$schema": "../schema/scenario.schema.json"` is completed and checked by editors that know JSON Schema.

Words in the column "type":

- *fact*: a value with its origin, `{"value": 3.35, "source": "data sheet", "std_error": 0.02, "verified": true}`; the last
  two may be left out.
- *range*: a fact with the ends between which it may lie, `{"value": 0.08, "low": 0.055, "high": 0.13, "source": "quotes"}`; an
  end that is left out is the value.
- *path*: the path of another JSON file that holds the record, relative to the file that names it, or the name of a shipped
  one ([the rule](command-line.md#inputs)).
- *list of* and *map of*: a JSON list, and an object with free keys, unless the column "allowed" gives the keys.

Defaults that are `{}` mean that every field of the record has its own default.

)";

void check_file(const std::filesystem::path& path, const std::string& expected) {
  if (std::getenv("CLUSTERWRIGHT_UPDATE_GOLDEN")) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << expected;
  }
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  INFO(path);
  CHECK(text.str() == expected);
}

}  // namespace

// Editors find them beside the configs; the command prints a schema that is complete in itself.
TEST_CASE("the committed JSON Schemas are those of the field tables, every type once", "[golden]") {
  const std::string types = "types.schema.json";
  constexpr std::size_t columns = 160;
  for (const RecordSpec* record : records_below(records_of(file_kinds()))) {  // names stand in references and links
    CHECK(record->name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string::npos);
    CHECK(record->name != "fact");  // what the schemas call a value with its source
  }
  check_file(configs / "schema" / types, write_folded_json(schema_of_types(file_kinds()), columns) + "\n");
  for (const FileKind& kind : file_kinds())
    check_file(configs / "schema" / (kind.name + ".schema.json"),
               write_folded_json(schema_by_reference(kind, types), columns) + "\n");
}

TEST_CASE("docs/formats.md lists every field of every kind of file, every type once", "[golden]") {
  check_file(configs.parent_path() / "docs" / "formats.md", formats_head + reference_docs(file_kinds()));
}
