// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <thread>

#include "sim/json_reader.hpp"
#include "sim/json_writer.hpp"
#include "support/catch.hpp"
#include "support/program_room.hpp"
#include "tools/commands/commands.hpp"
#include "tools/doctor/doctor_report.hpp"
#include "tools/doctor/finding.hpp"
#include "tools/doctor/library_survey.hpp"
#include "tools/output/output_text.hpp"

using namespace clusterwright;
using namespace clusterwright::testing;
using namespace std::chrono_literals;

namespace {

// A driver library in memory, with two H100 unless a test says otherwise.

struct Fake {
  static int succeed() { return 0; }
  static int fail_18() { return 18; }
  static int crash() { std::abort(); }
  static int hang() { return std::this_thread::sleep_for(60s), 0; }
  static const char* error(int status) { return status == 18 ? "Driver/library version mismatch" : "Unknown Error"; }
  static int driver(char* text, unsigned) { return std::strcpy(text, "580.95.05"), 0; }
  static int count(unsigned* gpus) { return *gpus = 2, 0; }
  static int handle(unsigned, void** device) { return *device = device, 0; }
  static int h100(void*, char* text, unsigned) { return std::strcpy(text, "NVIDIA H100 80GB HBM3"), 0; }
  static int h200_nvl(void*, char* text, unsigned) { return std::strcpy(text, "NVIDIA H200 NVL"), 0; }
  static int memory(void*, unsigned long long* total) { return *total = 81559ull << 20, 0; }
  static int capability(void*, int* major, int* minor) { return *major = 9, *minor = 0, 0; }
  static int limit(void*, unsigned* milliwatts) { return *milliwatts = 700000, 0; }
  static int sliced(void*, unsigned* now, unsigned* pending) { return *now = *pending = 1, 0; }

  template <int number>
  static int into(int* version) {
    return *version = number, 0;
  }
  template <std::size_t number>
  static std::size_t result() {
    return number;
  }
  static int mpi(char* text, int* length) {
    std::strcpy(text, "Open MPI v4.1.4, package: Open MPI builder@secret-host Distribution");
    *length = static_cast<int>(std::strlen(text));
    return 0;
  }
};

using Symbols = std::map<std::string, void*>;

template <class Function>
void* address(Function* function) {
  return reinterpret_cast<void*>(function);
}

Symbols two_h100() {
  return {{"nvmlInit_v2", address(Fake::succeed)},
          {"nvmlShutdown", address(Fake::succeed)},
          {"nvmlErrorString", address(Fake::error)},
          {"nvmlSystemGetDriverVersion", address(Fake::driver)},
          {"nvmlDeviceGetCount_v2", address(Fake::count)},
          {"nvmlDeviceGetHandleByIndex_v2", address(Fake::handle)},
          {"nvmlDeviceGetName", address(Fake::h100)},
          {"nvmlDeviceGetMemoryInfo", address(Fake::memory)},
          {"nvmlDeviceGetCudaComputeCapability", address(Fake::capability)},
          {"nvmlDeviceGetEnforcedPowerLimit", address(Fake::limit)}};
}

/// A machine of files, libraries, programs and variables.
struct MadeUp {
  std::map<std::string, Symbols> libraries;
  std::map<std::string, std::string> files;
  std::map<std::string, std::vector<std::string>> folders;
  std::set<std::string> programs;
  std::map<std::string, std::string> environment{{"PATH", "relative::/usr/bin:/opt/tools"}};
  TempFolder temp_folder{false, 100 * gigabyte, ""};

  MachineAccess access() const {
    MachineAccess out;
    out.open_library = [this](const std::string& file) -> LibrarySymbols {
      const auto found = libraries.find(file);
      if (found == libraries.end()) return {};
      return [&symbols = found->second](const char* name) {
        const auto symbol = symbols.find(name);
        return symbol == symbols.end() ? nullptr : symbol->second;
      };
    };
    out.read_file = [this](const auto& path) { return files.count(path) ? files.at(path) : std::string(); };
    out.list_folder = [this](const auto& path) {
      return folders.count(path) ? folders.at(path) : std::vector<std::string>();
    };
    out.is_program = [this](const auto& path) { return programs.count(path) > 0; };
    out.environment = [this](const char* name) {
      return environment.count(name) ? environment.at(name) : std::string();
    };
    out.host = find_host_machine;
    out.temp_folder = [this] { return temp_folder; };
    out.program = "/opt/clusterwright/build/dev/tools/clusterwright";
    return out;
  }

