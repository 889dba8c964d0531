// SPDX-License-Identifier: Apache-2.0
// Runs the program as a user would, and looks at what it prints, writes and returns.
#include <algorithm>

#include "sim/json_reader.hpp"
#include "support/catch.hpp"
#include "support/program_room.hpp"
#include "tools/error_codes.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;
namespace fs = std::filesystem;

namespace {

using Room = ProgramRoom;

const std::string shipped = "'" CLUSTERWRIGHT_CONFIGS "/scenarios/llama3-405b-h100.json'";

/// A small valid scenario in which one text is replaced.
std::string scenario_with(const std::string& from, const std::string& to) {
  std::string text = R"({
  "cluster": "CONFIGS/clusters/h100-single-node.json",
  "transformer": "CONFIGS/transformers/llama3-8b.json",
  "job": {
    "task": "pretrain", "sequence": 8192, "global_batch": 8, "micro_batch": 1, "precision": "bf16",
    "parallel": { "tensor": 4, "pipeline": 1, "data": "auto" }, "sharding": "zero1", "recompute": "none"
  }
})";
  for (std::size_t at; (at = text.find("CONFIGS")) != std::string::npos;) text.replace(at, 7, CLUSTERWRIGHT_CONFIGS);
  if (!from.empty()) {
    REQUIRE(text.find(from) != std::string::npos);
    text.replace(text.find(from), from.size(), to);
  }
  return text;
}

void check_refused_file(const std::string& text, const std::string& code, const std::string& words) {
  const Room room;
  room.write("bad.json", text);
  check_refused(room, "run bad.json -o out.json", code, words);
}

}  // namespace

TEST_CASE("scale exits 1 when no size fits, and names the nearest change", "[cli]") {
  const Room room;
  // 8 billion parameters, 18 bytes each on one rank of 80 GB.
  room.write("large.json", scenario_with("\"tensor\": 4", "\"tensor\": 1"));
  const Outcome none = room.run("scale large.json --gpus 8");
  CHECK(none.code == 1);
  CHECK(has(none.out, "None of these sizes is possible."));
  CHECK(has(none.out, "Next: none of these sizes is possible; at 8 GPUs: with job."));
  CHECK(room.run("run large.json").code == 1);
  room.write("good.json", scenario_with("", ""));
  CHECK(room.run("scale good.json --gpus 8").code == 0);
}

TEST_CASE("DeepSeek-V3 as its report lays it out fits its 80 GB", "[cli]") {
  const Outcome outcome = Room().run("run '" CLUSTERWRIGHT_CONFIGS "/scenarios/deepseek-v3-h800.json' --format json");
  CHECK(outcome.code == 0);
  CHECK(outcome.json().at("fits").as_boolean());
  CHECK(outcome.json().at("memory_gb").at("total").as_number() > 70);
}

TEST_CASE("run answers with a table, and with JSON that has the keys", "[cli]") {
  const Room room;
  room.write("good.json", scenario_with("", ""));
  const Outcome table = room.run("run good.json");
  INFO(table.err);
  CHECK(table.code == 0);
  CHECK(has(table.out, "Step time"));
  CHECK(has(table.out, "\nNext: "));
  CHECK(table.err.empty());
  const Outcome json = room.run("run good.json --format json --seed 7");
  CHECK(json.code == 0);
  const JsonValue result = read_json(std::make_shared<SourceText>("stdout", json.out));
  CHECK(result.at("seed").as_integer() == 7);
  CHECK(result.at("fits").as_boolean());
  CHECK(result.at("step_time_s").as_number() > 0);
  CHECK(result.at("plan").at("schedule").as_text() == "1f1b");
}

TEST_CASE("scale answers with one line per size, and files by their suffix", "[cli]") {
  const Room room;
  const Outcome outcome =
      room.run("scale " + shipped + " --gpus 1024..4096x2 -o a.json -o a.csv -o a.md -o a.html -o a.txt");
  INFO(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.out.empty());
  CHECK(has(outcome.err, "wrote a.html"));
  CHECK(read_json_file(room.at("a.json")).at("points").elements().size() == 3);
  CHECK(has(content(room.at("a.csv")), "gpus,"));
  CHECK(has(content(room.at("a.html")), "<!DOCTYPE html>"));
  CHECK(has(content(room.at("a.txt")), "TPxPPxDP"));
  CHECK(room.entries() == 5);
}

