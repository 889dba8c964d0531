// SPDX-License-Identifier: Apache-2.0
#include "tools/output/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <string>
#include <system_error>

#include "sim/diagnostic.hpp"

namespace clusterwright {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, int error, const std::string& help = {}) {
  const std::string reason = std::generic_category().message(error);
  if (error == ENOSPC || error == EDQUOT) throw ResourceLimit(fmt::format("{}: {}", path.string(), reason));
  const auto name = std::make_shared<const SourceText>(path.string(), "");
  throw ConfigError({"E0405", fmt::format("cannot be written: {}", reason), {Place{name, 0, 1, ""}}, "", help});
}

void write_all(int file, std::string_view content, const std::filesystem::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(path, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// The file aside; gone again unless it was put in place.
class Aside {
 public:
  explicit Aside(std::filesystem::path target) : target_(std::move(target)), name_(target_.string() + ".tmp.XXXXXX") {
    file_ = ::mkostemp(name_.data(), O_CLOEXEC);
    if (file_ >= 0) return;
    const int error = errno;
    const std::string parent = target_.parent_path().string();
    refuse(target_, error, error == ENOENT ? fmt::format("create the directory first: mkdir -p {}", parent) : "");
  }
  ~Aside() {
    if (file_ >= 0) ::close(file_);
    if (!placed_) ::unlink(name_.c_str());
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  void fill(std::string_view content) {
    write_all(file_, content, target_);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(file_, 0666 & ~mask) != 0 || ::fsync(file_) != 0) refuse(target_, errno);
  }

  /// @param replace  whether an existing file may go
  void place(bool replace) {
    const int failed = replace ? ::rename(name_.c_str(), target_.c_str()) : ::link(name_.c_str(), target_.c_str());
    if (failed != 0) refuse(target_, errno, errno == EEXIST ? "choose another name, or remove the file first" : "");
    placed_ = replace;  // after a link the name aside goes
    sync_directory();
  }

 private:
  void sync_directory() const {
    const std::filesystem::path parent = target_.parent_path();
    const int directory = ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return;
    ::fsync(directory);  // some file systems cannot; the rename has happened all the same
    ::close(directory);
  }

  std::filesystem::path target_;
  std::string name_;
  int file_ = -1;
  bool placed_ = false;
};

void write_aside(const std::filesystem::path& path, std::string_view content, bool replace) {
  if (std::filesystem::is_directory(path)) refuse(path, EISDIR);
  Aside aside(path);
  aside.fill(content);
  aside.place(replace);
}

}  // namespace

void write_file(const std::filesystem::path& path, std::string_view content) {
  if (path == "-") return write_all(STDOUT_FILENO, content, "standard output");
  // What is no ordinary file (a device, a pipe) cannot be replaced by one.
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status)) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) refuse(path, errno);
    const std::shared_ptr<void> closing(nullptr, [file](void*) { ::close(file); });
    return write_all(file, content, path);
  }
  write_aside(path, content, true);
}

void write_new_file(const std::filesystem::path& path, std::string_view content) {
  write_aside(path, content, false);
}

}  // namespace clusterwright
