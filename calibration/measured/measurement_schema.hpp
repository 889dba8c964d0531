// SPDX-License-Identifier: Apache-2.0
/// Checks cases one by one against the schema of the measurement set, so that a wrong one does not stop the others.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "sim/diagnostic.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

/// Rules of a JSON Schema (draft-07) for one case: types, keys, words, ranges, lengths and conditions. Words that name
/// an accelerator, a framework or a kind stay open: a word that is not listed has no model, but is no mistake.
class MeasurementSchema {
 public:
  /// @param document  calibration/measurements/schema.json
  explicit MeasurementSchema(JsonValue document) : document_(std::move(document)) {}

  /// @param pointer  place of the case in its file, for errors
  /// @return all errors; empty: the case is valid
  std::vector<Diagnostic> check(const JsonValue& measurement, const std::string& pointer) const;

 private:
  JsonValue document_;
};

/// A case of a file, or its errors. A newer set may say more than this version knows: keys that the schema lacks are
/// ignored and named.
struct ReadCase {
  Measurement measurement;               ///< with errors, only its id, family and kind
  std::vector<Diagnostic> errors;        ///< empty: the measurement is complete
  std::vector<Diagnostic> ignored = {};  ///< keys that the schema lacks
};

/// Reads every case of a file; a case that breaks the schema keeps its place, with its errors.
/// @throws ConfigError if the file is missing, no JSON, or has no list of cases
std::vector<ReadCase> read_cases(const std::filesystem::path& file, const MeasurementSchema& schema);

}  // namespace clusterwright
