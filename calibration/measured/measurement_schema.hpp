/// Checks one case against the schema of the measurement set, so that a wrong one is named and the others go on.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "calibration/measured/measurement.hpp"
#include "sim/diagnostic.hpp"
#include "sim/json_value.hpp"

namespace clusterwright {

/// What a JSON Schema (draft-07) says of a case: types, keys, words, ranges, lengths and conditions. Words that name an
/// accelerator, a framework or a kind are left alone: one that is not listed is a thing without a model, no mistake.
class MeasurementSchema {
 public:
  /// @param document  calibration/measurements/schema.json
  explicit MeasurementSchema(JsonValue document) : document_(std::move(document)) {}

  /// @param pointer  of the case in its file, for the places of errors
  /// @return everything that is wrong; empty: the case is valid
  std::vector<Diagnostic> check(const JsonValue& measurement, const std::string& pointer) const;

 private:
  JsonValue document_;
};

/// A case of a file, or what is wrong with it.
struct ReadCase {
  Measurement measurement;         ///< where there are errors, only what names it: id, family, kind
  std::vector<Diagnostic> errors;  ///< empty: the measurement is whole
};

/// Reads every case of a file; one that breaks the schema keeps its place with its errors.
/// @throws ConfigError if the file is missing, no JSON, or has no list of cases
std::vector<ReadCase> read_cases(const std::filesystem::path& file, const MeasurementSchema& schema);

}  // namespace clusterwright