  DoctorFacts facts(std::chrono::milliseconds limit = 20s) const {
    static const ConfigSurvey shipped = survey_configs({CLUSTERWRIGHT_CONFIGS, {"a.json", "b.json"}});
    DoctorFacts out = examine(access(), {}, limit);
    out.configs = shipped;
    return out;
  }
};

Finding finding(const DoctorFacts& facts, const std::string& name) {
  for (const Finding& one : findings_of(facts))
    if (one.name == name) return one;
  FAIL("no finding " << name);
  return {};
}

Ability ability(const DoctorFacts& facts, const std::string& what) {
  for (const Ability& one : abilities_of(facts))
    if (one.what == what) return one;
  FAIL("no ability " << what);
  return {};
}

/// With all that a GPU can be measured by.
MadeUp gpu_node() {
  MadeUp out;
  out.libraries = {{"libnvidia-ml.so.1", two_h100()},
                   {"libcuda.so.1", {{"cuDriverGetVersion", address(Fake::into<13000>)}}},
                   {"libcublasLt.so.13", {{"cublasLtGetVersion", address(Fake::result<130100>)}}},
                   {"libnccl.so.2", {{"ncclGetVersion", address(Fake::into<22809>)}}}};
  out.programs = {"/usr/bin/nvcc", "/usr/bin/nvidia-smi", "/opt/clusterwright/build/dev/tools/gpu_probe"};
  out.files = {{"/usr/include/cuda_runtime_api.h", "/* */\n#define CUDART_VERSION  13000\n"},
               {"/usr/include/cublasLt.h", "/* */"}};
  return out;
}

}  // namespace

TEST_CASE("a machine with nothing has findings, no failures", "[tools][doctor]") {
  const DoctorFacts facts = MadeUp().facts();
  for (const Finding& one : findings_of(facts)) {
    INFO(one.name);
    const bool own = (one.section == "this program" && one.name != "gpu_probe") || one.section == "host";
    CHECK(one.found == (own ? Verity::yes : Verity::no));
    CHECK(one.remedy.empty() == own);
    CHECK_FALSE(one.purpose.empty());
  }
  CHECK(ability(facts, "calibrate this host").possible == Verity::yes);
  CHECK(ability(facts, "predict steps and collectives").possible == Verity::yes);
  CHECK(ability(facts, "build gpu_probe").why == "no nvcc");
  CHECK(ability(facts, "calibrate GPUs").why == "no GPU");
}

TEST_CASE("two H100 are counted, described and found in the catalog", "[tools][doctor]") {
  const DoctorFacts facts = gpu_node().facts();
  REQUIRE(facts.gpus.gpus.size() == 2);
  CHECK(facts.gpus.gpus[1].power_limit == 700 * watt);
  CHECK(finding(facts, "NVIDIA driver").detail == "580.95.05");
  const Finding both = finding(facts, "GPUs 0 to 1");
  CHECK(both.found == Verity::yes);
  CHECK(both.detail ==
        "NVIDIA H100 80GB HBM3, 85.5 GB, compute 9.0, limit 700 W; catalog entry H100-SXM, with fitted parameters");
  const Ability calibrate = ability(facts, "calibrate GPUs");
  CHECK(calibrate.possible == Verity::yes);
  CHECK(calibrate.why == "2 GPUs");
  CHECK(calibrate.how == "clusterwright calibrate run --only gpu");
  const JsonValue json = read_json(std::make_shared<SourceText>("json", write_json(doctor_json(facts))));
  CHECK(json.at("command").as_text() == "doctor");
  CHECK(json.at("gpus").elements().at(1).at("accelerator").as_text() == "H100-SXM");
  CHECK(json.at("gpus").elements().at(1).at("driver").as_text() == "580.95.05");
  CHECK(json.at("can").elements().size() == 5);
}

