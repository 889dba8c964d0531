// SPDX-License-Identifier: Apache-2.0
#include "tools/output/output_target.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <system_error>

#include "sim/diagnostic.hpp"
#include "tools/typed_text.hpp"

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

/// Temporary file beside the target; deleted unless it was put in place.
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
  // A device or a pipe cannot be replaced by an ordinary file.
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

namespace {

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names = {"table", "json", "csv", "md", "html", "nccl-tests", "dot"};
  return names;
}

std::vector<std::string> names_of(const std::vector<OutputFormat>& formats) {
  std::vector<std::string> names;
  for (const OutputFormat format : formats) names.push_back(format_names()[static_cast<std::size_t>(format)]);
  return names;
}

OutputFormat format_of_suffix(const std::string& file, const std::vector<OutputFormat>& offered) {
  static const std::map<std::string, OutputFormat> suffixes = {
      {".txt", OutputFormat::table},      {".json", OutputFormat::json}, {".csv", OutputFormat::csv},
      {".md", OutputFormat::markdown},    {".html", OutputFormat::html}, {".htm", OutputFormat::html},
      {".log", OutputFormat::nccl_tests}, {".dot", OutputFormat::dot},   {".gv", OutputFormat::dot}};
  const auto found = suffixes.find(std::filesystem::path(file).extension().string());
  if (found != suffixes.end() && std::find(offered.begin(), offered.end(), found->second) != offered.end())
    return found->second;
  throw option_error("-o", file, "the suffix of the file names no format that this command writes",
                     fmt::format("add --format with one of: {}", fmt::join(names_of(offered), ", ")));
}

}  // namespace

std::vector<OutputTarget> output_targets(const OutputRequest& request, const std::vector<OutputFormat>& offered) {
  OutputFormat format = OutputFormat::table;
  if (!request.format.empty()) format = offered[parse_choice("--format", request.format, names_of(offered))];
  if (request.files.empty()) return {{"-", format}};
  std::vector<OutputTarget> targets;
  for (const std::string& file : request.files) {
    const bool from_suffix = request.format.empty() && file != "-";
    targets.push_back({file, from_suffix ? format_of_suffix(file, offered) : format});
  }
  return targets;
}

void deliver(const std::vector<OutputTarget>& targets, bool quiet,
             const std::function<std::string(OutputFormat)>& render) {
  std::vector<std::string> texts;
  for (const OutputTarget& target : targets) texts.push_back(render(target.format));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    write_file(targets[i].path, texts[i]);
    if (!quiet && targets[i].path != "-")
      std::fputs(fmt::format("wrote {}\n", targets[i].path.string()).c_str(), stderr);
  }
}

}  // namespace clusterwright
