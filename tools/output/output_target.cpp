// SPDX-License-Identifier: Apache-2.0
#include "tools/output/output_target.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <system_error>

#include "sim/diagnostic.hpp"
#include "sim/source_file.hpp"
#include "tools/output/output_text.hpp"
#include "tools/standard_streams.hpp"
#include "tools/typed_text.hpp"

namespace clusterwright {

std::string short_path(const std::filesystem::path& path) {
  constexpr std::size_t part = 100;
  const std::string text = path.string();
  return text.size() <= 2 * part ? text : text.substr(0, part) + "..." + text.substr(text.size() - part);
}

namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& message, const std::string& help) {
  const auto name = std::make_shared<const SourceText>(short_path(path), "");
  throw ConfigError({"E0405", message, {Place{name, 0, 1, ""}}, "", help});
}

[[noreturn]] void refuse(const fs::path& path, int error, const std::string& help = {}) {
  const std::string reason = std::generic_category().message(error);
  if (error == ENOSPC || error == EDQUOT) throw ResourceLimit(fmt::format("{}: {}", path.string(), reason));
  refuse(path, fmt::format("cannot be written: {}", reason), help);
}

constexpr auto choose_other = "choose another name: a result does not replace a file that it was computed from";

void write_all(int file, std::string_view content, const fs::path& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(path, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_standard_output(std::string_view content) {
  try {
    write_all(STDOUT_FILENO, content, "standard output");
  } catch (const ConfigError& error) {
    throw ResourceLimit("standard output: " + error.diagnostics().front().message);
  }
}

/// File that takes the place of a target as a whole. It has no name while it is written, so that nothing of it stays
/// after a kill; where the file system knows no such files, its name ends in .tmp.XXXXXX.
class Aside {
 public:
  explicit Aside(fs::path target)
      : target_(std::move(target)),
        folder_(target_.parent_path().empty() ? fs::path(".") : target_.parent_path()),
        name_(target_.string() + ".tmp.XXXXXX") {
    file_ = ::open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    named_ = file_ < 0;
    if (named_) file_ = ::mkostemp(name_.data(), O_CLOEXEC);
    if (file_ >= 0) return;
    const int error = errno;
    refuse(target_, error,
           error == ENOENT ? fmt::format("create the directory first: mkdir -p {}", folder_.string()) : "");
  }
  ~Aside() {
    if (file_ >= 0) ::close(file_);
    if (named_) ::unlink(name_.c_str());
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  void fill(std::string_view content) {
    write_all(file_, content, target_);
    if (::fchmod(file_, mode()) != 0 || ::fsync(file_) != 0) refuse(target_, errno);
  }

  /// @param replace  whether an existing file may go
  void place(bool replace) {
    std::error_code error;
    if (!replace || (!named_ && !fs::exists(fs::symlink_status(target_, error)))) {
      const int failed = named_ ? ::link(name_.c_str(), target_.c_str()) : link_to(target_.c_str());
      if (failed != 0) refuse(target_, errno, errno == EEXIST ? "choose another name, or remove the file first" : "");
    } else {
      if (!named_) give_name();
      if (::rename(name_.c_str(), target_.c_str()) != 0) refuse(target_, errno);
      named_ = false;
    }
    sync_directory();
  }

 private:
  /// That of the file that goes, whose owner stays too where the system allows it; else what the user's mask leaves.
  mode_t mode() const {
    struct stat old = {};
    if (::stat(target_.c_str(), &old) == 0) {
      [[maybe_unused]] const int ignored = ::fchown(file_, old.st_uid, old.st_gid);
      return old.st_mode & 07777;
    }
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
  }

  int link_to(const char* name) const {
    return ::linkat(AT_FDCWD, fmt::format("/proc/self/fd/{}", file_).c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
  }

  /// A name for the moment before the rename, which only named files can take part in.
  void give_name() {
    for (int attempt = 0; !named_; ++attempt) {
      const std::string name = fmt::format("{}.tmp.{}-{}", target_.string(), ::getpid(), attempt);
      if (link_to(name.c_str()) == 0) {
        name_ = name;
        named_ = true;
      } else if (errno != EEXIST || attempt == 100) {
        refuse(target_, errno);
      }
    }
  }

  void sync_directory() const {
    const int directory = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0) return;
    ::fsync(directory);  // some file systems cannot; the rename has happened all the same
    ::close(directory);
  }

  fs::path target_;
  fs::path folder_;
  std::string name_;
  int file_ = -1;
  bool named_ = false;  ///< whether a file of `name_` lies beside the target
};

/// End of a chain of symbolic links, which need not exist.
fs::path end_of_links(fs::path path) {
  std::error_code error;
  constexpr int longest = 40;
  for (int i = 0; i < longest; ++i) {
    if (!fs::is_symlink(fs::symlink_status(path, error))) return path;
    const fs::path next = fs::read_symlink(path, error);
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  refuse(path, ELOOP);
}

void write_aside(const fs::path& path, std::string_view content, bool replace) {
  std::error_code error;
  if (fs::is_directory(path, error)) refuse(path, EISDIR);
  Aside aside(path);
  aside.fill(content);
  aside.place(replace);
}

}  // namespace

void write_file(const fs::path& path, std::string_view content) {
  if (path == "-") return write_standard_output(content);
  if (was_read(path)) refuse(path, "is an input of this command", choose_other);
  // A device or a pipe cannot be replaced by an ordinary file.
  std::error_code error;
  const auto status = fs::status(path, error);
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status)) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) refuse(path, errno);
    const std::shared_ptr<void> closing(nullptr, [file](void*) { ::close(file); });
    return write_all(file, content, path);
  }
  write_aside(end_of_links(path), content, true);
}

