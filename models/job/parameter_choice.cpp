// SPDX-License-Identifier: Apache-2.0
#include "models/job/parameter_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/job/configs_directory.hpp"
#include "sim/field_table.hpp"
#include "sim/json_reader.hpp"

namespace clusterwright {

namespace fs = std::filesystem;

namespace {

/// Generic parameters are shares of a data sheet, so it must state what they are shares of.
void check_data_sheet(const AcceleratorPart& part) {
  const bool stated =
      peak(part, NumberFormat::bf16) > FlopsPerSecond{} && part.memory_bandwidth.value > BytesPerSecond{};
  if (stated) return;
  throw ConfigError({"E0315",
                     fmt::format("no parameters for \"{}\"", part.id),
                     {},
                     "its data sheet has no 16-bit rate or no memory bandwidth",
                     "give --parameters FILE"});
}

/// Names of the shipped sets; the one that is called like the part comes first, since others need not be read then.
std::vector<std::string> set_names(const std::string& accelerator) {
  std::vector<std::string> names = config_names("parameters");
  std::string own = accelerator;
  for (char& letter : own)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  const auto found = std::find(names.begin(), names.end(), own);
  if (found != names.end()) std::rotate(names.begin(), found, found + 1);
  return names;
}

ParameterSet read_set(const fs::path& path) {
  return decode_record<ParameterSet>(read_json_file(path));
}

struct ClosestFile {
  fs::path path;
  SetClaim claim = SetClaim::none;
};

ClosestFile closest_file(const std::string& accelerator) {
  ClosestFile closest;
  for (const std::string& name : set_names(accelerator)) {
    const fs::path path = configs_directory() / "parameters" / (name + ".json");
    if (const SetClaim own = claim(read_set(path), accelerator); own > closest.claim) closest = {path, own};
    if (closest.claim == SetClaim::own) break;
  }
  return closest;
}

/// Whether a set fitted for one accelerator is as near to another one as the set that ships for that one.
bool as_near_as_shipped(const std::string& fitted_for, const AcceleratorPart& part) {
  return read_set(closest_file(measured_id(part)).path).accelerator == fitted_for;
}

void refuse(const std::string& set, const std::string& fitted_for, const AcceleratorPart& part, const Place& place) {
  const std::string usual = closest_file(measured_id(part)).path.filename().string();
  throw ConfigError(
      {"E0340",
       fmt::format("the parameters \"{}\" were fitted for {}, but the accelerator is {}", set.substr(0, 80),
                   fitted_for.substr(0, 80), part.id),
       {place},
       "",
       fmt::format("leave them out (then {} is taken), or say \"like\": \"{}\" in the description of an own part",
                   usual, fitted_for.substr(0, 80))});
}

struct SheetNumber {
  const char* name;
  const char* unit;
  double value;  ///< 0: not stated
};

std::array<SheetNumber, 4> sheet_numbers(const AcceleratorPart& part) {
  const double scale_up = part.scale_up_bandwidth ? part.scale_up_bandwidth->value.in(gigabyte_per_second) : 0;
  return {{{"peak", "TFLOP/s", peak(part, NumberFormat::bf16).in(teraflop_per_second)},
           {"memory bandwidth", "TB/s", part.memory_bandwidth.value.in(1e12 * byte / second)},
           {"power", "W", part.power.value.in(watt)},
           {"scale-up bandwidth", "GB/s", scale_up}}};
}

}  // namespace

double data_sheet_distance(const AcceleratorPart& a, const AcceleratorPart& b) {
  const auto of_a = sheet_numbers(a), of_b = sheet_numbers(b);
  double squares = 0;
  for (std::size_t i = 0; i < of_a.size(); ++i)
    if (of_a[i].value > 0 && of_b[i].value > 0) squares += std::pow(std::log(of_a[i].value / of_b[i].value), 2);
  return std::sqrt(squares);
}

std::string data_sheet_differences(const AcceleratorPart& part, const AcceleratorPart& parent) {
  const auto own = sheet_numbers(part), other = sheet_numbers(parent);
  std::string text;
  for (std::size_t i = 0; i < own.size(); ++i)
    if (own[i].value != other[i].value)
      text += fmt::format("{}{} {:.5g} {} ({:.5g})", text.empty() ? "" : ", ", own[i].name, own[i].value, own[i].unit,
                          other[i].value);
  return text;
}

const std::string& measured_id(const AcceleratorPart& part) {
  return part.like.empty() ? part.id : part.like;
}

SetClaim claim(const ParameterSet& set, const std::string& accelerator) {
  if (set.accelerator.empty()) return SetClaim::generic;
  if (set.accelerator == accelerator) return SetClaim::own;
  const auto& siblings = set.also_for;
  return std::find(siblings.begin(), siblings.end(), accelerator) != siblings.end() ? SetClaim::sibling
                                                                                    : SetClaim::none;
}

const ParameterSet* closest_set(const std::vector<ParameterSet>& sets, const std::string& accelerator) {
  const ParameterSet* closest = nullptr;
  SetClaim most = SetClaim::none;
  for (const ParameterSet& set : sets)
    if (const SetClaim own = claim(set, accelerator); own > most) closest = &set, most = own;
  return closest;
}

fs::path parameter_file(const AcceleratorPart& part) {
  const ClosestFile closest = closest_file(measured_id(part));
  if (closest.claim <= SetClaim::generic) check_data_sheet(part);
  return closest.path;
}

void check_serves(const ParameterSet& set, const AcceleratorPart& part, const Place& place) {
  if (claim(set, measured_id(part)) != SetClaim::none || as_near_as_shipped(set.accelerator, part)) return;
  refuse(set.name, set.accelerator, part, place);
}

void check_serves(const CollectiveSet& set, const AcceleratorPart& part, const Place& place) {
  const bool named = set.accelerator.empty() || set.accelerator == measured_id(part);
  if (named || as_near_as_shipped(set.accelerator, part)) return;
  refuse(set.name, set.accelerator, part, place);
}

}  // namespace clusterwright
