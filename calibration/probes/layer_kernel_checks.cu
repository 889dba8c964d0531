// SPDX-License-Identifier: Apache-2.0
// Each kernel once, at a small size, against double precision on the host: relative error of the whole output.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "fill.hpp"
#include "host_check.hpp"
#include "layer_kernels.hpp"

namespace clusterwright::probes {
namespace {

// More columns than one pass of a block covers, and no whole number of passes or blocks.
constexpr int tokens = 24, width = 4160;
constexpr std::size_t count = std::size_t{tokens} * width;

void compare(const char* kernel, const Numbers& got, const Numbers& want, double limit = 1e-2) {
  require_close(std::string("kernel check, ") + kernel, got, want, limit);
}

void reference_norm_row(int size, const double* x, const double* w, const double* dy, double* y, double* dx,
                        double* dw) {
  double squares = 0, dot = 0;
  for (int i = 0; i < size; ++i) squares += x[i] * x[i];
  const double rms = std::sqrt(squares / size + 1e-5);
  for (int i = 0; i < size; ++i) {
    y[i] = x[i] / rms * w[i];
    dw[i] += dy[i] * x[i] / rms;
    dot += dy[i] * w[i] * x[i];
  }
  for (int i = 0; i < size; ++i) dx[i] = dy[i] * w[i] / rms - x[i] * dot / (size * rms * rms * rms);
}

void check_norm(cudaStream_t stream) {
  constexpr int rows = 600, size = 2064;  // the backward kernel has 512 blocks
  constexpr std::size_t all = std::size_t{rows} * size;
  const auto x = random_bf16(all, 31, stream), w = random_bf16(size, 32, stream), dy = random_bf16(all, 33, stream);
  const auto y = poisoned<Bf16>(all, stream), dx = poisoned<Bf16>(all, stream);
  const auto inverse = poisoned<float>(rows, stream);
  const DeviceArray<float> dw(std::vector<float>(size, 0.0f));
  enqueue_rms_norm(x.data(), w.data(), y.data(), inverse.data(), rows, size, stream);
  enqueue_rms_norm_backward(x.data(), w.data(), inverse.data(), dy.data(), dx.data(), dw.data(), rows, size, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const Numbers hx = numbers(x), hw = numbers(w), hdy = numbers(dy);
  Numbers want_y(all), want_dx(all), want_dw(size, 0.0);
  for (std::size_t row = 0; row < all; row += size) {
    reference_norm_row(size, &hx[row], hw.data(), &hdy[row], &want_y[row], &want_dx[row], want_dw.data());
  }
  compare("rms_norm", numbers(y), want_y);
  compare("rms_norm_backward dx", numbers(dx), want_dx);
  compare("rms_norm_backward dweight", numbers(dw), want_dw);
}

void check_rotary(cudaStream_t stream) {
  constexpr int heads = 40, head_dim = 128, sequence = 12;
  constexpr int stride = 42 * head_dim;  // the tail of every row must stay as it is
  const auto rows = random_bf16(std::size_t{tokens} * stride, 41, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const Numbers before = numbers(rows);
  Numbers want = before;
  for (int t = 0; t < tokens; ++t) {
    for (int at = 0; at < heads * head_dim / 2; ++at) {
      const int i = at % (head_dim / 2);
      const std::size_t low = static_cast<std::size_t>(t * stride + at / (head_dim / 2) * head_dim + i),
                        high = low + head_dim / 2;
      const double angle = t % sequence * std::pow(10000.0, -2.0 * i / head_dim);
      want[low] = before[low] * std::cos(angle) - before[high] * std::sin(angle);
      want[high] = before[low] * std::sin(angle) + before[high] * std::cos(angle);
    }
  }
  enqueue_rotary(rows.data(), tokens, sequence, heads, head_dim, stride, 1, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  compare("rotary", numbers(rows), want);
  enqueue_rotary(rows.data(), tokens, sequence, heads, head_dim, stride, -1, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  compare("rotary backward", numbers(rows), before);
}

double silu(double x) {
  return x / (1 + std::exp(-x));
}
double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
}

/// Derivatives by central differences, so that the reference shares no formula with the kernel.
double slope(const std::function<double(double)>& f, double x) {
  return (f(x + 1e-5) - f(x - 1e-5)) / 2e-5;
}

void check_swiglu(cudaStream_t stream) {
  const auto in = random_bf16(2 * count, 51, stream), dout = random_bf16(count, 52, stream);
  const auto out = poisoned<Bf16>(count, stream), din = poisoned<Bf16>(2 * count, stream);
  enqueue_swiglu(in.data(), out.data(), tokens, width, stream);
  enqueue_swiglu_backward(in.data(), dout.data(), din.data(), tokens, width, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const Numbers h = numbers(in), g = numbers(dout);
  Numbers want(count), want_din(2 * count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t gate = 2 * (i / width) * width + i % width, up = gate + width;
    want[i] = silu(h[gate]) * h[up];
    want_din[gate] = g[i] * h[up] * slope(silu, h[gate]);
    want_din[up] = g[i] * silu(h[gate]);
  }
  compare("swiglu", numbers(out), want);
  compare("swiglu_backward", numbers(din), want_din);
}

void check_gelu(cudaStream_t stream) {
  const auto in = random_bf16(count, 53, stream), dout = random_bf16(count, 54, stream);
  const auto out = poisoned<Bf16>(count, stream), din = poisoned<Bf16>(count, stream);
  enqueue_gelu(in.data(), out.data(), count, stream);
  enqueue_gelu_backward(in.data(), dout.data(), din.data(), count, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const Numbers h = numbers(in), g = numbers(dout);
  Numbers want(count), want_din(count);
  for (std::size_t i = 0; i < count; ++i) {
    want[i] = gelu(h[i]);
    want_din[i] = g[i] * slope(gelu, h[i]);
  }
  compare("gelu", numbers(out), want);
  compare("gelu_backward", numbers(din), want_din);
}

void check_add_and_round(cudaStream_t stream) {
  const auto a = random_bf16(count, 55, stream), b = random_bf16(count, 56, stream);
  const auto sum = poisoned<Bf16>(count, stream), rounded = poisoned<Bf16>(count, stream);
  const auto wide = poisoned<float>(count, stream);
  enqueue_add(a.data(), b.data(), sum.data(), count, stream);
  enqueue_widen(a.data(), wide.data(), count, stream);
  enqueue_round(wide.data(), rounded.data(), count, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const Numbers h = numbers(a), g = numbers(b);
  Numbers want(count);
  for (std::size_t i = 0; i < count; ++i) want[i] = h[i] + g[i];
  compare("add", numbers(sum), want);
  compare("widen", numbers(wide), h, 1e-9);
  compare("round", numbers(rounded), h, 1e-9);
}

void check_pointwise(cudaStream_t stream) {
  check_swiglu(stream);
  check_gelu(stream);
  check_add_and_round(stream);
}

/// Softmax minus one at the target, over the tokens. Returns the loss.
double reference_loss_row(const double* logits, int target, double* gradient) {
  double sum = 0;
  for (int i = 0; i < width; ++i) sum += std::exp(logits[i]);
  for (int i = 0; i < width; ++i) gradient[i] = (std::exp(logits[i]) / sum - (i == target ? 1 : 0)) / tokens;
  return std::log(sum) - logits[target];
}

/// Takes one number of every row out of `rows`: the gradient at the target would hide the others.
Numbers take_targets(Numbers& rows, const std::vector<int>& targets) {
  Numbers taken;
  for (std::size_t t = 0; t < targets.size(); ++t) {
    double& at = rows[t * width + static_cast<std::size_t>(targets[t])];
    taken.push_back(at);
    at = 0;
  }
  return taken;
}

void check_cross_entropy(cudaStream_t stream) {
  const auto logits = random_bf16(count, 61, stream);
  std::vector<int> targets;
  for (int t = 0; t < tokens; ++t) targets.push_back(t * 977 % width);
  const DeviceArray<int> device_targets(targets);
  const auto loss = poisoned<float>(tokens, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const Numbers h = numbers(logits);
  Numbers want_loss, want(count);
  for (int t = 0; t < tokens; ++t) {
    const std::size_t row = static_cast<std::size_t>(t) * width;
    want_loss.push_back(reference_loss_row(&h[row], targets[static_cast<std::size_t>(t)], &want[row]));
  }
  enqueue_cross_entropy(logits.data(), device_targets.data(), loss.data(), tokens, width, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  Numbers got = numbers(logits);
  compare("cross_entropy loss", numbers(loss), want_loss, 1e-3);
  compare("cross_entropy gradient at the target", take_targets(got, targets), take_targets(want, targets));
  compare("cross_entropy gradient", got, want);
}

void check_embedding(cudaStream_t stream) {
  constexpr int vocabulary = 40;
  std::vector<int> ids;
  for (int t = 0; t < tokens; ++t) ids.push_back(t * 7 % 20);  // some twice, half of the table never
  const DeviceArray<int> device_ids(ids);
  const auto table = random_bf16(std::size_t{vocabulary} * width, 63, stream), dout = random_bf16(count, 64, stream);
  const auto out = poisoned<Bf16>(count, stream), gradient = poisoned<Bf16>(table.count(), stream);
  CHECK_CUDA(cudaMemsetAsync(gradient.data(), 0, gradient.bytes(), stream));
  enqueue_embedding(table.data(), device_ids.data(), out.data(), tokens, width, stream);
  enqueue_embedding_backward(dout.data(), device_ids.data(), gradient.data(), tokens, width, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const Numbers h = numbers(table), g = numbers(dout);
  Numbers want(count), want_gradient(table.count(), 0.0);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = static_cast<std::size_t>(ids[i / width]) * width + i % width;
    want[i] = h[at];
    want_gradient[at] += g[i];
  }
  compare("embedding", numbers(out), want, 1e-9);
  compare("embedding_backward", numbers(gradient), want_gradient);
}

/// Weight and moments of one parameter, on the host.
struct HostAdam {
  double weight, m = 0, v = 0;

  void step(double gradient, int number, double rate) {
    m = 0.9 * m + 0.1 * gradient;
    v = 0.95 * v + 0.05 * gradient * gradient;
    const double update = m / (1 - std::pow(0.9, number)) / (std::sqrt(v / (1 - std::pow(0.95, number))) + 1e-8);
    weight -= rate * (update + 0.1 * weight);
  }
};

void check_adam(cudaStream_t stream) {
  constexpr std::size_t parameters = 1000 * 8;
  const std::vector<float> zeros(parameters, 0.0f);
  const DeviceArray<float> weight(parameters), m(zeros), v(zeros);
  const auto copy = poisoned<Bf16>(parameters, stream);
  fill(weight.data(), DataType::fp32, parameters, Contents::random, 72, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const Numbers before = numbers(weight);
  std::vector<HostAdam> host;
  for (const double w : before) host.push_back({w});
  for (int number = 1; number <= 3; ++number) {
    const auto gradient = random_bf16(parameters, 73 + static_cast<std::uint64_t>(number), stream);
    enqueue_adam({weight.data(), m.data(), v.data(), gradient.data(), copy.data()}, parameters, {number, 1e-3f},
                 stream);
    CHECK_CUDA(cudaStreamSynchronize(stream));
    const Numbers g = numbers(gradient);
    for (std::size_t i = 0; i < parameters; ++i) host[i].step(g[i], number, 1e-3);
  }
  Numbers moved = numbers(weight), want_moved, want;
  for (std::size_t i = 0; i < parameters; ++i) {  // the step, not the weight, which hides it
    moved[i] -= before[i];
    want_moved.push_back(host[i].weight - before[i]);
    want.push_back(host[i].weight);
  }
  compare("adam step", moved, want_moved, 1e-3);
  compare("adam bf16 copy", numbers(copy), want);
}

}  // namespace

const std::vector<KernelCheck>& layer_kernel_checks() {
  static const std::vector<KernelCheck> checks = {
      {"norm", check_norm},           {"rotary", check_rotary},
      {"pointwise", check_pointwise}, {"cross entropy", check_cross_entropy},
      {"embedding", check_embedding}, {"adam", check_adam}};
  return checks;
}

void check_layer_kernels(cudaStream_t stream) {
  for (const KernelCheck& check : layer_kernel_checks()) check.run(stream);
}

}  // namespace clusterwright::probes
