// SPDX-License-Identifier: Apache-2.0
// Names that no file can have, and outputs that meet on standard output.
#include <string>

#include "support/catch.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

namespace {

const std::string of_any_output = "run llama3-8b-h100-64 ";

}  // namespace

TEST_CASE("a file name that is too long is wrong input", "[tools][outputs]") {
  const ProgramRoom room;
  const std::string name(300, 'a');
  for (const std::string& words :
       {of_any_output + "-o " + name + ".json", of_any_output + "--timeline " + name,
        of_any_output + "--heat " + name + ".csv", "size h100-8-nodes --elevations " + name, "init " + name,
        "init " + name + "/mine", "calibrate fit samples.json -o " + name + ".json"})
    check_refused(room, words, "E0405", "cannot be written: File name too long");
  check_refused(room, of_any_output + "--placement " + name, "E0401", "aaaaaaaa");
  check_refused(room, "calibrate fit " + name, "E0401", "aaaaaaaa");
  check_refused(room, of_any_output + "-o " + name + ".json", "E0405", "aaa...aaa");
}

TEST_CASE("standard output takes one document", "[tools][outputs]") {
  const ProgramRoom room;
  const std::string both = "two outputs of this command go there";
  for (const char* words : {"--heat - --format json", "--timeline - --format json", "--timeline -", "-o - -o -",
                            "-o - --heat -", "-o answer.json --heat - --timeline -"})
    check_refused(room, of_any_output + words, "E0405", both);
  for (const char* words :
       {"--elevations - --patch-list -", "--elevations - --format csv", "-o size.json --elevations - --patch-list -"})
    check_refused(room, std::string("size h100-8-nodes ") + words, "E0405", both);

  const Outcome heat = room.run(of_any_output + "--heat - -o answer.json --quiet");
  CHECK(heat.code == 0);
  CHECK(heat.out.starts_with("from,to,tier,way,"));
  CHECK_FALSE(has(heat.out, "{"));
  CHECK(room.run(of_any_output + "--heat heat.csv --format json --quiet").json().find("step_time_s"));
}

TEST_CASE("init wants the name of a file, and one thing to start from", "[tools][outputs]") {
  const ProgramRoom room;
  for (const char* name : {".", "..", "./", "./.", "./.."})
    check_refused(room, std::string("init ") + name, "E0404", "names no file");
  check_refused(room, "init mine --from llama3-70b-h100 --model llama3-8b --on B200 --gpus 64", "E0404", " excludes ");
}