TEST_CASE("GPUs that the catalog lacks, or that are split, are told so", "[tools][doctor]") {
  MadeUp machine = gpu_node();
  machine.libraries["libnvidia-ml.so.1"]["nvmlDeviceGetName"] = address(Fake::h200_nvl);
  CHECK(has(finding(machine.facts(), "GPUs 0 to 1").detail, "not in the catalog, nearest: H100-NVL-94GB, H200"));
  machine.libraries["libnvidia-ml.so.1"]["nvmlDeviceGetMigMode"] = address(Fake::sliced);
  const DoctorFacts facts = machine.facts();
  CHECK(has(finding(facts, "GPUs 0 to 1").detail, "split into MIG slices"));
  CHECK(ability(facts, "calibrate GPUs").possible == Verity::no);
}

TEST_CASE("a driver library that fails, crashes or hangs costs its answer only", "[tools][doctor]") {
  MadeUp machine = gpu_node();
  machine.files["/proc/driver/nvidia/version"] =
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19";
  const auto driver = [&](int (*init)(), std::chrono::milliseconds limit) {
    machine.libraries["libnvidia-ml.so.1"]["nvmlInit_v2"] = address(init);
    const DoctorFacts facts = machine.facts(limit);
    CHECK(finding(facts, "NVIDIA driver").found == Verity::partly);
    CHECK(ability(facts, "calibrate GPUs").possible == Verity::no);
    CHECK(finding(facts, "NCCL").found == Verity::yes);
    return finding(facts, "NVIDIA driver");
  };
  CHECK(driver(Fake::fail_18, 20s).detail ==
        "NVML says: Driver/library version mismatch; kernel module 535.104.05 is loaded");
  CHECK(has(driver(Fake::fail_18, 20s).remedy, "restart the machine"));
  CHECK(has(driver(Fake::crash, 20s).detail, "NVML: crashed when called"));
  CHECK(has(driver(Fake::hang, 2s).detail, "NVML: no answer within 2.0 s"));
}

TEST_CASE("GPUs without a driver library are seen by the system", "[tools][doctor]") {
  MadeUp machine;
  machine.folders["/sys/bus/pci/devices"] = {"0000:00:01.0", "0000:17:00.0"};
  machine.files = {{"/sys/bus/pci/devices/0000:00:01.0/vendor", "0x8086\n"},
                   {"/sys/bus/pci/devices/0000:17:00.0/vendor", "0x10de\n"},
                   {"/sys/bus/pci/devices/0000:17:00.0/class", "0x030200\n"}};
  CHECK(finding(machine.facts(), "NVIDIA driver").detail == "1 NVIDIA GPU on the PCI bus");
  CHECK(finding(machine.facts(), "NVIDIA driver").remedy == "install NVIDIA's driver");
  CHECK(ability(machine.facts(), "calibrate GPUs").why == "the GPU has no driver");
  machine.files["/proc/driver/nvidia/version"] =
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  x";
  CHECK(has(finding(machine.facts(), "NVIDIA driver").detail, "kernel module 570.86.15 is loaded"));
  CHECK(has(finding(machine.facts(), "NVIDIA driver").remedy, "in a container"));
}

TEST_CASE("libraries say their versions, and where only a toolkit has them", "[tools][doctor]") {
  MadeUp machine = gpu_node();
  machine.libraries["libcudart.so.12"] = {{"cudaRuntimeGetVersion", address(Fake::into<12040>)}};
  machine.libraries["libcudnn.so.8"] = {{"cudnnGetVersion", address(Fake::result<8902>)}};
  machine.libraries["libmpi.so.40"] = {{"MPI_Get_library_version", address(Fake::mpi)}};
  machine.libraries.erase("libnccl.so.2");
  machine.libraries["/usr/local/cuda/lib64/libnccl.so.2"] = {{"ncclGetVersion", address(Fake::into<2804>)}};
  const DoctorFacts facts = machine.facts();
  CHECK(finding(facts, "CUDA driver").detail == "13.0");
  CHECK(finding(facts, "CUDA runtime").detail == "12.4");
  CHECK(finding(facts, "cuBLASLt").detail == "13.1.0");
  CHECK(finding(facts, "cuDNN").detail == "8.9.2");
  CHECK(finding(facts, "MPI library").detail == "Open MPI v4.1.4");  // not who built it, and where
  const Finding nccl = finding(facts, "NCCL");
  CHECK(nccl.found == Verity::partly);
  CHECK(nccl.detail == "2.8.4 in /usr/local/cuda/lib64");
  CHECK(ability(facts, "calibrate GPUs").how ==
        "LD_LIBRARY_PATH=/usr/local/cuda/lib64:$LD_LIBRARY_PATH clusterwright calibrate run --only gpu");
}

