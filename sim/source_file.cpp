// SPDX-License-Identifier: Apache-2.0
#include "sim/source_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

namespace clusterwright {

namespace fs = std::filesystem;

namespace {

using FileIdentity = std::pair<dev_t, ino_t>;

/// Files that were read since the command began.
struct ReadFiles {
  std::mutex mutex;
  std::set<FileIdentity> identities;                                 ///< of regular files
  std::map<std::string, std::shared_ptr<const SourceText>> streams;  ///< texts of pipes, by path
};

ReadFiles& read_files() {
  static ReadFiles files;
  return files;
}

[[noreturn]] void refuse(const fs::path& path, std::string code, std::string message) {
  const auto name = std::make_shared<const SourceText>(path.string(), "");
  throw ConfigError({std::move(code), std::move(message), {Place{name, 0, 1, ""}}, "", ""});
}

[[noreturn]] void refuse(const fs::path& path, int error) {
  if (error == ENOENT || error == ENOTDIR) refuse(path, "E0401", "no such file");
  if (error == EISDIR) refuse(path, "E0401", "a directory, not a file");
  if (error == ELOOP) refuse(path, "E0401", "its symbolic links lead in a circle");
  if (error == EACCES || error == EPERM) refuse(path, "E0401", "no permission to read it");
  refuse(path, "E0401", "cannot be read: " + std::generic_category().message(error));
}

/// Open file, closed with this object unless it is standard input.
class OpenFile {
 public:
  explicit OpenFile(const fs::path& path)
      : path_(path), file_(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0 || ::fstat(file_, &status_) != 0) refuse(path_, errno);
    if (S_ISDIR(status_.st_mode)) refuse(path_, EISDIR);
  }
  ~OpenFile() {
    if (file_ > STDIN_FILENO) ::close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  bool regular() const { return S_ISREG(status_.st_mode) && path_ != "-"; }
  FileIdentity identity() const { return {status_.st_dev, status_.st_ino}; }

  std::string text(std::size_t cap) const {
    std::string text;
    char block[1 << 16];
    while (true) {
      const ssize_t count = ::read(file_, block, sizeof block);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) refuse(path_, errno);
      if (count == 0) return text;
      text.append(block, static_cast<std::size_t>(count));
      if (text.size() > cap) refuse(path_, "E0501", fmt::format("larger than {} bytes", cap));
    }
  }

 private:
  const fs::path& path_;
  int file_;
  struct stat status_ = {};
};

/// Begins with { or [, behind blanks, a byte order mark and comments.
bool begins_as_json(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  while (!text.empty()) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    text.remove_prefix(begin);
    const std::string_view end = text.starts_with("//") ? "\n" : text.starts_with("/*") ? "*/" : "";
    if (end.empty()) break;
    text.remove_prefix(std::min(text.find(end, 2), text.size() - end.size()) + end.size());
  }
  return !text.empty() && (text.front() == '{' || text.front() == '[');
}

std::optional<FileIdentity> identity_of(const fs::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

}  // namespace

std::shared_ptr<const SourceText> read_source(const fs::path& path, std::size_t cap, Quoting quoting) {
  ReadFiles& files = read_files();
  const std::lock_guard lock(files.mutex);
  const std::string name = path.lexically_normal().string();  // "./fifo" and "fifo" give their text once
  if (const auto known = files.streams.find(name); known != files.streams.end()) return known->second;
  const OpenFile file(path);
  std::string text = file.text(cap);
  const bool quotable = quoting == Quoting::any || begins_as_json(text);
  auto source = std::make_shared<const SourceText>(path.string(), std::move(text), quotable);
  if (file.regular())
    files.identities.insert(file.identity());
  else
    files.streams.emplace(name, source);
  return source;
}

fs::path folder_of(const fs::path& file) {
  const std::string text = file.string();
  return text.starts_with("/dev/") || text.starts_with("/proc/") ? fs::path() : file.parent_path();
}

bool was_read(const fs::path& path) {
  const auto identity = identity_of(path);
  ReadFiles& files = read_files();
  const std::lock_guard lock(files.mutex);
  return identity && files.identities.contains(*identity);
}

bool is_same_file(const fs::path& one, const fs::path& other) {
  const auto identity = identity_of(one);
  return identity && identity == identity_of(other);
}

void forget_read_files() {
  ReadFiles& files = read_files();
  const std::lock_guard lock(files.mutex);
  files.identities.clear();
  files.streams.clear();
}

}  // namespace clusterwright
