// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/loading_probe.hpp"

#include <cstring>
#include <optional>
#include <string>

#include "calibration/host/random_data.hpp"
#include "calibration/host/scratch_file.hpp"

namespace clusterwright {

namespace {

struct RecordLayout {
  std::size_t record;  ///< bytes of one record
  std::size_t in_file, in_batch;

  std::size_t file_bytes() const { return record * in_file; }
};

/// File of two-byte tokens in records of one length, written for the first case and shared by all.
class TokenFile {
 public:
  TokenFile(std::filesystem::path folder, RecordLayout layout) : folder_(std::move(folder)), layout_(layout) {}

  ScratchFile& file() {
    if (!file_) write();
    return *file_;
  }

  static std::vector<std::uint64_t> tokens(std::size_t index, std::size_t bytes) {
    RandomWords words(index);
    std::vector<std::uint64_t> out(bytes / sizeof(std::uint64_t));
    for (std::uint64_t& four : out) four = words.next();
    return out;
  }

 private:
  void write() {
    ScratchFile file(folder_, static_cast<double>(layout_.file_bytes()) * byte);
    for (std::size_t i = 0; i < layout_.in_file; ++i)
      file.write_at(i * layout_.record, tokens(i, layout_.record).data(), layout_.record);
    file.flush();
    file_.emplace(std::move(file));
  }

  std::filesystem::path folder_;
  RecordLayout layout_;
  std::optional<ScratchFile> file_;
};

class LoadingCase : public ProbeCase {
 public:
  LoadingCase(std::shared_ptr<TokenFile> tokens, RecordLayout layout, bool maps, bool from_cache)
      : tokens_(std::move(tokens)),
        layout_(layout),
        maps_(maps),
        from_cache_(from_cache),
        batch_(layout.record * layout.in_batch),
        drawn_(layout.in_batch) {
    if (maps_) mapping_.emplace(tokens_->file(), layout_.file_bytes(), from_cache_);
  }

  /// Maps the file anew, since a mapping keeps its pages in the cache.
  void prepare() override {
    if (from_cache_) return;
    mapping_.reset();
    tokens_->file().drop_pages(layout_.file_bytes());
    if (maps_) mapping_.emplace(tokens_->file(), layout_.file_bytes());
  }

  void run() override {
    for (std::size_t i = 0; i < layout_.in_batch; ++i) {
      drawn_[i] = words_.below(layout_.in_file);
      const std::size_t offset = drawn_[i] * layout_.record;
      unsigned char* to = batch_.data() + i * layout_.record;
      if (maps_)
        std::memcpy(to, mapping_->begin() + offset, layout_.record);
      else
        tokens_->file().read_at(offset, to, layout_.record);
    }
  }

  void check() override {
    for (std::size_t i = 0; i < layout_.in_batch; ++i) {
      const auto right = TokenFile::tokens(drawn_[i], layout_.record);
      if (std::memcmp(right.data(), batch_.data() + i * layout_.record, layout_.record) != 0)
        throw ProbeFailure("a record is read back changed");
    }
  }

 private:
  std::shared_ptr<TokenFile> tokens_;
  RecordLayout layout_;
  bool maps_, from_cache_;
  std::optional<FileMapping> mapping_;
  std::vector<unsigned char> batch_;
  std::vector<std::size_t> drawn_;
  RandomWords words_{1};
};

PlannedCase loading_case(const std::shared_ptr<TokenFile>& tokens, RecordLayout layout, bool maps, bool from_cache) {
  PlannedCase out;
  ProbedLoading what;
  what.method = maps ? LoadingMethod::mmap : LoadingMethod::pread;
  what.cache = from_cache ? LoadingCache::resident : LoadingCache::dropped;
  what.record = static_cast<double>(layout.record) * byte;
  what.records = static_cast<std::int64_t>(layout.in_batch);
  what.file = static_cast<double>(layout.file_bytes()) * byte;
  out.what = what;
  out.bytes = static_cast<double>(layout.in_batch) * what.record;
  out.repeats_in_place = from_cache;
  out.build = [=] { return std::make_unique<LoadingCase>(tokens, layout, maps, from_cache); };
  return out;
}

}  // namespace

std::vector<PlannedCase> plan_loading(const HostProbeSizes& sizes, const std::filesystem::path& folder) {
  const auto record = static_cast<std::size_t>(sizes.record.in(byte));
  const RecordLayout layout{record, static_cast<std::size_t>(sizes.file.in(byte)) / record,
                            static_cast<std::size_t>(sizes.records)};
  const auto tokens = std::make_shared<TokenFile>(folder, layout);
  std::vector<PlannedCase> out;
  for (const bool from_cache : {true, false})
    for (const bool maps : {true, false}) out.push_back(loading_case(tokens, layout, maps, from_cache));
  return out;
}

}  // namespace clusterwright