TEST_CASE("gpu_probe is built by a compiler that is new enough and has its headers", "[tools][doctor]") {
  MadeUp machine = gpu_node();
  CHECK(ability(machine.facts(), "build gpu_probe").possible == Verity::yes);
  CHECK(
      has(ability(machine.facts(), "build gpu_probe").how, "nvcc -O3 -std=c++17 -arch=native calibration/probes/*.cu"));
  machine.libraries["libcuda.so.1"]["cuDriverGetVersion"] = address(Fake::into<12040>);
  CHECK(has(ability(machine.facts(), "build gpu_probe").why, "but the driver supports programs up to CUDA 12.4"));
  machine.files["/usr/include/cuda_runtime_api.h"] = "#define CUDART_VERSION 11080";
  CHECK(ability(machine.facts(), "build gpu_probe").why == "nvcc 11.8 is older than 12");
  machine.files.erase("/usr/include/cublasLt.h");
  CHECK(finding(machine.facts(), "nvcc").found == Verity::partly);
  machine.programs = {"/data/cuda/bin/nvcc"};
  machine.environment["CUDA_HOME"] = "/data/cuda";
  CHECK(finding(machine.facts(), "nvcc").detail ==
        "of unknown version, as $CUDA_HOME/bin/nvcc, without the headers of cuBLASLt");
}

TEST_CASE("gpu_probe is looked for where builds leave it", "[tools][doctor]") {
  MadeUp machine;
  machine.folders["/src/build"] = {"dev", "release"};
  const auto place = [&] {
    const auto found = look_for_gpu_probe(machine.access(), "/src");
    return found ? found->call : "nowhere";
  };
  CHECK(place() == "nowhere");
  machine.programs = {"/src/gpu_probe"};
  CHECK(place() == "in the root of the project");
  machine.programs.insert("/src/build/release/calibration/probes/gpu_probe");
  CHECK(place() == "in build/release/calibration/probes");
  CHECK_FALSE(look_for_gpu_probe(machine.access(), ""));
  machine.programs.insert("/opt/tools/gpu_probe");
  CHECK(place() == "in PATH");
  machine.programs.insert("/opt/clusterwright/build/dev/calibration/probes/gpu_probe");
  CHECK(place() == "in this program's build folder");
  machine.environment["CLUSTERWRIGHT_GPU_PROBE"] = "/gone";
  CHECK(place() == "nowhere");
  CHECK(finding(machine.facts(), "gpu_probe").remedy == "correct or unset it");
  machine.programs.insert("/gone");
  CHECK(place() == "named by CLUSTERWRIGHT_GPU_PROBE");
}

TEST_CASE("ports of RDMA adapters are counted by kind", "[tools][doctor]") {
  MadeUp machine;
  machine.folders["/sys/class/infiniband"] = {"mlx5_0", "mlx5_1", "mlx5_2"};
  for (const char* adapter : {"mlx5_0", "mlx5_1", "mlx5_2"}) {
    const std::string ports = std::string("/sys/class/infiniband/") + adapter + "/ports";
    machine.folders[ports] = {"1"};
    machine.files[ports + "/1/rate"] = "400 Gb/sec (4X NDR)\n";
    machine.files[ports + "/1/link_layer"] = "InfiniBand\n";
    machine.files[ports + "/1/state"] = adapter[5] == '2' ? "1: DOWN\n" : "4: ACTIVE\n";
  }
  const Finding ports = finding(machine.facts(), "RDMA adapters");
  CHECK(ports.found == Verity::yes);
  CHECK(ports.detail == "2 x InfiniBand, 400 Gb/sec (4X NDR); 1 x InfiniBand, 400 Gb/sec (4X NDR), down");
  for (auto& [path, text] : machine.files)
    if (path.ends_with("state")) text = "1: DOWN\n";
  CHECK(finding(machine.facts(), "RDMA adapters").found == Verity::partly);
}

