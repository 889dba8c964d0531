// Each kernel once, at a small size, against double precision on the host: relative error of the whole output.

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "fill.hpp"
#include "layer_kernels.hpp"

namespace clusterwright::probes {
namespace {

constexpr int tokens = 24, width = 320;
using Numbers = std::vector<double>;

template <class T> double to_double(T x) { return static_cast<double>(x); }
template <> double to_double(Bf16 x) { return static_cast<double>(__bfloat162float(x)); }

template <class T>
Numbers numbers(const DeviceArray<T>& array) {
  Numbers out;
  for (const T x : array.to_host()) out.push_back(to_double(x));
  return out;
}

void compare(const char* kernel, const Numbers& got, const Numbers& want, double limit = 1e-2) {
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    difference += (got[i] - want[i]) * (got[i] - want[i]);
    size += want[i] * want[i];
  }
  const double error = std::sqrt(difference / size);
  if (!(error < limit)) throw SampleFailed(std::string("kernel check, ") + kernel + ": relative error " + std::to_string(error));
}

/// An output that shows what was not written: 0xff bytes are NaN.
template <class T>
DeviceArray<T> poisoned(std::size_t count, cudaStream_t stream) {
  DeviceArray<T> array(count);
  CHECK_CUDA(cudaMemsetAsync(array.data(), 0xff, array.bytes(), stream));
  return array;
}

double mean_square_root(const double* row) {
  double squares = 0;
  for (int i = 0; i < width; ++i) squares += row[i] * row[i];
  return std::sqrt(squares / width + 1e-5);
}

void reference_norm_row(const double* x, const double* w, const double* dy, double* y, double* dx, double* dw) {
  const double rms = mean_square_root(x);
  double dot = 0;
  for (int i = 0; i < width; ++i) {
    y[i] = x[i] / rms * w[i];
    dw[i] += dy[i] * x[i] / rms;
    dot += dy[i] * w[i] * x[i];
  }
  for (int i = 0; i < width; ++i) dx[i] = dy[i] * w[i] / rms - x[i] * dot / (width * rms * rms * rms);
}

void check_norm(cudaStream_t stream) {
  constexpr std::size_t count = std::size_t{tokens} * width;
  const auto x = random_bf16(count, 31, stream), w = random_bf16(width, 32, stream), dy = random_bf16(count, 33, stream);
  auto y = poisoned<Bf16>(count, stream), dx = poisoned<Bf16>(count, stream);
  auto inverse = poisoned<float>(tokens, stream);
  const DeviceArray<float> dw(std::vector<float>(width, 0.0f));
  enqueue_rms_norm(x.data(), w.data(), y.data(), inverse.data(), tokens, width, stream);
  enqueue_rms_norm_backward(x.data(), w.data(), inverse.data(), dy.data(), dx.data(), dw.data(), tokens, width, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const Numbers hx = numbers(x), hw = numbers(w), hdy = numbers(dy);
  Numbers want_y(count), want_dx(count), want_dw(width, 0.0);
  for (int t = 0; t < tokens; ++t) {
    const std::size_t row = static_cast<std::size_t>(t) * width;
    reference_norm_row(&hx[row], hw.data(), &hdy[row], &want_y[row], &want_dx[row], want_dw.data());
  }
  compare("rms_norm", numbers(y), want_y);
  compare("rms_norm_backward dx", numbers(dx), want_dx);
  compare("rms_norm_backward dweight", numbers(dw), want_dw);
}

void check_rotary(cudaStream_t stream) {
  constexpr int heads = 3, head_dim = 64, stride = 320, sequence = 12;   // a tail of every row must stay as it is
  const auto rows = random_bf16(std::size_t{tokens} * stride, 41, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const Numbers before = numbers(rows);
  Numbers want = before;
  for (int t = 0; t < tokens; ++t) {
    for (int at = 0; at < heads * head_dim / 2; ++at) {
      const int i = at % (head_dim / 2);
      const std::size_t low = static_cast<std::size_t>(t * stride + at / (head_dim / 2) * head_dim + i), high = low + head_dim / 2;
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

double silu(double x) { return x / (1 + std::exp(-x)); }
double gelu(double x) { return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x))); }

/// Derivatives by central differences, so that the reference shares no formula with the kernel.
double slope(const std::function<double(double)>& f, double x) { return (f(x + 1e-5) - f(x - 1e-5)) / 2e-5; }

void check_swiglu(cudaStream_t stream) {
  constexpr std::size_t count = std::size_t{tokens} * width;
  const auto in = random_bf16(2 * count, 51, stream), dout = random_bf16(count, 52, stream);
  auto out = poisoned<Bf16>(count, stream), din = poisoned<Bf16>(2 * count, stream);
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

void check_gelu_and_add(cudaStream_t stream) {
  constexpr std::size_t count = std::size_t{tokens} * width;
  const auto in = random_bf16(count, 53, stream), dout = random_bf16(count, 54, stream);
  auto out = poisoned<Bf16>(count, stream), din = poisoned<Bf16>(count, stream), sum = poisoned<Bf16>(count, stream);
  enqueue_gelu(in.data(), out.data(), count, stream);
  enqueue_gelu_backward(in.data(), dout.data(), din.data(), count, stream);
  enqueue_add(in.data(), dout.data(), sum.data(), count, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const Numbers h = numbers(in), g = numbers(dout);
  Numbers want(count), want_din(count), want_sum(count);
  for (std::size_t i = 0; i < count; ++i) {
    want[i] = gelu(h[i]);
    want_din[i] = g[i] * slope(gelu, h[i]);
    want_sum[i] = h[i] + g[i];
  }
  compare("gelu", numbers(out), want);
  compare("gelu_backward", numbers(din), want_din);
  compare("add", numbers(sum), want_sum);
}

void check_cross_entropy(cudaStream_t stream) {
  constexpr std::size_t count = std::size_t{tokens} * width;
  const auto logits = random_bf16(count, 61, stream);
  std::vector<int> targets;
  for (int t = 0; t < tokens; ++t) targets.push_back(t * 37 % width);
  const DeviceArray<int> device_targets(targets);
  auto loss = poisoned<float>(tokens, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  const Numbers h = numbers(logits);
  Numbers want_loss(tokens), want(count);
  for (int t = 0; t < tokens; ++t) {
    const std::size_t row = static_cast<std::size_t>(t) * width;
    double sum = 0;
    for (int i = 0; i < width; ++i) sum += std::exp(h[row + i]);
    want_loss[t] = std::log(sum) - h[row + targets[t]];
    for (int i = 0; i < width; ++i) want[row + i] = (std::exp(h[row + i]) / sum - (i == targets[t] ? 1 : 0)) / tokens;
  }
  enqueue_cross_entropy(logits.data(), device_targets.data(), loss.data(), tokens, width, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  compare("cross_entropy loss", numbers(loss), want_loss, 1e-3);
  compare("cross_entropy gradient", numbers(logits), want);
}

void check_adam(cudaStream_t stream) {
  constexpr std::size_t count = 1000 * 8;
  const std::vector<float> zeros(count, 0.0f);
  DeviceArray<float> weight(count);
  const DeviceArray<float> m(zeros), v(zeros);
  auto copy = poisoned<Bf16>(count, stream);
  const auto gradient = random_bf16(count, 71, stream);
  fill(weight.data(), DataType::fp32, count, Contents::random, 72, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  Numbers w = numbers(weight);
  const Numbers g = numbers(gradient), before = w;
  // In the first step the corrected moments are g and g^2.
  for (std::size_t i = 0; i < count; ++i) w[i] -= 1e-3 * (g[i] / (std::fabs(g[i]) + 1e-8) + 0.1 * w[i]);
  enqueue_adam({weight.data(), m.data(), v.data(), gradient.data(), copy.data()}, count, 1, stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  Numbers moved = numbers(weight), want_moved = w;
  for (std::size_t i = 0; i < count; ++i) {   // the step, not the weight, which hides it
    moved[i] -= before[i];
    want_moved[i] -= before[i];
  }
  compare("adam step", moved, want_moved, 1e-3);
  compare("adam bf16 copy", numbers(copy), w);
}

}  // namespace

void check_layer_kernels(cudaStream_t stream) {
  check_norm(stream);
  check_rotary(stream);
  check_swiglu(stream);
  check_gelu_and_add(stream);
  check_cross_entropy(stream);
  check_adam(stream);
}

}  // namespace clusterwright::probes
