// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/kernel_probe.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "calibration/host/kernels/adam.hpp"
#include "calibration/host/kernels/element_kernels.hpp"
#include "calibration/host/random_data.hpp"

namespace clusterwright {

namespace {

using Kernels = ElementKernels<float>;

/// Data of one kernel: `rows` tokens of `width` values.
struct KernelData {
  KernelData(std::int64_t token_rows, std::int64_t row_width)
      : rows(token_rows),
        width(row_width),
        x(values(1)),
        dy(values(2)),
        y(values(3)),
        gain(row(4)),
        d_gain(row(5)),
        inverse_rms(static_cast<std::size_t>(rows), 1.0f),
        tokens(picked(width, 6)),
        rows_picked(picked(rows, 7)) {}

  /// Random index below `bound` for each row.
  std::vector<std::int32_t> picked(std::int64_t bound, std::uint64_t seed) const {
    RandomWords words(seed);
    std::vector<std::int32_t> out(static_cast<std::size_t>(rows));
    for (std::int32_t& one : out) one = static_cast<std::int32_t>(words.below(static_cast<std::uint64_t>(bound)));
    return out;
  }

  std::vector<float> filled(std::int64_t count, std::uint64_t seed) const {
    RandomWords words(seed);
    std::vector<float> out(static_cast<std::size_t>(count));
    for (float& value : out) value = static_cast<float>(words.signed_unit());
    return out;
  }
  std::vector<float> values(std::uint64_t seed) const { return filled(rows * width, seed); }
  std::vector<float> row(std::uint64_t seed) const { return filled(width, seed); }
  MatrixView<float> view(std::vector<float>& of) const { return {of.data(), rows, width}; }

  std::int64_t rows, width;
  std::vector<float> x, dy, y, gain, d_gain, inverse_rms;
  std::vector<std::int32_t> tokens, rows_picked;
};

using KernelCall = std::function<void(KernelData&)>;

/// Kernel on data of its own.
class KernelCase : public ProbeCase {
 public:
  KernelCase(std::int64_t rows, std::int64_t width, KernelCall call) : data_(rows, width), call_(std::move(call)) {}

  void run() override { call_(data_); }
  void check() override {
    for (const std::vector<float>* out : {&data_.x, &data_.y, &data_.d_gain})
      if (!std::all_of(out->begin(), out->end(), [](float value) { return std::isfinite(value); }))
        throw ProbeFailure("the kernel left values that are no numbers");
  }

 private:
  KernelData data_;
  KernelCall call_;
};

/// Bytes as host_stack counts them: every array once, nothing from caches.
Bytes values_moved(double values) {
  return values * static_cast<double>(sizeof(float)) * byte;
}

PlannedCase kernel_case(const char* kernel, const char* pass, std::int64_t rows, std::int64_t width, Bytes bytes,
                        KernelCall call) {
  PlannedCase out;
  ProbedKernel what;
  what.kernel = kernel;
  what.pass = pass;
  what.dtype = "fp32";
  what.tokens = rows;
  what.width = width;
  out.what = what;
  out.bytes = bytes;
  out.build = [rows, width, call = std::move(call)] { return std::make_unique<KernelCase>(rows, width, call); };
  return out;
}

void add_row_kernels(std::int64_t rows, std::int64_t width, std::vector<PlannedCase>& out) {
  const double each = static_cast<double>(rows * width);
  const auto add = [&](const char* kernel, const char* pass, double arrays, KernelCall call) {
    out.push_back(kernel_case(kernel, pass, rows, width, values_moved(arrays * each), std::move(call)));
  };
  add("rms_norm", "forward", 2,
      [](KernelData& d) { Kernels::rms_norm(d.view(d.y), d.inverse_rms.data(), d.view(d.x), d.gain.data()); });
  add("rms_norm", "backward", 4, [](KernelData& d) {
    Kernels::rms_norm_backward(d.view(d.y), d.d_gain.data(), d.view(d.dy), d.view(d.x), d.inverse_rms.data(),
                               d.gain.data());
  });
  add("residual", "forward", 2, [](KernelData& d) { Kernels::add(d.y.data(), d.x.data(), d.rows * d.width); });
  add("gelu", "forward", 2, [](KernelData& d) { Kernels::gelu(d.view(d.y), d.view(d.x)); });
  add("gelu", "backward", 3, [](KernelData& d) { Kernels::gelu_backward(d.view(d.y), d.view(d.dy), d.view(d.x)); });
  add("cross_entropy", "forward", 2, [](KernelData& d) { Kernels::cross_entropy(d.view(d.y), d.tokens.data()); });
  add("embedding", "forward", 2,
      [](KernelData& d) { Kernels::gather(d.view(d.y), d.view(d.x), d.rows_picked.data()); });
  add("embedding", "backward", 4,
      [](KernelData& d) { Kernels::gather_backward(d.view(d.y), d.view(d.dy), d.rows_picked.data()); });
}

void add_softmax(std::int64_t length, std::vector<PlannedCase>& out) {
  const double square = static_cast<double>(length * length), below = static_cast<double>(length * (length + 1)) / 2;
  out.push_back(kernel_case("softmax", "forward", length, length, values_moved(below + square),
                            [](KernelData& d) { Kernels::causal_softmax(d.view(d.y)); }));
  out.push_back(kernel_case("softmax", "backward", length, length, values_moved(2 * below + square),
                            [](KernelData& d) { Kernels::causal_softmax_backward(d.view(d.dy), d.view(d.x)); }));
}

/// Adds the optimizer, whose moments live from call to call.
void add_adam(std::int64_t parameters, std::vector<PlannedCase>& out) {
  auto adam = std::make_shared<std::optional<Adam<float>>>();
  const KernelCall update = [adam, parameters](KernelData& d) {
    if (!*adam) adam->emplace(parameters);
    (*adam)->update(d.y.data(), d.x.data(), 1.0f);
  };
  out.push_back(
      kernel_case("adam", "update", 1, parameters, values_moved(7 * static_cast<double>(parameters)), update));
}

}  // namespace

std::vector<PlannedCase> plan_kernels(const HostProbeSizes& sizes) {
  std::vector<PlannedCase> out;
  for (const std::int64_t rows : sizes.kernel_rows)
    for (const std::int64_t width : sizes.kernel_widths) add_row_kernels(rows, width, out);
  for (const std::int64_t length : sizes.softmax) add_softmax(length, out);
  for (const std::int64_t parameters : sizes.updated) add_adam(parameters, out);
  return out;
}

}  // namespace clusterwright