void write_new_file(const std::filesystem::path& path, std::string_view content) {
  write_aside(path, content, false);
}

namespace {

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> names = {"table", "json",       "csv", "md",
                                                 "html",  "nccl-tests", "dot", "prometheus"};
  return names;
}

std::vector<std::string> names_of(const std::vector<OutputFormat>& formats) {
  std::vector<std::string> names;
  for (const OutputFormat format : formats) names.push_back(format_names()[static_cast<std::size_t>(format)]);
  return names;
}

std::optional<OutputFormat> format_of_suffix(const std::string& file, const std::vector<OutputFormat>& offered) {
  static const std::map<std::string, OutputFormat> suffixes = {
      {".txt", OutputFormat::table},       {".json", OutputFormat::json},      {".csv", OutputFormat::csv},
      {".md", OutputFormat::markdown},     {".html", OutputFormat::html},      {".htm", OutputFormat::html},
      {".prom", OutputFormat::prometheus}, {".log", OutputFormat::nccl_tests}, {".dot", OutputFormat::dot},
      {".gv", OutputFormat::dot}};
  const auto found = suffixes.find(std::filesystem::path(file).extension().string());
  if (found != suffixes.end() && std::find(offered.begin(), offered.end(), found->second) != offered.end())
    return found->second;
  return {};
}

OutputFormat format_of_output(const std::string& file, const std::vector<OutputFormat>& offered) {
  if (const auto format = format_of_suffix(file, offered)) return *format;
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
    targets.push_back({file, from_suffix ? format_of_output(file, offered) : format});
  }
  return targets;
}

OutputFormat format_of_file(const char* option, const std::string& file, const std::vector<OutputFormat>& offered) {
  if (file == "-") return offered.front();
  if (const auto format = format_of_suffix(file, offered)) return *format;
  throw option_error(option, file, "the suffix of the file names no format that this option writes",
                     fmt::format("name a file that ends in .{}", fmt::join(names_of(offered), ", .")));
}

namespace {

/// Whether two paths are one file, which need not exist.
bool is_one_file(const fs::path& one, const fs::path& other) {
  std::error_code error;
  const fs::path first = fs::weakly_canonical(fs::absolute(one, error), error);
  const fs::path second = fs::weakly_canonical(fs::absolute(other, error), error);
  return is_same_file(one, other) || (!first.empty() && first == second && !fs::is_character_file(first, error));
}

/// A name that no file can have need not wait for the answer.
void refuse_long_name(const fs::path& path) {
  struct stat unused = {};
  if (::lstat(path.c_str(), &unused) != 0 && errno == ENAMETOOLONG) refuse(path, ENAMETOOLONG);
}

/// Two documents one behind the other are neither JSON nor CSV.
void check_standard_output(const std::vector<std::string>& outputs) {
  if (std::ranges::count(outputs, "-") > 1)
    refuse("standard output", "two outputs of this command go there",
           "the answer goes there unless -o names a file: give each output but one a file of its own");
}

}  // namespace

void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  check_standard_output(outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i] == "-") continue;
    refuse_long_name(outputs[i]);
    for (const std::string& input : inputs)
      if (is_same_file(outputs[i], input)) refuse(outputs[i], "is an input of this command", choose_other);
    for (std::size_t k = 0; k < i; ++k)
      if (outputs[k] != "-" && is_one_file(outputs[i], outputs[k]))
        refuse(outputs[i], "two outputs of this command are this file", "give each output a file of its own");
  }
}

void deliver(const std::vector<OutputTarget>& targets, bool quiet,
             const std::function<std::string(OutputFormat)>& render) {
  std::vector<std::string> texts;
  for (const OutputTarget& target : targets) texts.push_back(render(target.format));
  for (std::size_t i = 0; i < targets.size(); ++i) {
    write_file(targets[i].path, texts[i]);
    if (!quiet && targets[i].path != "-") write_error(fmt::format("wrote {}\n", printable(targets[i].path.string())));
  }
}

}  // namespace clusterwright
