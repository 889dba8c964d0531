// SPDX-License-Identifier: Apache-2.0
// Options and words with an empty value, as an empty variable of the shell leaves them.
#include <string>

#include "support/catch.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;

TEST_CASE("an option with an empty value is refused, and not taken for one that is not given", "[tools][empty]") {
  const ProgramRoom room;
  for (const char* words :
       {"run llama3-8b-h100-64 --cap ''", "run llama3-8b --on ''", "run llama3-8b-h100-64 --beside ''",
        "run llama3-8b-h100-64 --parameters ''", "run llama3-8b-h100-64 --placement ''",
        "run llama3-8b-h100-64 --timeline ''", "run llama3-8b-h100-64 --set ''", "run llama3-8b-h100-64 -o ''",
        "run llama3-8b-h100-64 --format json --seed ''", "plan llama3-8b --on ''", "size h100-8-nodes --prices ''",
        "wave llama3-8b-h100-64 --utility ''", "collective h100-8-nodes --hosts ''",
        "fits llama3-8b --on H100-SXM --stack ''", "calibrate fit samples.json --base ''", "init mine --from ''"})
    check_refused(room, words, "E0404", " is given an empty value");
  check_refused(room, "run llama3-8b-h100-64 --cap ''", "E0404", "--cap is given an empty value");
  check_refused(room, "run llama3-8b-h100-64 -o a.json -o ''", "E0404", "--output is given an empty value");
  check_refused(room, "run llama3-8b-h100-64 --cap ''", "E0404", "leave it out, or give it a value");
}

TEST_CASE("an empty word is refused where a command takes a name or a file", "[tools][empty]") {
  const ProgramRoom room;
  check_refused(room, "fits '' --on H100-SXM", "E0404", "MODEL is given an empty value");
  check_refused(room, "run ''", "E0404", "SCENARIO is given an empty value");
  check_refused(room, "size '' --on 'DGX H100' --gpus 64", "E0404", "SCENARIO is given an empty value");
  check_refused(room, "compare llama3-8b-h100-64 ''", "E0404", "SCENARIO is given an empty value");
  check_refused(room, "explain ''", "E0404", "TOPIC is given an empty value");
  check_refused(room, "init ''", "E0404", "NAME is given an empty value");
  check_refused(room, "''", "E0404", "unknown command");
  check_refused(room, "calibrate ''", "E0404", "unknown subcommand");
  check_refused(room, "run llama3-8b-h100-64 --quiet ''", "E0404", "unexpected argument");
}

TEST_CASE("an option that ends in = does not take the next word for its value", "[tools][empty]") {
  const ProgramRoom room;
  check_refused(room, "run llama3-8b-h100-64 --cap= --format json", "E0404", "--cap is given an empty value");
  check_refused(room, "run llama3-8b-h100-64 --cap=", "E0404", "--cap is given an empty value");
  check_refused(room, "calibrate fit --base= samples.json", "E0404", "--base is given an empty value");
  check_refused(room, "run llama3-8b-h100-64 --cop=", "E0404", "did you mean \"--cap\"");
}