TEST_CASE("every command takes a number of threads, and none changes a byte with it", "[cli]") {
  Room room;
  const std::vector<std::string> questions = {
      "run llama3-8b-h100-64 --explain --format json",
      "size llama3-8b-h100-64 --format json",
      "collective h100-superpod --op all_reduce --gpus 256 --bytes 1k..1Gx4 --concurrent all --format json",
      "audit dense-500b-1200-h100 --format json",
      "show h100-superpod --topology",
      "catalog scenarios"};
  for (const std::string& question : questions) {
    INFO(question);
    const Outcome once = room.run(question + " --threads 1");
    CHECK(once.out.size() > 100);
    CHECK(room.run(question + " --threads 5").out == once.out);
    CHECK(room.run(question + " --threads none").code == 2);
  }
}

TEST_CASE("the same question gets the same bytes, whatever the number of threads", "[cli]") {
  const Room room;
  const std::string question = "scale " + shipped + " --gpus 1024..4096x2 --format json";
  const Outcome once = room.run(question + " --threads 1");
  const Outcome again = room.run(question + " --threads 7");
  CHECK(once.code == 0);
  CHECK((once.out == again.out));  // in brackets: not to print both
}

TEST_CASE("sizes that are impossible stay in the curve, and the exit code is 0", "[cli]") {
  const Room room;
  const Outcome outcome = room.run("scale " + shipped + " --gpus 8,1000,1024 --format json");
  CHECK(outcome.code == 0);
  const JsonValue result = read_json(std::make_shared<SourceText>("stdout", outcome.out));
  const auto& points = result.at("points").elements();
  REQUIRE(points.size() == 3);
  CHECK(points[1].at("gpus").as_integer() == 1000);
  CHECK_FALSE(points[1].at("fits").as_boolean());
  CHECK_FALSE(points[1].at("verdict").as_text().empty());
  CHECK(points[2].at("fits").as_boolean());
}

TEST_CASE("a plan beyond memory is an answer: everything is printed and the exit code is 1", "[cli]") {
  const Room room;
  room.write("large.json",
             scenario_with("\"global_batch\": 8, \"micro_batch\": 1", "\"global_batch\": 64, \"micro_batch\": 32"));
  const Outcome outcome = room.run("run large.json");
  INFO(outcome.err);
  CHECK(outcome.code == 1);
  CHECK(has(outcome.out, "DOES NOT FIT"));
  CHECK(has(outcome.out, "Step time"));
  CHECK(outcome.err.empty());
}

TEST_CASE("wrong input ends with code 2 and an error that points at it", "[cli]") {
  check_refused_file(scenario_with("\"sequence\"", "\"sequense\""), "E0102", "did you mean \"sequence\"?");
  check_refused_file(scenario_with("\"micro_batch\": 1,", "\"micro_batch\": 1, \"micro_batch\": 2,"), "E0103",
                     "micro_batch");
  check_refused_file(scenario_with("8192", "\"long\""), "E0201", "/job/sequence");
  check_refused_file(scenario_with("8192", "-1"), "E0202", "/job/sequence");
  check_refused_file(scenario_with("8192", "1e400"), "E0202", "too large");
  check_refused_file(scenario_with("\"bf16\"", "\"bf61\""), "E0203", "did you mean \"bf16\"?");
  check_refused_file(scenario_with("\"tensor\": 4", "\"tensor\": 3"), "E0310", "tensor must divide");
  check_refused_file(scenario_with("\"tensor\": 4", "\"tensor\": 4, \"stage_layers\": [16, 17]"), "E0310",
                     "/job/parallel/stage_layers");
  check_refused_file(scenario_with("\"data\": \"auto\"", "\"data\": 16"), "E0311", "does not match 8 accelerators");
  check_refused_file(scenario_with("llama3-8b.json", "llama9-8b.json"), "E0401", "llama9-8b.json");
  check_refused_file(scenario_with("", "").substr(0, 200), "E0101", "bad.json:");
  check_refused_file("", "E0101", "bad.json");
  check_refused_file(std::string(1000000, '['), "E0501", "nested deeper than 64 levels");
}

TEST_CASE("an unknown part is named with the nearest one", "[cli]") {
  const Room room;
  room.write("good.json", scenario_with("", ""));
  check_refused(room, "run good.json --set cluster.node.accelerator=H100-SXN", "E0203", "H100-SXM");
}

