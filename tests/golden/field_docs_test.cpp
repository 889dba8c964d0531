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

TEST_CASE("the committed JSON Schemas are those of the field tables", "[golden]") {
  for (std::size_t i = 0; i < config_kind_names().size(); ++i)
    check_file(configs / "schema" / (config_kind_names()[i] + ".schema.json"),
               write_json(json_schema(spec_of(static_cast<ConfigKind>(i)))) + "\n");
}

TEST_CASE("docs/formats.md lists every field of every kind of file", "[golden]") {
  std::string text =
      "# File formats\n\nJSON with comments. Numbers carry their unit in the key. Written by the field tables; the "
      "same "
      "text is in `clusterwright explain PATH`.\n\n";
  for (std::size_t i = 0; i < config_kind_names().size(); ++i)
    text += "# " + config_kind_names()[i] + "\n\n" + reference_docs(spec_of(static_cast<ConfigKind>(i)));
  check_file(configs.parent_path() / "docs" / "formats.md", text);
}
