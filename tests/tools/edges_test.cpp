// SPDX-License-Identifier: Apache-2.0
// The edges of the program: streams that are closed or full, outputs that are inputs, Ctrl-C, pipes, hostile files.
#include <sys/stat.h>

#include <array>
#include <cstdio>
#include <vector>

#include "support/catch.hpp"
#include "support/program_room.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;
namespace fs = std::filesystem;

namespace {

const std::string shelf = CLUSTERWRIGHT_CONFIGS;
const std::string eight_nodes = "llama3-8b-h100-64";

/// A scenario of shipped parts, which stands anywhere.
std::string scenario(const std::string& cluster = "h100-8-nodes") {
  std::string text = content(shelf + "/scenarios/" + eight_nodes + ".json");
  for (const std::string folder : {"clusters", "transformers"}) text.replace(text.find("../" + folder), 2, shelf);
  const std::string usual = shelf + "/clusters/h100-8-nodes.json";
  text.replace(text.find(usual), usual.size(), cluster);
  return text;
}

/// Runs words of a shell in the room, with the program as $CW.
Outcome shell(const ProgramRoom& room, const std::string& words) {
  const std::string command = "cd '" + room.at("").string() + "' && export CLUSTERWRIGHT_CONFIGS='" + shelf +
                              "' CW='" CLUSTERWRIGHT_PROGRAM "'; " + words;
  Outcome outcome;
  FILE* const pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    outcome.out.append(buffer.data(), n);
  const int status = ::pclose(pipe);
  outcome.code = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  return outcome;
}

mode_t mode_of(const fs::path& file) {
  struct stat status = {};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace

TEST_CASE("a closed or full standard error changes neither the answer nor the exit code", "[edges]") {
  const ProgramRoom room;
  const auto code = [&](const std::string& words) { return shell(room, "$CW " + words).code; };
  CHECK(code("run missing.json 2>&-") == 2);
  CHECK(code("run missing.json 2>/dev/full") == 2);
  CHECK(code("init mine 2>/dev/full") == 0);
  CHECK(fs::exists(room.at("mine.json")));
  CHECK(code("run " + eight_nodes + " -o out.json 2>&-") == 0);
  CHECK(read_json_file(room.at("out.json")).find("step_time_s"));  // no message got into the file
  CHECK(code("calibrate run --require gpu --only gpu >/dev/null 2>&-") == 5);
}

TEST_CASE("a full or closed standard output ends with exit code 4 and a message", "[edges]") {
  const ProgramRoom room;
  for (const std::string& command :
       std::vector<std::string>{"--help", "run --help", "version", "explain errors", "run " + eight_nodes,
                                "check " + shelf + "/scenarios/" + eight_nodes + ".json"})
    for (const std::string output : {" >/dev/full", " >&-"}) {
      const Outcome outcome = room.run(command + output);
      INFO(command << output << "\n" << outcome.err);
      CHECK(outcome.code == 4);
      CHECK(has(outcome.err, "error: standard output: "));
    }
}

TEST_CASE("a device that is asked for alone and is missing ends with exit code 5", "[edges]") {
  const Outcome outcome = ProgramRoom().run("calibrate run --only gpu");
  if (outcome.code == 0) return;  // a machine with a GPU
  CHECK(outcome.code == 5);
  CHECK(has(outcome.err, "--only gpu: this machine has no GPU"));
}

TEST_CASE("a result replaces no input, under any of its names", "[edges]") {
  const ProgramRoom room;
  room.write("my.json", scenario());
  fs::create_symlink("my.json", room.at("link.json"));
  fs::create_hard_link(room.at("my.json"), room.at("hard.json"));
  for (const std::string output : {"-o my.json", "-o ./my.json", "-o link.json", "-o hard.json", "--timeline my.json"})
    check_refused(room, "run my.json " + output, "E0405", "is an input of this command");
  check_refused(room, "run link.json -o my.json", "E0405", "is an input of this command");
  CHECK(content(room.at("my.json")) == scenario());
}

TEST_CASE("a result does not replace a file that its scenario refers to", "[edges]") {
  const ProgramRoom room;
  const std::string cluster = content(shelf + "/clusters/h100-8-nodes.json");
  room.write("cluster.json", cluster);
  room.write("my.json", scenario("cluster.json"));
  check_refused(room, "run my.json -o cluster.json", "E0405", "is an input of this command");
  CHECK(content(room.at("cluster.json")) == cluster);
}

TEST_CASE("one file is no target twice", "[edges]") {
  const ProgramRoom room;
  check_refused(room, "run " + eight_nodes + " -o a.json -o ./a.json", "E0405", "two outputs");
  check_refused(room, "run " + eight_nodes + " -o a.json --timeline a.json", "E0405", "two outputs");
  room.write("a.json", "{}");
  fs::create_symlink("a.json", room.at("b.json"));
  check_refused(room, "run " + eight_nodes + " -o a.json -o b.json", "E0405", "two outputs");
  CHECK(room.run("run " + eight_nodes + " --format json -o /dev/null -o /dev/null").code == 0);
}

TEST_CASE("an existing file keeps its mode, and a symbolic link stays one", "[edges]") {
  const ProgramRoom room;
  room.write("kept.json", "{}");
  fs::permissions(room.at("kept.json"), fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("kept.json", room.at("link.json"));
  CHECK(room.run("run " + eight_nodes + " -o link.json").code == 0);
  CHECK(fs::is_symlink(room.at("link.json")));
  CHECK(read_json_file(room.at("kept.json")).find("step_time_s"));
  CHECK(mode_of(room.at("kept.json")) == 0600);
  CHECK(room.entries() == 2);
}

TEST_CASE("Ctrl-C keeps the points of a curve that are finished", "[edges]") {
  const ProgramRoom room;
  // 1,921 sizes on one thread outlast a second; some of them are finished by then.
  const Outcome outcome = shell(room,
                                "timeout --preserve-status -s INT 1 $CW scale llama3-405b-h100 "
                                "--gpus 1024..16384+8 --threads 1 -o out.json 2>err.txt");
  INFO(content(room.at("err.txt")));
  if (outcome.code == 0) return;  // a machine that is done before the signal
  CHECK(outcome.code == 130);
  if (!fs::exists(room.at("out.json"))) return;  // or that has finished no point yet
  const JsonValue result = read_json_file(room.at("out.json"));
  CHECK(result.at("interrupted").as_boolean());
  CHECK(result.at("points").elements().size() >= 1);
  CHECK(result.at("points").elements().size() < 1921);
}

TEST_CASE("a scenario comes from a file, a pipe or standard input", "[edges]") {
  const ProgramRoom room;
  room.write("my.json", scenario());
  const Outcome file = room.run("run my.json --format csv");
  REQUIRE(file.code == 0);
  CHECK(shell(room, "$CW run - --format csv <my.json").out == file.out);
  CHECK(shell(room, "cat my.json | $CW run - --format csv").out == file.out);
  CHECK(shell(room, "$CW run /dev/stdin --format csv <my.json").out == file.out);
  CHECK(shell(room, "mkfifo fifo; cat my.json >fifo & $CW run ./fifo --format csv").out == file.out);
  // `size` looks at the kind first and reads the same text again.
  CHECK(shell(room, "cat my.json | $CW size - >/dev/null").code == 0);
  CHECK(shell(room, "cat my.json | $CW check /dev/stdin").code == 0);
}

TEST_CASE("what cannot be read is named for what it is", "[edges]") {
  const ProgramRoom room;
  fs::create_directory(room.at("folder.json"));
  fs::create_symlink("loop.json", room.at("loop.json"));
  check_refused(room, "run folder.json", "E0401", "a directory, not a file");
  check_refused(room, "run loop.json", "E0401", "symbolic links lead in a circle");
  check_refused(room, "run nothing.json", "E0401", "no such file");
  room.write("my.json", scenario("folder.json"));
  check_refused(room, "run my.json", "E0401", "not a regular file: folder.json");
}

TEST_CASE("nothing is quoted of a file of another kind", "[edges]") {
  const ProgramRoom room;
  room.write("secret.txt", "root:SECRET\n");
  room.write("docker.json", R"({"auths": {"registry": {"auth": "SECRET"}}})");
  room.write("broken.json", R"({"password": SECRET})");
  for (const std::string file : {"./secret.txt", "docker.json", "broken.json", "/proc/self/environ"}) {
    for (const std::string key : {"cluster", "transformer", "prices", "parameters", "steps"}) {
      std::string text = scenario();
      const bool there = key == "cluster" || key == "transformer";
      if (there)
        text =
            R"({"cluster": "h100-8-nodes", "transformer": "llama3-8b", "job": {"sequence": 8192, "global_batch": 64}})",
        text.replace(text.find(key == "cluster" ? "h100-8-nodes" : "llama3-8b"), key == "cluster" ? 12 : 9, file);
      else
        text.insert(1, "\"" + key + "\": \"" + file + "\",");
      room.write("leak.json", text);
      const Outcome outcome = room.run("run leak.json");
      INFO(key << " " << file << "\n" << outcome.err);
      CHECK(outcome.code == 2);
      CHECK(!has(outcome.err, "SECRET"));
      CHECK(!has(outcome.err, "CLUSTERWRIGHT_CONFIGS="));
    }
  }
  const Outcome typed = room.run("run secret.txt");
  CHECK(typed.code == 2);
  CHECK(!has(typed.err, "SECRET"));
  CHECK(has(room.run("run broken.json").err, "SECRET"));  // begins as JSON and was named by the user
}

TEST_CASE("control characters of a file name reach no terminal", "[edges]") {
  const ProgramRoom room;
  const std::string name = "\"$(printf 'a\\033[31m.json')\"";
  const Outcome outcome = room.run("run " + eight_nodes + " -o " + name);
  CHECK(outcome.code == 0);
  CHECK(!has(outcome.err, "\033"));
  CHECK(!has(room.run("check " + name).err, "\033"));
}

TEST_CASE("hostile JSON is refused before it costs memory", "[edges]") {
  const ProgramRoom room;
  std::string many = "[";
  for (int i = 0; i < 2'000'000; ++i) many += "{},";  // 6 MB: below the cap of bytes, above that of values
  room.write("many.json", many + "{}]");
  const Outcome outcome = room.run("check many.json");
  CHECK(has(outcome.err, "error[E0501]: more than 262144 values"));
  room.write("large.json", many + many + "{}]");
  CHECK(has(room.run("check large.json").err, "larger than 8388608 bytes"));
}

TEST_CASE("numbers of threads and processes have an upper bound", "[edges]") {
  check_refused("run " + eight_nodes + " --threads 1000000000", "E0403", "1024");
  check_refused("validate --threads 1000000000", "E0403", "1024");
  check_refused("calibrate loop --processes 65", "E0403", "64");
  check_refused("calibrate loop --layers 1000000000", "E0403", "--layers");  // at once, not behind 45 s of probes
}

TEST_CASE("settings have the same paths in every command", "[edges]") {
  const ProgramRoom room;
  const std::string halved = "--set cluster.accelerators=32";
  for (const std::string& command :
       std::vector<std::string>{"run " + eight_nodes, "size " + eight_nodes, "show --topology " + eight_nodes,
                                "collective " + eight_nodes, "collective h100-8-nodes", "size h100-8-nodes"}) {
    const Outcome outcome = room.run(command + " " + halved + " --format json");
    INFO(command << "\n" << outcome.err);
    CHECK(outcome.code == 0);
  }
  check_refused("collective " + eight_nodes + " --set job.global_batch=8", "E0402", "it reads no job");
  check_refused("collective " + eight_nodes + " --set cluster.node.nonsense=8", "E0402", "nonsense");
}

TEST_CASE("a path that an option gives starts from the working directory", "[edges]") {
  const ProgramRoom room;
  fs::create_directory(room.at("inner"));
  room.write("inner/my.json", scenario());
  room.write("own.json", content(shelf + "/stacks/nemo-2024.json"));
  room.write("cluster.json", content(shelf + "/clusters/h100-8-nodes.json"));
  const Outcome outcome = room.run("run inner/my.json --set job.stack=own.json --set cluster=cluster.json");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
}

TEST_CASE("shipped files go by name, and paths win where they look like paths", "[edges]") {
  const ProgramRoom room;
  room.write("named.json", R"({"cluster": "h100-8-nodes", "transformer": "llama3-8b",
    "job": {"sequence": 8192, "global_batch": 64, "sharding": "fsdp"}})");
  CHECK(room.run("run named.json").code == 0);
  CHECK(room.run("check " + eight_nodes + " h100-8-nodes llama3-8b nemo-2024 h100-sxm default air").code == 0);
  CHECK(room.run("collective h100-8-nodes --parameters h100-sxm").code == 0);
  CHECK(room.run("audit dense-500b-1200-h100").code <= 1);
  room.write(eight_nodes, "not JSON");  // without "/" and ".json" the shipped file is meant
  CHECK(room.run("run " + eight_nodes).code == 0);
  CHECK(room.run("run ./" + eight_nodes).code == 2);
  CHECK(room.run("run " + eight_nodes + ".json").code == 2);
}

TEST_CASE("the catalog begins with the names that other files need", "[edges]") {
  const ProgramRoom room;
  for (const std::string section : {"switches", "cables", "accelerators", "nics", "nodes", "transformers", "clusters",
                                    "scenarios", "facilities", "prices", "parameters", "stacks"}) {
    const Outcome outcome = room.run("catalog " + section + " --format csv");
    INFO(section << "\n" << outcome.err);
    CHECK(outcome.code == 0);
    CHECK(outcome.out.starts_with("id,"));
  }
  CHECK(has(room.run("catalog accelerators --format csv").out, "dense_tflops_16_bit"));
  CHECK(has(room.run("catalog clusters h100-8-nodes").out, "accelerators"));
}

TEST_CASE("a file says truly what kind it is", "[edges]") {
  const ProgramRoom room;
  for (const std::string name : {"\"banana\"", "5", "\"cluster.schema.json\""}) {
    std::string text = scenario();
    const std::size_t begin = text.find("\"../schema");
    text.replace(begin, text.find(',', begin) - begin, name);
    room.write("my.json", text);
    INFO(name);
    CHECK(room.run("run my.json").code == 2);
    CHECK(room.run("check my.json").code == 2);
  }
}

TEST_CASE("measured cases have versions and ids of their own", "[edges]") {
  const ProgramRoom room;
  const std::string power = shelf + "/../calibration/measurements/power.json";
  check_refused(room, "validate --cases " + power + " " + power, "E0204", "two cases have the id");
  room.write("new.json", R"({"schema": 99, "cases": []})");
  check_refused(room, "validate --cases new.json", "E0340", "the one known version is 1");
  std::string other = content(power);
  for (std::size_t at; (at = other.find("\"kind\":\"power\"")) != std::string::npos;)
    other.replace(at, 14, "\"kind\":\"banana\"");
  room.write("other.json", other);
  check_refused(room, "validate --cases other.json", "E0203", "must be one of: training_step, collective");
}

TEST_CASE("rows of nccl-tests that contradict themselves are refused", "[edges]") {
  const ProgramRoom room;
  const std::string head =
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
      "#wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n";
  // 1,073,741,824 bytes in 4,000 us are 268.44 GB/s; 268,435,456 floats of 4 bytes are that size.
  const auto log = [&](const std::string& count, const std::string& rate) {
    room.write("log.txt", head + "  1073741824  " + count + "  float  sum  -1  4000.0  " + rate +
                              "  469.77  0  4000.0  268.44  469.77  0\n# Avg bus bandwidth : 469.77\n");
    return room.run("import nccl-tests log.txt --op all_reduce");
  };
  CHECK(log("268435456", "268.44").code == 0);
  CHECK(has(log("268435456", "999.00").err, "error[E0340]: 1073741824 bytes in 4000.00 us are 268.44 GB/s"));
  CHECK(has(log("1000", "268.44").err, "error[E0340]: 1073741824 bytes are not 1000 elements of type float"));
  for (const std::string date : {"2026-02-31T25:61:61Z", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z"})
    check_refused(room, "import nccl-tests log.txt --op all_reduce --date " + date, "E0203", "time that exists");
}

TEST_CASE("a config.json with experts in a dense family, or with an encoder, is refused", "[edges]") {
  const ProgramRoom room;
  const auto model = [&](const std::string& more) {
    room.write("config.json",
               R"({"model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
                   "intermediate_size": 11008, "vocab_size": 32000)" +
                   more + "}");
  };
  model("");
  CHECK(room.run("import hf-config config.json").code == 0);
  model(R"(, "num_local_experts": 8)");
  check_refused(room, "import hf-config config.json", "E0343", "the family llama is dense");
  model(R"(, "is_encoder_decoder": true)");
  check_refused(room, "import hf-config config.json", "E0342", "encoder");
}

TEST_CASE("words lead to fields and to the glossary", "[edges]") {
  const ProgramRoom room;
  CHECK(has(room.run("explain tensor").out, "job.parallel.tensor"));
  CHECK(has(room.run("explain taper").out, "non-blocking"));
  CHECK(has(room.run("explain mfu").out, "model FLOPs"));
  CHECK(has(room.run("explain bubble").out, "pipeline stage waits"));
  CHECK(has(room.run("explain bubbel").err, "did you mean \"bubble\"?"));
  CHECK(has(room.run("explain exit").out, "130"));
  CHECK(has(room.run("--help").out, "Exit codes:"));
}

TEST_CASE("a machine and its size in options need no cluster of the scenario's", "[tools]") {
  const ProgramRoom room;
  room.write("my.json", scenario("nowhere.json"));
  const auto replaced = room.run("run my.json --on B200 --gpus 64");
  CHECK(replaced.code == 0);
  CHECK(has(replaced.out, "64 x B200"));
  const auto sized_by_file = room.run("run my.json --on B200");
  CHECK(sized_by_file.code == 2);
  CHECK(has(sized_by_file.err, "nowhere.json"));
}
