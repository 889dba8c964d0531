// SPDX-License-Identifier: Apache-2.0
#include "tools/doctor/library_survey.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <thread>

#include "tools/output/output_text.hpp"

namespace clusterwright {

namespace {

using Clock = std::chrono::steady_clock;

constexpr char end_mark = '\x04';  // a text without it was cut off

void write_all(int descriptor, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(descriptor, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return;
    done += static_cast<std::size_t>(count);
  }
}

/// Nothing that a library prints, catches or dumps may be seen.
void be_quiet() {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  for (const int signal : {SIGINT, SIGTERM, SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE}) ::signal(signal, SIG_DFL);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int standard : {0, 1, 2}) ::dup2(nowhere, standard);
}

[[noreturn]] void answer_in(int descriptor, const std::function<std::string()>& call) {
  const int kept = fcntl(descriptor, F_DUPFD_CLOEXEC, 3);  // clear of the standard ones, which may have been closed
  be_quiet();
  try {
    write_all(kept, call() + end_mark);
  } catch (...) {
    _exit(1);
  }
  _exit(0);
}

int milliseconds_until(Clock::time_point end) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

}  // namespace

GuardedCalls::GuardedCalls(std::chrono::milliseconds limit) : end_(Clock::now() + limit) {}

GuardedCalls::~GuardedCalls() {
  for (const Call& call : calls_)
    if (call.process > 0) kill(call.process, SIGKILL);
  const auto gone = [](const Call& call) { return call.process <= 0 || waitpid(call.process, nullptr, WNOHANG) != 0; };
  for (int tries = 0; tries < 20 && !calls_.empty(); ++tries) {
    calls_.erase(std::remove_if(calls_.begin(), calls_.end(), gone), calls_.end());
    if (!calls_.empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::size_t GuardedCalls::start(const std::function<std::string()>& call) {
  calls_.emplace_back();
  const std::size_t number = calls_.size() - 1;
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return number;
  calls_[number].reads = Descriptor(ends[0]);
  const Descriptor writes(ends[1]);
  const pid_t process = fork();
  if (process == 0) answer_in(ends[1], call);
  calls_[number].process = process;
  return number;
}

GuardedAnswer GuardedCalls::answer(std::size_t number) {
  GuardedAnswer out;
  const int reads = calls_.at(number).reads.number();
  std::array<char, 4096> buffer;
  while (reads >= 0) {
    pollfd wanted{reads, POLLIN, 0};
    const int ready = ::poll(&wanted, 1, milliseconds_until(end_));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) {
      out.outcome = GuardedAnswer::Outcome::late;
      return out;
    }
    const ssize_t count = ::read(reads, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    out.text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  if (!out.text.ends_with(end_mark)) return {};
  out.text.pop_back();
  out.outcome = GuardedAnswer::Outcome::answered;
  return out;
}

namespace {

constexpr const char* toolkit = "install the CUDA Toolkit 12 or newer";

constexpr LibraryKind kinds[] = {
    {LibraryId::cuda_driver, "CUDA driver", "programs on GPUs", "comes with the NVIDIA driver"},
    {LibraryId::cuda_runtime, "CUDA runtime", "gpu_probe, if linked with it", toolkit},
    {LibraryId::cublaslt, "cuBLASLt", "GEMMs in gpu_probe", toolkit},
    {LibraryId::nccl, "NCCL", "collectives in gpu_probe", "install libnccl2, or put its folder on LD_LIBRARY_PATH"},
    {LibraryId::cudnn, "cuDNN", "attention in frameworks", "not needed here"},
    {LibraryId::mpi, "MPI library", "processes on several nodes", "not needed on one node"},
};

/// Function that gives the version.
enum class VersionBy { nothing, into_int, result, text };

struct Knowledge {
  std::vector<const char*> files;  ///< newest first
  const char* function;
  VersionBy by;
  std::string (*words)(long number);  ///< text of a version number
};

std::string cuda_words(long number) {
  return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

std::string dotted(long number, long major, long minor) {
  return fmt::format("{}.{}.{}", number / major, number % major / minor, number % minor);
}

std::string cublas_words(long number) {
  return dotted(number, 10000, 100);
}

std::string nccl_words(long number) {
  return number < 10000 ? dotted(number, 1000, 100) : dotted(number, 10000, 100);  // from 2.9 on
}

std::string cudnn_words(long number) {
  return number < 90000 ? dotted(number, 1000, 100) : dotted(number, 10000, 100);  // from 9 on
}

const Knowledge& knowledge(LibraryId id) {
  static const Knowledge known[] = {
      {{"libcuda.so.1"}, "cuDriverGetVersion", VersionBy::into_int, cuda_words},
      {{"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcudart.so"},
       "cudaRuntimeGetVersion",
       VersionBy::into_int,
       cuda_words},
      {{"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so.11", "libcublasLt.so"},
       "cublasLtGetVersion",
       VersionBy::result,
       cublas_words},
      {{"libnccl.so.2"}, "ncclGetVersion", VersionBy::into_int, nccl_words},
      {{"libcudnn.so.9", "libcudnn.so.8"}, "cudnnGetVersion", VersionBy::result, cudnn_words},
      {{"libmpi.so.40", "libmpi.so.12", "libmpi_cray.so.12", "libmpi.so"},
       "MPI_Get_library_version",  // may be called before MPI_Init
       VersionBy::text,
       nullptr},
  };
  return known[static_cast<std::size_t>(id)];
}

std::string number_version(const Knowledge& known, void* function) {
  if (known.by == VersionBy::result)
    return known.words(static_cast<long>(reinterpret_cast<std::size_t (*)()>(function)()));
  int number = 0;
  const bool told = reinterpret_cast<int (*)(int*)>(function)(&number) == 0 && number > 0;
  return told ? known.words(number) : "";
}

/// Its first statement: what follows may name the machine that it was built on.
std::string text_version(void* function) {
  std::string text(1 << 16, '\0');
  int length = 0;
  if (reinterpret_cast<int (*)(char*, int*)>(function)(text.data(), &length) != 0) return "";
  text.resize(static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(text.size()))));
  text.resize(std::min(text.find_first_of(std::string_view(",\n\0", 3)), text.size()));
  std::replace(text.begin(), text.end(), '\t', ' ');
  return printable(text);
}

std::string version(const Knowledge& known, const LibrarySymbols& symbols) {
  void* const function = symbols(known.function);
  if (!function) return "";
  return known.by == VersionBy::text ? text_version(function) : number_version(known, function);
}

/// The driver's library belongs where the loader looks; that of a toolkit may be beside it.
std::vector<Located> library_folders(const MachineAccess& machine, LibraryId id) {
  std::vector<Located> out{{{}, ""}};
  if (id == LibraryId::cuda_driver || id == LibraryId::mpi) return out;
  for (const Located& toolkit_folder : cuda_folders(machine))
    for (const char* below : {"lib64", "lib"})
      out.push_back({toolkit_folder.path / below, toolkit_folder.call + "/" + below});
  return out;
}

}  // namespace

std::span<const LibraryKind> library_kinds() {
  static_assert(std::size(kinds) == library_count);
  return kinds;
}

LibraryFound ask_library(const MachineAccess& machine, LibraryId id) {
  const Knowledge& known = knowledge(id);
  for (const Located& folder : library_folders(machine, id))
    for (const char* file : known.files)
      if (const LibrarySymbols symbols = machine.open_library((folder.path / file).string()))
        return {true, file, folder.call, version(known, symbols)};
  return {};
}

std::string write_library(const LibraryFound& library) {
  return library.found ? fmt::format("{}\n{}\n{}", library.file, library.folder, library.version) : "";
}

LibraryFound read_library(const std::string& text) {
  const std::size_t file = text.find('\n'), folder = text.find('\n', file + 1);
  if (file == std::string::npos || folder == std::string::npos) return {};
  return {true, text.substr(0, file), text.substr(file + 1, folder - file - 1), text.substr(folder + 1)};
}

}  // namespace clusterwright
