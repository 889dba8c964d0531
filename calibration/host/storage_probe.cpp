// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/storage_probe.hpp"

#include <cstring>
#include <string>

#include "calibration/host/random_data.hpp"
#include "calibration/host/scratch_file.hpp"

namespace clusterwright {

namespace {

struct FileSize {
  std::size_t block, blocks;

  std::size_t bytes() const { return block * blocks; }
};

/// Random block, so that compression and deduplication gain nothing.
std::vector<std::uint64_t> random_block(std::size_t bytes) {
  RandomWords words(bytes);
  std::vector<std::uint64_t> out(bytes / sizeof(std::uint64_t));
  for (std::uint64_t& word : out) word = words.next();
  return out;
}

/// Writes one block after another; each begins with its number.
void write_blocks(ScratchFile& file, FileSize size, std::vector<std::uint64_t>& block) {
  for (std::size_t i = 0; i < size.blocks; ++i) {
    block.front() = i;
    file.write_at(i * size.block, block.data(), size.block);
  }
}

class WriteCase : public ProbeCase {
 public:
  WriteCase(const std::filesystem::path& folder, FileSize size)
      : size_(size), file_(folder, static_cast<double>(size.bytes()) * byte), block_(random_block(size.block)) {}

  void prepare() override {
    file_.empty();
    file_.flush();
  }
  void run() override {
    write_blocks(file_, size_, block_);
    file_.flush();
  }
  void check() override {
    std::vector<std::uint64_t> last(block_.size());
    file_.read_at((size_.blocks - 1) * size_.block, last.data(), size_.block);
    if (last != block_) throw ProbeFailure("a block is read back changed");
  }

 private:
  FileSize size_;
  ScratchFile file_;
  std::vector<std::uint64_t> block_;
};

class ReadCase : public ProbeCase {
 public:
  ReadCase(const std::filesystem::path& folder, FileSize size, bool from_cache)
      : size_(size),
        from_cache_(from_cache),
        file_(folder, static_cast<double>(size.bytes()) * byte),
        written_(random_block(size.block)),
        read_(written_.size()) {
    write_blocks(file_, size_, written_);
    file_.flush();
  }

  void prepare() override {
    if (!from_cache_) file_.drop_pages(size_.bytes());
  }
  void run() override {
    in_order_ = true;
    for (std::size_t i = 0; i < size_.blocks; ++i) {
      file_.read_at(i * size_.block, read_.data(), size_.block);
      in_order_ = in_order_ && read_.front() == i;
    }
  }
  void check() override {
    if (!in_order_ || read_ != written_) throw ProbeFailure("a block is read back changed");
  }

 private:
  FileSize size_;
  bool from_cache_;
  ScratchFile file_;
  std::vector<std::uint64_t> written_, read_;
  bool in_order_ = true;
};

PlannedCase storage_case(StorageOperation operation, StorageCache cache, FileSize size) {
  const Bytes file = static_cast<double>(size.bytes()) * byte, block = static_cast<double>(size.block) * byte;
  PlannedCase out;
  out.what = ProbedStorage{operation, file, block, cache};
  out.bytes = file;
  out.repeats_in_place = false;
  return out;
}

}  // namespace

std::vector<PlannedCase> plan_storage(const HostProbeSizes& sizes, const std::filesystem::path& folder) {
  const auto block = static_cast<std::size_t>(sizes.block.in(byte));
  const FileSize size{block, static_cast<std::size_t>(sizes.file.in(byte)) / block};
  PlannedCase resident = storage_case(StorageOperation::read, StorageCache::resident, size),
              dropped = storage_case(StorageOperation::read, StorageCache::dropped, size),
              write = storage_case(StorageOperation::write, StorageCache::flushed, size);
  resident.build = [=] { return std::make_unique<ReadCase>(folder, size, true); };
  dropped.build = [=] { return std::make_unique<ReadCase>(folder, size, false); };
  write.build = [=] { return std::make_unique<WriteCase>(folder, size); };
  return {resident, dropped, write};
}

}  // namespace clusterwright