TEST_CASE("several errors of one file are reported together", "[cli]") {
  const Room room;
  std::string text = scenario_with("\"sequence\"", "\"sequense\"");
  text.replace(text.find("\"bf16\""), 6, "\"bf61\"");
  room.write("bad.json", text);
  const Outcome outcome = room.run("check bad.json");
  CHECK(outcome.code == 2);
  CHECK(has(outcome.err, "E0102"));
  CHECK(has(outcome.err, "E0203"));
}

TEST_CASE("wrong usage ends with code 2 and a suggestion, never a page of help", "[cli]") {
  const Room room;
  check_refused(room, "", "E0404", "commands: run, scale");
  check_refused(room, "rum x.json", "E0404", "did you mean \"run\"?");
  check_refused(room, "run x.json --fromat json", "E0404", "did you mean \"--format\"?");
  check_refused(room, "run", "E0404", "run needs SCENARIO");
  check_refused(room, "run x.json y.json", "E0404", "unexpected argument \"y.json\" for run");
  check_refused(room, "run x.json --format xml", "E0404", "one of: table, json, csv, md, html");
  check_refused(room, "run x.json -o out.docx", "E0404", "names no format");
  check_refused(room, "run missing.json", "E0401", "missing.json");
  check_refused(room, "scale " + shipped, "E0404", "scale needs --gpus");
  check_refused(room, "scale " + shipped + " --gpus", "E0404", "--gpus");
  check_refused(room, "scale " + shipped + " --gpus 0..8", "E0403", "must be >= 1 (got 0)");
  check_refused(room, "scale " + shipped + " --gpus 1..100000+1", "E0403", "more than 4096 points");
  check_refused(room, "scale " + shipped + " --gpus 8 --mode wide", "E0404", "one of: strong, weak");
  check_refused(room, "run " + shipped + " --seed x", "E0403", "--seed");
  check_refused(room, "run " + shipped + " --threads 0", "E0403", "must be >= 1");
  check_refused(room, "run " + shipped + " --set job.paralel.tensor=4", "E0402", "parallel");
  check_refused(room, "run " + shipped + " -o missing/out.json", "E0405", "mkdir -p missing");
  check_refused(room, "explain job.paralel", "E0402", "parallel");
  check_refused(room, "explain E9999", "E0404", "no such error code");
  check_refused(room, "catalog acelerators", "E0404", "accelerators");
  check_refused(room, "schema scenaro", "E0404", "scenario");
}

TEST_CASE("check says ok to every shipped file, and 2 if one of several is wrong", "[cli]") {
  const Room room;
  std::string files;
  for (const char* folder :
       {"clusters", "transformers", "stacks", "parameters", "steps", "parts", "prices", "scenarios"})
    for (const auto& entry : fs::directory_iterator(fs::path(CLUSTERWRIGHT_CONFIGS) / folder))
      if (entry.path().extension() == ".json") files += " '" + entry.path().string() + "'";
  const Outcome good = room.run("check" + files);
  INFO(good.err);
  CHECK(good.code == 0);
  room.write("bad.json", "{");
  const Outcome mixed = room.run("check bad.json" + files);
  CHECK(mixed.code == 2);
  CHECK(has(mixed.out, ": ok (scenario)"));
}

TEST_CASE("init writes a scenario of a model on nodes by name", "[cli]") {
  const ProgramRoom room;
  REQUIRE(room.run("init mine --model llama3-8b --on B200 --gpus 64").code == 0);
  const JsonValue own = room.run("run mine.json --format json").json();
  const JsonValue named = room.run("run llama3-8b --on B200 --gpus 64 --format json").json();
  CHECK(own.at("step_time_s").as_number() == named.at("step_time_s").as_number());
  check_refused(room, "init other --model llama3-8b", "E0404", "names no machine");
  check_refused(room, "init other --model llama3-8b --on B20 --gpus 64", "E0203", "did you mean");
  check_refused(room, "init other --gpus 64", "E0404", "the machine of a model");
  check_refused(room, "init other --model llama3-9b --on B200 --gpus 64", "E0401", "no such file");
}

