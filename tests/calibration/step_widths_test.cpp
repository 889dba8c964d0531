// SPDX-License-Identifier: Apache-2.0
#include "calibration/fit/step_widths.hpp"

#include "support/catch.hpp"

using namespace clusterwright;

namespace {

StepRow row_of(const std::string& stack, const std::string& architecture, double share = 1) {
  StepRow row;
  row.entry = stack;
  row.architecture = architecture;
  row.share = share;
  row.weight = 2;
  return row;
}

std::string stack_of_row(const StepRow& row) {
  return row.entry;
}

std::string architecture_of_row(const StepRow& row) {
  return row.architecture;
}

}  // namespace

TEST_CASE("a row counts in a class where what is wider is left without its group", "[calibration]") {
  const std::vector<StepRow> rows = {row_of("a", "x"), row_of("b", "x"), row_of("b", "y"), row_of("b", "y")};
  // Without stack b nothing of y is left: its errors are those of an architecture.
  CHECK(class_weights(rows, stack_of_row, {{architecture_of_row}}) == std::vector<double>{2, 2, 0, 0});
  CHECK(class_weights(rows, stack_of_row, {}) == std::vector<double>{2, 2, 2, 2});
}

TEST_CASE("rows of one cell count as one among those that must be left", "[calibration]") {
  std::vector<StepRow> rows = {row_of("a", "x"), row_of("b", "x", 0.5), row_of("b", "x", 0.5), row_of("c", "x")};
  CHECK(class_weights(rows, stack_of_row, {{architecture_of_row, 2}}) == std::vector<double>{2, 2, 2, 2});
  CHECK(class_weights(rows, stack_of_row, {{architecture_of_row, 2.5}}) == std::vector<double>{0, 0, 0, 0});
  rows.push_back(row_of("b", "x"));
  CHECK(class_weights(rows, stack_of_row, {{architecture_of_row, 2.5}}) == std::vector<double>{2, 0, 0, 2, 0});
}
