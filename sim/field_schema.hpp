/// JSON Schema of field tables.
#pragma once

#include "sim/field_spec.hpp"

namespace clusterwright {

/// JSON Schema (draft-07) of a record, nested records under "definitions".
JsonValue json_schema(const RecordSpec& root);

}  // namespace clusterwright