TEST_CASE("nodes by name stand for a cluster where no job is asked for", "[tools]") {
  const ProgramRoom room;
  const JsonValue named = room.run("collective --on B200 --gpus 64 --bytes 1G --format json").json();
  const JsonValue of_file = room.run("init mine --model llama3-8b --on B200 --gpus 64 --quiet").code == 0
                                ? room.run("collective mine.json --bytes 1G --format json").json()
                                : JsonValue();
  CHECK(write_json(named.at("rows")) == write_json(of_file.at("rows")));
  CHECK(has(room.run("show --on B200 --gpus 64").out, "64 x B200"));
  CHECK(has(room.run("size --on B200 --gpus 64").out, "64 x B200 in "));
  check_refused(room, "collective --on B200 --bytes 1G", "E0404", "add --gpus N");
  check_refused(room, "show h100-superpod --on B200 --gpus 64", "E0404", "leave out one of the two");
  check_refused(room, "show h100-superpod --gpus 64", "E0404", "add --on NODE");
  check_refused(room, "size --gpus 64", "E0404", "SCENARIO");
}

TEST_CASE("init writes a scenario that runs, and never over another file", "[cli]") {
  const Room room;
  const Outcome first = room.run("init mine");
  INFO(first.err);
  CHECK(first.code == 0);
  CHECK(has(content(room.at("mine.json")), "// "));
  CHECK(room.run("check mine.json").code == 0);
  CHECK(room.run("run mine.json").code == 0);
  check_refused(room, "init mine", "E0405", "mine.json");
  check_refused(room, "init other --from llama3-405b-h1000", "E0404", "did you mean \"llama3-405b-h100\"?");
}

TEST_CASE("show fills in defaults and says where each value comes from", "[cli]") {
  const Room room;
  const Outcome shown = room.run("show " + shipped + " --set job.global_batch=1024");
  CHECK(shown.code == 0);
  CHECK(has(shown.out, "--set"));
  CHECK(has(shown.out, "default"));
  const Outcome cluster = room.run("show '" CLUSTERWRIGHT_CONFIGS "/clusters/llama3-report.json' --format json");
  CHECK(cluster.code == 0);
  const JsonValue counts = read_json(std::make_shared<SourceText>("stdout", cluster.out)).at("counts");
  CHECK(counts.at("gpus").as_integer() == 16384);
  CHECK(counts.at("nodes").as_integer() == 2048);
}

TEST_CASE("show lists the facility as it is used, by paths that a setting takes", "[cli]") {
  const std::string redundancy = "cluster.facility.power.stages.1.redundancy";
  const std::string taper = "cluster.fabric.tiers.1.taper";
  const JsonValue json =
      Room().run("show " + shipped + " --set " + redundancy + "=2n --set " + taper + "=2 --format json").json();
  const auto shown = [&](const std::string& path) -> std::string {
    for (const JsonValue& origin : json.at("origins").elements())
      if (origin.at("path").as_text() == path)
        return origin.at("value").as_text() + " from " + origin.at("origin").as_text();
    return "absent";
  };
  CHECK(shown(redundancy) == "\"2n\" from --set");
  CHECK(shown(taper) == "2.0 from --set");
  CHECK(has(shown("cluster.facility.power.circuit"), "facilities/air.json:"));
  CHECK(has(shown("cluster.facility.power.stages.2.carries"), "default"));
  CHECK(shown("cluster.facility.power.stages") == "absent");
}

TEST_CASE("the effective scenario of a result is a scenario with the same answer", "[cli]") {
  const Room room;
  room.write("good.json", scenario_with("", ""));
  const Outcome first = room.run("run good.json --format json");
  const JsonValue result = read_json(std::make_shared<SourceText>("stdout", first.out));
  const std::size_t begin = first.out.find("\"scenario\": {") + 12;
  const std::size_t end = first.out.find("\n  },", begin) + 4;
  room.write("effective.json", first.out.substr(begin, end - begin));
  const Outcome second = room.run("run effective.json --format json");
  INFO(second.err);
  CHECK(second.code == 0);
  CHECK(read_json(std::make_shared<SourceText>("stdout", second.out)).at("step_time_s").as_number() ==
        result.at("step_time_s").as_number());
}

TEST_CASE("run writes a timeline that is valid JSON with bars inside the step", "[cli]") {
  const Room room;
  room.write("good.json", scenario_with("", ""));
  const Outcome outcome = room.run("run good.json --timeline trace.json --format json");
  CHECK(outcome.code == 0);
  const double step_us =
      1e6 * read_json(std::make_shared<SourceText>("stdout", outcome.out)).at("step_time_s").as_number();
  const JsonValue trace = read_json_file(room.at("trace.json"));
  double last = 0;
  for (const JsonValue& event : trace.at("traceEvents").elements())
    if (event.at("ph").as_text() == "X")
      last = std::max(last, event.at("ts").as_number() + event.at("dur").as_number());
  CHECK(last > 0);
  CHECK(last <= step_us * 1.0001);
  CHECK(has(outcome.out, "the timeline shows replicas that are equally fast"));
}

