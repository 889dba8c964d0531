// SPDX-License-Identifier: Apache-2.0
// `search` and `fits` as users type them.
#include "sim/plain_number.hpp"
#include "support/program_room.hpp"

namespace clusterwright {

namespace {

const std::string small_search = "search llama3-8b-single-node --format json ";

}  // namespace

TEST_CASE("the best plan of a search is the step that run predicts, to the digit", "[tools]") {
  const testing::ProgramRoom room;
  const auto found = room.run(small_search + "--gpus 8");
  REQUIRE(found.code == 0);
  const JsonValue answer = found.json();
  CHECK(answer.at("proven").as_boolean());
  CHECK(answer.at("evaluated").as_number() > 1000);
  REQUIRE(answer.at("plans").elements().size() == 5);
  for (const JsonValue& plan : answer.at("plans").elements()) {
    std::string settings;
    for (const JsonValue& setting : plan.at("settings").elements()) settings += " --set " + setting.as_text();
    const auto step = room.run("run llama3-8b-single-node --format json" + settings);
    REQUIRE(step.code == 0);
    CHECK(step.json().at("step_time_s").as_number() == plan.at("step_time_s").as_number());
    CHECK(step.json().at("memory_gb").at("total").as_number() == plan.at("memory_gb").at("total").as_number());
  }
}

TEST_CASE("pins and limits hold, and contradict each other with words", "[tools]") {
  const testing::ProgramRoom room;
  const auto pinned = room.run(small_search + "--set job.parallel.tensor=4 --constraint 'micro_batch<=2'");
  REQUIRE(pinned.code == 0);
  const JsonValue answer = pinned.json();
  for (const JsonValue& plan : answer.at("plans").elements()) {
    CHECK(plan.at("layout").at("tensor").as_number() == 4);
    CHECK(plan.at("layout").at("micro_batch").as_number() <= 2);
  }
  const auto against = room.run(small_search + "--constraint tensor=2 --constraint 'tensor>=4'");
  CHECK(against.code == 2);
  CHECK(against.err.find("leave no value of tensor") != std::string::npos);
}

TEST_CASE("a limit takes orders of ranks as tables name them", "[tools]") {
  const testing::ProgramRoom room;
  const auto steps = [&](const std::string& order) {
    const auto outcome = room.run(small_search + "--quiet --constraint order=" + order);
    INFO(outcome.err);
    REQUIRE(outcome.code == 0);
    std::vector<double> out;
    for (const JsonValue& plan : outcome.json().at("plans").elements())
      out.push_back(plan.at("step_time_s").as_number());
    return out;
  };
  CHECK(steps("pipeline-data") == steps("tensor-context-pipeline-data"));
  CHECK(room.run(small_search + "--constraint order=pipeline").code == 2);
}

TEST_CASE("the command of the best plan says each field once", "[tools]") {
  const testing::ProgramRoom room;
  const auto found =
      room.run("search llama3-8b-single-node --gpus 8 --set job.micro_batch=auto --set job.tokens=1000000000000");
  REQUIRE(found.code == 0);
  const std::string command = found.out.substr(found.out.rfind("Best plan: "));
  CHECK(command.find("job.micro_batch=auto") == std::string::npos);
  CHECK(command.find("job.micro_batch=") != std::string::npos);
  CHECK(command.find("job.tokens=") != std::string::npos);
}

TEST_CASE("a limit that excludes a value evaluates less", "[tools]") {
  const testing::ProgramRoom room;
  const auto evaluated = [&](const std::string& limit) {
    const auto found = room.run(small_search + "--gpus 8" + limit);
    REQUIRE(found.code == 0);
    return found.json().at("evaluated").as_number();
  };
  const double all = evaluated("");
  CHECK(evaluated(" --constraint 'sharding!=fsdp'") < all);
  CHECK(evaluated(" --constraint 'schedule!=dualpipe'") < all);
}

TEST_CASE("a search that finds nothing names the nearest miss", "[tools]") {
  const testing::ProgramRoom room;
  const auto tight = room.run("search llama3-8b-single-node --constraint 'memory_gb<=5'");
  CHECK(tight.code == 1);
  CHECK(tight.out.find("nearest miss needs") != std::string::npos);
  const auto slow = room.run("search llama3-8b-single-node --constraint 'step_time_s<=1'");
  CHECK(slow.code == 1);
  CHECK(slow.out.find("within the limits") != std::string::npos);
}

TEST_CASE("wrong words of a search are refused", "[tools]") {
  const testing::ProgramRoom room;
  for (const char* wrong :
       {"--gpus 0", "--set job.parallel.tensor=3", "--constraint pipeline=5", "--constraint tensr=4",
        "--constraint tensor", "--constraint 'tensor<=x'", "--objective speed", "--constraint recompute=sometimes",
        "--constraint 'recompute!=none,selective,full'", "--constraint 'memory_gb>=5'", "--set transformer.kv_heads=5",
        "--set 'transformer.positions=learned' --set job.sequence=200000", "--set job.max_global_batch_tokens=1000"})
    CHECK(room.run(std::string("search llama3-8b-single-node ") + wrong).code == 2);
}

TEST_CASE("the change that a job which does not fit is offered runs, with the step it was offered with", "[tools]") {
  const testing::ProgramRoom room;
  for (const std::string job : {"--set job.micro_batch=16 --set job.recompute=none --set job.sequence=131072",
                                "--set job.parallel.tensor=1 --set job.sharding=none"}) {
    const std::string command = "run llama3-8b-single-node --format json " + job;
    const auto misfit = room.run(command);
    REQUIRE(misfit.code == 1);
    std::string remedy = misfit.json().at("remedy").as_text();
    REQUIRE(remedy.starts_with("with job."));
    const std::size_t end = remedy.find(" it fits: ");
    std::string settings = " --set " + remedy.substr(5, end - 5);
    for (std::size_t at = settings.find(" and "); at != std::string::npos; at = settings.find(" and "))
      settings.replace(at, 5, " --set ");
    const auto changed = room.run(command + settings);
    REQUIRE(changed.code == 0);
    const double seconds = changed.json().at("step_time_s").as_number();
    CHECK(remedy.ends_with("step " + plain_number(seconds, 3) + " s"));
  }
}

TEST_CASE("a large space is thinned out and says so", "[tools]") {
  const testing::ProgramRoom room;
  const auto thin = room.run(small_search + "--layouts 500");
  const JsonValue answer = thin.json();
  CHECK_FALSE(answer.at("complete").as_boolean());
  CHECK_FALSE(answer.at("proven").as_boolean());
  CHECK(answer.at("space").as_number() > 500);
  CHECK_FALSE(answer.at("left_out").as_text().empty());
}

TEST_CASE("leave to offload never costs GPUs, and is used only by stacks that can", "[tools]") {
  const testing::ProgramRoom room;
  for (const char* model : {"llama3-8b", "mixtral-8x7b"}) {
    const auto found = room.run(std::string("fits ") + model + " --on H100-SXM --format json");
    REQUIRE(found.code == 0);
    const JsonValue answer = found.json();
    const auto& fits = answer.at("fits").elements();
    for (std::size_t i = 0; i + 1 < fits.size(); i += 2) {
      CHECK(fits[i].at("stack").as_text() == fits[i + 1].at("stack").as_text());
      CHECK(fits[i + 1].at("gpus").as_number() <= fits[i].at("gpus").as_number());
      if (fits[i].at("stack").as_text() == "megatron-2024")  // which offloads activations alone
        CHECK(fits[i + 1].at("layout").at("offload").as_text().find("optimizer") == std::string::npos);
    }
  }
}

TEST_CASE("fits names the fewest GPUs", "[tools]") {
  const testing::ProgramRoom room;
  const auto found = room.run("fits llama3-8b --on H100-SXM --format json");
  REQUIRE(found.code == 0);
  // 8.03 billion parameters at 18 bytes are 145 GB: more than one GPU, less than two.
  const JsonValue answer = found.json();
  const JsonValue& first = answer.at("fits").elements().front();
  CHECK(first.at("gpus").as_number() == 2);
  CHECK(first.at("memory_gb").at("total").as_number() < 85.52);
  CHECK(room.run("fits llama3-8b --on H100-SXN").code == 2);
  for (const char* part : {"Gaudi3", "MI250X", "TPU-v5e"})  // whose NICs do not speak InfiniBand
    CHECK(room.run(std::string("fits llama3-70b --most 64 --format json --on ") + part).code == 0);
  CHECK(room.run("fits llama3-405b --on T4 --most 8").code == 1);
}

TEST_CASE("fits takes no longer sequences than a model has positions for, unless told to", "[tools]") {
  const testing::ProgramRoom room;
  const std::string question = "fits gpt3-175b --on H100-SXM --stack megatron-2024";  // 2,048 learned positions
  const auto usual = room.run(question);
  CHECK(usual.code == 0);
  CHECK(usual.out.find("2,048 tokens per sequence") != std::string::npos);
  CHECK(room.run(question + " --sequence 4096").code == 2);
}

TEST_CASE("replanned sizes are no slower than the stated layout", "[tools]") {
  const testing::ProgramRoom room;
  const std::string scale = "scale llama3-8b-h100-64 --gpus 16,64 --format json";
  const auto stated = room.run(scale), replanned = room.run(scale + " --replan");
  REQUIRE(replanned.code == 0);
  const JsonValue before = stated.json(), after = replanned.json();
  for (std::size_t i = 0; i < 2; ++i)
    CHECK(after.at("points").elements()[i].at("step_time_s").as_number() <=
          before.at("points").elements()[i].at("step_time_s").as_number());
}

}  // namespace clusterwright
