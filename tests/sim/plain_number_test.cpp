// SPDX-License-Identifier: Apache-2.0
#include "sim/plain_number.hpp"

#include "support/catch.hpp"

using namespace clusterwright;

TEST_CASE("numbers of sentences have no powers of ten", "[plain_number]") {
  CHECK(plain_number(0) == "0");
  CHECK(plain_number(20000) == "20000");
  CHECK(plain_number(1e6) == "1000000");
  CHECK(plain_number(12345.6) == "12346");  // integer digits stay
  CHECK(plain_number(43.218) == "43.22");
  CHECK(plain_number(0.5) == "0.5");
  CHECK(plain_number(-2.50) == "-2.5");
  CHECK(bound_text(1e18) == "1000000000000000000");
  CHECK(bound_text(0.1) == "0.1");
  CHECK(bound_text(1e-9) == "1e-09");
}
