// SPDX-License-Identifier: Apache-2.0
/// Temporary files of storage probes.
#pragma once

#include <cstddef>
#include <filesystem>

#include "calibration/host/transfer_probe.hpp"
#include "sim/quantity.hpp"

namespace clusterwright {

/// File without a name: it is gone when its descriptor closes, however the program ends.
class ScratchFile {
 public:
  /// @param size  final size; twice as much must be free
  /// @throws ProbeFailure if the folder is missing, not writable, full, or in memory (tmpfs)
  ScratchFile(const std::filesystem::path& folder, Bytes size);

  int number() const { return file_.number(); }

  /// Transfers all of `length`. @throws ProbeFailure if it cannot
  void write_at(std::size_t offset, const void* begin, std::size_t length);
  void read_at(std::size_t offset, void* begin, std::size_t length) const;
  void empty();
  void flush();  ///< writes to the device, as far as the system tells

  /// Asks the system to drop the file's pages from its cache. @throws ProbeFailure if over 5 % stay
  void drop_pages(std::size_t length);

 private:
  double resident_share(std::size_t length) const;

  Descriptor file_;
};

/// Pages of a file as memory, read only.
class FileMapping {
 public:
  /// @param at_hand  cached pages are mapped now, not at their first touch
  /// @throws ProbeFailure
  FileMapping(const ScratchFile& file, std::size_t length, bool at_hand = false);
  ~FileMapping();
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  const unsigned char* begin() const { return begin_; }

 private:
  unsigned char* begin_;
  std::size_t length_;
};

}  // namespace clusterwright