TEST_CASE("configs that are missing or broken are findings", "[tools][doctor]") {
  CHECK_FALSE(survey_configs({}).found);
  CHECK_FALSE(survey_configs({"/nothing/configs", {}}).found);
  const ProgramRoom room;
  std::filesystem::create_directories(room.at("configs/parts"));
  room.write("configs/parts/gpus.json", "{\"accelerators\": [");
  const ConfigSurvey survey = survey_configs({room.at("configs"), {}});
  CHECK(survey.found);
  CHECK(survey.broken == std::vector<std::string>{"parts/gpus.json"});
  CHECK(survey.shown.empty());
  DoctorFacts facts = MadeUp().facts();
  facts.configs = survey;
  CHECK(finding(facts, "configs").detail == "1 of 1 files cannot be read: parts/gpus.json");
  CHECK(ability(facts, "predict steps and collectives").possible == Verity::partly);
  CHECK(ability(facts, "compare predictions with measurements").possible == Verity::no);
}

TEST_CASE("a temporary folder in memory leaves storage out", "[tools][doctor]") {
  MadeUp machine;
  machine.temp_folder = {true, 8 * gigabyte, "the temporary directory is memory, not storage"};
  CHECK(finding(machine.facts(), "temporary folder").detail == "in memory, 8.0 GB free");
  CHECK(has(finding(machine.facts(), "temporary folder").remedy, "TMPDIR"));
  CHECK(ability(machine.facts(), "calibrate this host").possible == Verity::partly);
}

TEST_CASE("what is said fits a page and keeps names and variables to itself", "[tools][doctor]") {
  MadeUp machine = gpu_node();
  for (const char* name : {"CUDA_HOME", "HOME", "USER", "TMPDIR", "CLUSTERWRIGHT_GPU_PROBE"})
    machine.environment[name] = "/secret";
  machine.libraries["/secret/lib64/libcudart.so.13"] = {};
  machine.libraries["libmpi.so.40"] = {{"MPI_Get_library_version", address(Fake::mpi)}};
  const DoctorFacts facts = machine.facts();
  const std::string text = doctor_text(facts);
  CHECK(has(text, "$CUDA_HOME/lib64"));
  for (const std::string& said : {text, doctor_markdown(facts), write_json(doctor_json(facts))})
    CHECK_FALSE(has(said, "secret"));
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(display_width(line) <= 100);
  }
}

TEST_CASE("guarded calls answer, fail or are late by themselves", "[tools][doctor]") {
  using Outcome = GuardedAnswer::Outcome;
  const auto begin = std::chrono::steady_clock::now();
  {
    GuardedCalls calls(2s);
    const auto slow = calls.start([] { return std::this_thread::sleep_for(60s), std::string(); });
    const auto long_text = calls.start([] { return std::string(300000, 'x'); });
    const auto dead = calls.start([]() -> std::string { std::abort(); });
    const auto thrown = calls.start([]() -> std::string { throw std::runtime_error("no"); });
    const auto half = calls.start([]() -> std::string { _exit(0); });
    const auto empty = calls.start([] { return std::string(); });
    CHECK(calls.answer(long_text).text.size() == 300000);
    CHECK(calls.answer(dead).outcome == Outcome::failed);
    CHECK(calls.answer(thrown).outcome == Outcome::failed);
    CHECK(calls.answer(half).outcome == Outcome::failed);
    CHECK(calls.answer(empty).outcome == Outcome::answered);
    CHECK(calls.answer(slow).outcome == Outcome::late);
  }
  CHECK(std::chrono::steady_clock::now() - begin < 10s);
}

TEST_CASE("the doctor sees this machine", "[tools][doctor]") {
  const ProgramRoom room;
  const auto begin = std::chrono::steady_clock::now();
  DoctorRequest request;
  request.output = {"", {room.at("doctor.json").string(), room.at("doctor.md").string()}, true};
  CHECK(doctor(request) == ExitCode::ok);
  CHECK(std::chrono::steady_clock::now() - begin < 10s);  // 2 s, and more under a sanitizer
  const JsonValue json = read_json_file(room.at("doctor.json"));
  CHECK(json.at("schema_version").as_integer() == 1);
  CHECK(json.at("findings").elements().size() >= 20);
  CHECK(has(content(room.at("doctor.md")), "| host | processor | yes |"));
  CHECK(find_program(this_machine(), "sh"));
  request.output.format = "csv";
  CHECK_THROWS_AS(doctor(request), ConfigError);
}
