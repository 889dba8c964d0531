// SPDX-License-Identifier: Apache-2.0
/// JSON Schema (draft-07) of field tables, for validators and for editors that complete and check what is typed.
#pragma once

#include <string_view>
#include <vector>

#include "sim/field_spec.hpp"

namespace clusterwright {

/// Schema of a record, complete in itself: nested records stand under "definitions".
JsonValue json_schema(const RecordSpec& root);

/// The records of all kinds of files, each once, under "definitions" by name.
JsonValue schema_of_types(const std::vector<FileKind>& kinds);

/// Schema of a kind of file that leads to its definition in the file of `schema_of_types`, which lies beside it.
JsonValue schema_by_reference(const FileKind& kind, std::string_view types_file);

}  // namespace clusterwright
