// SPDX-License-Identifier: Apache-2.0
#pragma once
// The one document. Safe to write from the watchdog's thread while a probe hangs.

#include <mutex>
#include <string>
#include <vector>

#include "json.hpp"

namespace clusterwright::probes {

class Report {
 public:
  Report(std::string path, std::string suite);

  void set_device(const JsonObject& device);
  void add_sample(const JsonObject& sample);
  void skip(const std::string& probe, const std::string& what, const std::string& reason);
  void error(const std::string& probe, const std::string& what, const std::string& message);

  /// Rewrites --out by rename, so that a reader never sees half a document. Without --out it does nothing before
  /// `last`.
  /// @throws std::runtime_error when the file cannot be written
  void write(bool last = false);

  /// As `write` before the end; a failure is only said on standard error, because the last write decides.
  void checkpoint();

  std::size_t sample_count() const;

 private:
  std::string document() const;

  mutable std::mutex mutex_;
  std::string path_, suite_, date_;
  std::string device_ = "null";
  std::vector<std::string> samples_, skipped_, errors_;
  bool printed_ = false;
};

}  // namespace clusterwright::probes
