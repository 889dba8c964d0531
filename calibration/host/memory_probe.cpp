// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/memory_probe.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cstring>
#include <string>

#include "calibration/host/random_data.hpp"
#include "calibration/host/thread_team.hpp"

namespace clusterwright {

namespace {

using Index = Eigen::Index;
using Stream = Eigen::Map<Eigen::ArrayXd>;

constexpr std::size_t line = 8;  ///< doubles of a cache line

std::size_t arrays_of(StreamKernel op) {
  return op == StreamKernel::read ? 1 : op == StreamKernel::copy ? 2 : 3;
}

/// Sources of random whole numbers, so that every sum below is exact, and a target of half the length. Memory for the
/// largest size, allocated for the first case and shared by all cases of a team.
class StreamArrays {
 public:
  StreamArrays(std::size_t doubles, std::int64_t threads) : doubles_(doubles), threads_(threads) {}

  double* source() { return (fill(), source_.get()); }
  double* target() { return (fill(), target_.get()); }

 private:
  void fill() {
    if (source_) return;
    ThreadTeam team(static_cast<int>(threads_));
    target_ = std::make_unique_for_overwrite<double[]>(doubles_ / 2 + line);
    source_ = std::make_unique_for_overwrite<double[]>(doubles_);
    team.run([&](int member) {
      const auto [begin, length] = team.stretch(doubles_, line, member);
      fill_random(source_.get() + begin, length, static_cast<std::uint64_t>(member) + 1);
      const auto half = team.stretch(doubles_ / 2, line, member);
      std::fill_n(target_.get() + half.begin, half.length, 0.0);
    });
  }

  /// Fills with copies of one random tile, each rotated by another distance: as fast as a copy.
  static void fill_random(double* out, std::size_t length, std::uint64_t seed) {
    constexpr std::size_t tile_length = 1u << 15;
    RandomWords words(seed);
    std::vector<double> tile(tile_length);
    for (double& number : tile) number = static_cast<double>(words.below(1u << 20));
    while (length > 0) {
      const std::size_t from = words.below(tile_length), count = std::min(length, tile_length - from);
      std::copy_n(tile.begin() + static_cast<std::ptrdiff_t>(from), count, out);
      out += count;
      length -= count;
    }
  }

  std::size_t doubles_;
  std::int64_t threads_;
  std::unique_ptr<double[]> source_, target_;
};

/// Sum in sixteen parts, so that additions do not wait for each other. @pre length is whole lines
double sum_numbers(const double* begin, std::size_t length) {
  using Sums = Eigen::Array<double, 2 * line, 1>;
  Sums sums = Sums::Zero();
  std::size_t i = 0;
  for (; i + 2 * line <= length; i += 2 * line) sums += Eigen::Map<const Sums>(begin + i);
  return sums.sum() + Eigen::Map<const Eigen::ArrayXd>(begin + i, static_cast<Index>(length - i)).sum();
}

class StreamCase : public ProbeCase {
 public:
  StreamCase(StreamKernel op, std::size_t length, std::int64_t threads, std::shared_ptr<StreamArrays> arrays)
      : op_(op),
        length_(length),
        team_(static_cast<int>(threads)),
        arrays_(std::move(arrays)),
        target_(arrays_->target()),
        first_(arrays_->source()),
        second_(first_ + length),
        sums_(static_cast<std::size_t>(threads)),
        work_(kernel()) {}

  void run() override { team_.run(work_); }

  /// Compares checksums: whole numbers of 20 bits, so every sum is exact in any order.
  void check() override {
    const double first = sum(first_), second = arrays_of(op_) == 3 ? sum(second_) : 0;
    double got = op_ == StreamKernel::read ? total() : sum(target_), wanted = first + second;
    if (op_ == StreamKernel::triad) wanted += 2 * second;
    if (op_ == StreamKernel::copy && std::memcmp(target_, first_, length_ * sizeof(double)) != 0) got = -1;
    if (got != wanted) throw ProbeFailure("the checksum of a " + std::string(enum_name(op_)) + " is wrong");
  }

 private:
  struct alignas(64) OwnLine {
    double sum = 0;
  };

  double sum(const double* begin) const {
    return Eigen::Map<const Eigen::ArrayXd>(begin, static_cast<Index>(length_)).sum();
  }

  double total() const {
    double out = 0;
    for (const OwnLine& one : sums_) out += one.sum;
    return out;
  }

  Stream part(double* array, int member) const {
    const auto [begin, length] = team_.stretch(length_, line, member);
    return Stream(array + begin, static_cast<Index>(length));
  }

  std::function<void(int)> kernel() {
    if (op_ == StreamKernel::add)
      return [this](int member) { part(target_, member) = part(first_, member) + part(second_, member); };
    if (op_ == StreamKernel::triad)
      return [this](int member) { part(target_, member) = part(first_, member) + 3.0 * part(second_, member); };
    if (op_ == StreamKernel::copy)
      return [this](int member) {
        const auto [begin, length] = team_.stretch(length_, line, member);
        std::memcpy(target_ + begin, first_ + begin, length * sizeof(double));
      };
    return [this](int member) {
      const auto [begin, length] = team_.stretch(length_, line, member);
      sums_[static_cast<std::size_t>(member)].sum = sum_numbers(first_ + begin, length);
    };
  }

  StreamKernel op_;
  std::size_t length_;  ///< doubles of one array, whole cache lines
  ThreadTeam team_;
  std::shared_ptr<StreamArrays> arrays_;
  double *target_, *first_, *second_;
  std::vector<OwnLine> sums_;
  std::function<void(int)> work_;
};

PlannedCase stream_case(StreamKernel op, Bytes size, std::int64_t threads,
                        const std::shared_ptr<StreamArrays>& arrays) {
  const std::size_t streams = arrays_of(op);
  const auto doubles = static_cast<std::size_t>(size.in(byte)) / sizeof(double);
  const std::size_t length = doubles / streams / line * line;
  PlannedCase out;
  ProbedMemory what;
  what.operation = op;
  what.dtype = StreamFormat::fp64;
  what.working_set = static_cast<double>(length * streams * sizeof(double)) * byte;
  what.threads = threads;
  out.what = what;
  out.flops = static_cast<double>(op == StreamKernel::triad  ? 2 * length
                                  : op == StreamKernel::copy ? 0
                                                             : length) *
              flop;
  out.bytes = what.working_set;
  out.build = [=] { return std::make_unique<StreamCase>(op, length, threads, arrays); };
  return out;
}

}  // namespace

std::vector<PlannedCase> plan_memory(const HostProbeSizes& sizes) {
  std::vector<PlannedCase> out;
  if (sizes.memory.empty()) return out;
  const Bytes largest = *std::max_element(sizes.memory.begin(), sizes.memory.end());
  for (const std::int64_t threads : sizes.threads) {
    const auto doubles = static_cast<std::size_t>(largest.in(byte)) / sizeof(double);
    const auto arrays = std::make_shared<StreamArrays>(doubles, threads);
    for (const Bytes size : sizes.memory)
      for (const StreamKernel op : {StreamKernel::copy, StreamKernel::add, StreamKernel::triad, StreamKernel::read})
        out.push_back(stream_case(op, size, threads, arrays));
  }
  return out;
}

}  // namespace clusterwright
