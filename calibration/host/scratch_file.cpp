// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/scratch_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "calibration/host/probe_case.hpp"

namespace clusterwright {

namespace {

[[noreturn]] void file_refused(const char* what) {
  throw ProbeFailure(fmt::format("{}: {}", what, std::strerror(errno)));
}

/// @throws ProbeFailure if the folder is memory, or too full
void require_storage(int file, Bytes size) {
  struct statfs about {};
  if (fstatfs(file, &about) != 0) file_refused("the temporary directory cannot be asked for its space");
  const auto kind = static_cast<unsigned long>(about.f_type);
  if (kind == TMPFS_MAGIC || kind == RAMFS_MAGIC) throw ProbeFailure("the temporary directory is memory, not storage");
  const Bytes free = static_cast<double>(about.f_bavail) * static_cast<double>(about.f_bsize) * byte;
  if (free < 2 * size)
    throw ProbeFailure(fmt::format("the temporary directory has {:.0f} MB free; {:.0f} MB are wanted",
                                   free.in(megabyte), (2 * size).in(megabyte)));
}

}  // namespace

ScratchFile::ScratchFile(const std::filesystem::path& folder, Bytes size) {
  std::string name = (folder / "clusterwright-probe-XXXXXX").string();
  file_ = Descriptor(mkostemp(name.data(), O_CLOEXEC));
  if (file_.number() < 0) file_refused("no file can be made in the temporary directory");
  ::unlink(name.c_str());
  require_storage(file_.number(), size);
}

void ScratchFile::write_at(std::size_t offset, const void* begin, std::size_t length) {
  const auto* from = static_cast<const unsigned char*>(begin);
  while (length > 0) {
    const ssize_t count = ::pwrite(number(), from, length, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) file_refused("a temporary file cannot be written");
    from += count;
    offset += static_cast<std::size_t>(count);
    length -= static_cast<std::size_t>(count);
  }
}

void ScratchFile::read_at(std::size_t offset, void* begin, std::size_t length) const {
  auto* to = static_cast<unsigned char*>(begin);
  while (length > 0) {
    const ssize_t count = ::pread(number(), to, length, static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) file_refused("a temporary file cannot be read");
    to += count;
    offset += static_cast<std::size_t>(count);
    length -= static_cast<std::size_t>(count);
  }
}

void ScratchFile::empty() {
  if (::ftruncate(number(), 0) != 0) file_refused("a temporary file cannot be emptied");
}

void ScratchFile::flush() {
  if (::fsync(number()) != 0) file_refused("a temporary file cannot be flushed");
}

void ScratchFile::drop_pages(std::size_t length) {
  posix_fadvise(number(), 0, 0, POSIX_FADV_DONTNEED);
  if (const double share = resident_share(length); share > 0.05)
    throw ProbeFailure(fmt::format("{:.0f} % of a temporary file stay in the page cache", 100 * share));
}

double ScratchFile::resident_share(std::size_t length) const {
  const FileMapping mapping(*this, length);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  std::vector<unsigned char> pages((length + page - 1) / page);
  if (mincore(const_cast<unsigned char*>(mapping.begin()), length, pages.data()) != 0)
    file_refused("the page cache cannot be asked");
  const auto resident = std::count_if(pages.begin(), pages.end(), [](unsigned char one) { return (one & 1) != 0; });
  return static_cast<double>(resident) / static_cast<double>(pages.size());
}

FileMapping::FileMapping(const ScratchFile& file, std::size_t length, bool at_hand) : length_(length) {
  void* begin = mmap(nullptr, length, PROT_READ, MAP_SHARED | (at_hand ? MAP_POPULATE : 0), file.number(), 0);
  if (begin == MAP_FAILED) file_refused("a temporary file cannot be mapped");
  begin_ = static_cast<unsigned char*>(begin);
}

FileMapping::~FileMapping() {
  munmap(begin_, length_);
}

}  // namespace clusterwright