TEST_CASE("run --unfold replays every accelerator for itself and says that folding changed nothing", "[cli]") {
  const Room room;
  room.write("good.json", scenario_with("", ""));
  const Outcome outcome = room.run("run good.json --unfold --format json");
  CHECK(outcome.code == 0);
  const JsonValue result = read_json(std::make_shared<SourceText>("stdout", outcome.out));
  const JsonValue& unfolded = result.at("unfolded");
  CHECK(unfolded.at("same_to_the_picosecond").as_boolean());
  CHECK(unfolded.at("accelerators").as_number() == result.at("gpus").as_number());
  const double without_jitter =
      result.at("step_time_s").as_number() - result.at("breakdown_s").at("jitter").as_number();
  CHECK(unfolded.at("step_time_s").as_number() == Approx(without_jitter).epsilon(1e-3));
  CHECK(has(room.run("run good.json --unfold").out, "Unfolded: "));
  CHECK(read_json(std::make_shared<SourceText>("stdout", room.run("run good.json --format json").out))
            .at("unfolded")
            .is_null());
}

TEST_CASE("explain, schema, catalog and version answer without a scenario", "[cli]") {
  const Room room;
  CHECK(has(room.run("explain job.parallel.tensor").out, "type: integer"));
  CHECK(has(room.run("explain cluster.node").out, "node"));
  CHECK(has(room.run("explain parameters.gemm.efficiency").out, "type: number"));  // not a field of a scenario
  CHECK(room.run("explain parameters").out.starts_with("parameters\n"));           // a field of a scenario
  CHECK(has(room.run("explain E0203").out, "E0203"));
  for (const char* kind :
       {"scenario", "cluster", "transformer", "stack", "parameters", "catalog", "collectives", "steps", "prices"}) {
    const Outcome schema = room.run(std::string("schema ") + kind);
    CHECK(schema.code == 0);
    CHECK(read_json(std::make_shared<SourceText>("stdout", schema.out)).find("properties") != nullptr);
  }
  CHECK(has(room.run("catalog accelerators").out, "H100-SXM"));
  CHECK(has(room.run("catalog accelerators H100-SXM").out, "memory_gb"));
  CHECK(has(room.run("catalog").out, "stacks"));
  CHECK(has(room.run("catalog stacks").out, "megatron-2024"));
  CHECK(has(room.run("catalog stacks megatron-2024").out, "kernel_launch_us"));
  CHECK(read_json(std::make_shared<SourceText>("stdout", room.run("version --format json").out)).at("name").as_text() ==
        "clusterwright");
  CHECK(room.run("--version").code == 0);
  CHECK(has(room.run("--help").out, "scale"));
}

TEST_CASE("results that cannot be written are an error, also on standard output", "[cli]") {
  const Room room;
  CHECK(room.run("version > /dev/full").code == 4);
}

TEST_CASE("check applies the rules between parts to files of parts and of transformers", "[cli]") {
  const Room room;
  room.write(
      "parts.json",
      R"({"$schema": "catalog.schema.json", "nics": [{"id": "N", "rate_gbit_per_s": {"value": 400, "source": "user"},
    "typical_power_w": {"value": 30, "source": "user"}, "max_power_w": {"value": 20, "source": "user"}}]})");
  const auto parts = room.run("check parts.json");
  CHECK(parts.code == 2);
  CHECK(has(parts.err, "E0348"));
  CHECK(has(parts.err, "(/nics/0/typical_power_w)"));
  room.write("model.json", R"({"name": "M", "layers": 2, "hidden": 512, "heads": 8, "kv_heads": 3, "ffn": 2048,
    "vocabulary": 32000, "max_sequence": 4096})");
  const auto model = room.run("check model.json");
  CHECK(model.code == 2);
  CHECK(has(model.err, "transformer.kv_heads (3) does not divide transformer.heads (8)"));
  CHECK(has(model.err, "(/kv_heads)"));
}

TEST_CASE("docs/errors.md lists the codes that the program knows", "[cli]") {
  CHECK(content(fs::path(CLUSTERWRIGHT_CONFIGS).parent_path() / "docs" / "errors.md") == error_codes_document());
}
