// SPDX-License-Identifier: Apache-2.0
#include "models/kernels/collectives/hostlist.hpp"

#include <string>

#include "sim/diagnostic.hpp"
#include "support/catch.hpp"
#include "support/ids.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

Diagnostic error_of(const std::string& text) {
  try {
    parse_hostlist(text);
  } catch (const ConfigError& error) {
    return error.diagnostics().at(0);
  }
  FAIL("accepted: " << text);
  return {};
}

}  // namespace

TEST_CASE("a host list gives the numbers at the ends of names, in its order", "[models][hostlist]") {
  CHECK(parse_hostlist("gpu7") == nodes({7}));
  CHECK(parse_hostlist("gpu[001-004,7],gpu12") == nodes({1, 2, 3, 4, 7, 12}));
  CHECK(parse_hostlist("b2,a1") == nodes({2, 1}));
  CHECK(parse_hostlist("rack3-node[5-5]") == nodes({5}));
  CHECK(parse_hostlist("0,3") == nodes({0, 3}));
}

TEST_CASE("brackets continue the digits in front of them, zeros included", "[models][hostlist]") {
  CHECK(parse_hostlist("gpu1[08-11]") == nodes({108, 109, 110, 111}));
  CHECK(parse_hostlist("gpu1[8-11]") == nodes({18, 19, 110, 111}));
  CHECK(parse_hostlist("gpu[099-101]") == nodes({99, 100, 101}));
}

TEST_CASE("what cannot be read is pointed at", "[models][hostlist]") {
  const auto at = [](const std::string& text) { return error_of(text).places.at(0).offset; };
  CHECK(at("") == 0);
  CHECK(at("gpu1,") == 5);
  CHECK(at("gpu1,,gpu2") == 5);
  CHECK(at("gpu1,login,gpu2") == 5);
  CHECK(at("gpu[1-3") == 7);
  CHECK(at("gpu[1-]") == 6);
  CHECK(at("gpu[]") == 4);
  CHECK(at("gpu[1]-ib") == 6);
  CHECK(at("gpu[1-2][3-4]") == 8);
  CHECK(at("gpu1 gpu2") == 4);
  CHECK(at("gpu]1") == 0);  // a name without a number
  CHECK(at("gpu[9-3]") == 4);
  CHECK(error_of("gpu[9-3]").code == "E0331");
  CHECK(error_of("gpu[9-3]").places.at(0).length == 3);
}

TEST_CASE("numbers and lists beyond any cluster are refused, not stored", "[models][hostlist]") {
  CHECK(error_of("gpu12345678901").message.find("too large") != std::string::npos);
  CHECK(error_of("gpu[0-999999999]").message.find("more than 1048576 nodes") != std::string::npos);
  CHECK(error_of("gpu[" + std::string(1000, '0') + "1-9]").message.find("too large") != std::string::npos);
}
