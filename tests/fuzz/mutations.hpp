// SPDX-License-Identifier: Apache-2.0
/// Random changes to JSON documents and random values of fields, by a seeded generator.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "sim/field_spec.hpp"
#include "sim/json_value.hpp"

namespace clusterwright::fuzz {

using Random = std::mt19937_64;

/// Whole number from 0 to `below` - 1. @pre below > 0
std::size_t draw(Random& random, std::size_t below);

/// Text of a JSON file with one to three changes: numbers to extremes and neighbours, other words of the file, other
/// kinds, members that go or come twice; one time in ten, bytes.
std::string mutated(const std::string& text, Random& random);

/// Number, choice or flag of a record, by its dotted path.
struct DrawnField {
  std::string path;
  const FieldSpec* field = nullptr;
};

/// Fields of a record that hold numbers, choices or flags, nested records included, without lists, maps and parts.
std::vector<DrawnField> drawn_fields(const RecordSpec& spec, const std::string& prefix = {});

/// Value inside the documented range: an end of it, a usual number, or one drawn evenly in its logarithm.
std::string drawn_value(const FieldSpec& field, Random& random);

}  // namespace clusterwright::fuzz
