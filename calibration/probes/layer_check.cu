// SPDX-License-Identifier: Apache-2.0
#include "layer_check.hpp"

#include <cmath>

#include "attention_reference.hpp"
#include "transformer_layer.hpp"

namespace clusterwright::probes {
namespace {

/// Rows of numbers with the gradient of the loss by them.
struct Rows {
  int width;
  Numbers value, gradient;

  Rows(std::size_t rows, int row_width) : width(row_width), value(rows * row_width), gradient(rows * row_width) {}
};

/// A weight [out, in] with its gradient.
struct Weight {
  Numbers value, gradient;

  explicit Weight(Numbers numbers) : value(std::move(numbers)), gradient(value.size()) {}
};

/// y = x W^T
void linear(const Rows& x, const Weight& w, Rows& y) {
  for (std::size_t t = 0; t * x.width < x.value.size(); ++t) {
    for (int o = 0; o < y.width; ++o) {
      double sum = 0;
      for (int i = 0; i < x.width; ++i) sum += x.value[t * x.width + i] * w.value[std::size_t(o) * x.width + i];
      y.value[t * y.width + o] = sum;
    }
  }
}

/// Adds to the gradients of x and W.
void linear_backward(Rows& x, Weight& w, const Rows& y) {
  for (std::size_t t = 0; t * x.width < x.value.size(); ++t) {
    for (int o = 0; o < y.width; ++o) {
      const double gradient = y.gradient[t * y.width + o];
      for (int i = 0; i < x.width; ++i) {
        x.gradient[t * x.width + i] += gradient * w.value[std::size_t(o) * x.width + i];
        w.gradient[std::size_t(o) * x.width + i] += gradient * x.value[t * x.width + i];
      }
    }
  }
}

double inverse_rms(const double* row, int width) {
  double squares = 0;
  for (int i = 0; i < width; ++i) squares += row[i] * row[i];
  return 1 / std::sqrt(squares / width + 1e-5);
}

void norm(const Rows& x, const double* weight, Rows& y) {
  for (std::size_t row = 0; row < x.value.size(); row += x.width) {
    const double inverse = inverse_rms(&x.value[row], x.width);
    for (int i = 0; i < x.width; ++i) y.value[row + i] = x.value[row + i] * inverse * weight[i];
  }
}

/// Adds to the gradients of x and of the weight.
void norm_backward(Rows& x, const double* weight, double* weight_gradient, const Rows& y) {
  for (std::size_t row = 0; row < x.value.size(); row += x.width) {
    const double inverse = inverse_rms(&x.value[row], x.width);
    double dot = 0;
    for (int i = 0; i < x.width; ++i) dot += y.gradient[row + i] * weight[i] * x.value[row + i];
    for (int i = 0; i < x.width; ++i) {
      x.gradient[row + i] +=
          inverse * y.gradient[row + i] * weight[i] - x.value[row + i] * dot * inverse * inverse * inverse / x.width;
      weight_gradient[i] += y.gradient[row + i] * x.value[row + i] * inverse;
    }
  }
}

/// Turns the first heads of every row; `direction` -1 turns back.
void turn(Numbers& rows, const LayerShape& s, int direction) {
  const int half = s.head_dim / 2;
  for (int t = 0; t < s.tokens(); ++t) {
    for (int at = 0; at < (s.heads + s.kv_heads) * half; ++at) {
      const int i = at % half;
      const double angle = direction * (t % s.sequence) * std::pow(10000.0, -static_cast<double>(i) / half);
      double& low = rows[std::size_t(t) * s.qkv_width() + at / half * s.head_dim + i];
      double& high = (&low)[half];
      const double x = low, y = high;
      low = x * std::cos(angle) - y * std::sin(angle);
      high = x * std::sin(angle) + y * std::cos(angle);
    }
  }
}

double silu(double x) {
  return x / (1 + std::exp(-x));
}
double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
}
double slope(double (*f)(double), double x) {
  return (f(x + 1e-5) - f(x - 1e-5)) / 2e-5;
}

void activate(const Rows& up, bool gated, Rows& out) {
  for (std::size_t t = 0; t * up.width < up.value.size(); ++t) {
    for (int i = 0; i < out.width; ++i) {
      const double first = up.value[t * up.width + i];
      out.value[t * out.width + i] = gated ? silu(first) * up.value[t * up.width + out.width + i] : gelu(first);
    }
  }
}

void activate_backward(Rows& up, bool gated, const Rows& out) {
  for (std::size_t t = 0; t * up.width < up.value.size(); ++t) {
    for (int i = 0; i < out.width; ++i) {
      const std::size_t first = t * up.width + i, second = first + out.width;
      const double x = up.value[first], gradient = out.gradient[t * out.width + i];
      up.gradient[first] = gradient * (gated ? up.value[second] * slope(silu, x) : slope(gelu, x));
      if (gated) up.gradient[second] = gradient * silu(x);
    }
  }
}

void add_to(Numbers& sum, const Numbers& what) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += what[i];
}

struct HostLayer {
  LayerShape shape;
  AttentionShape attention;
  std::vector<Weight> weights;  // as LayerShape::parameter_counts
  Rows x, normed1, qkv, attended, residual, normed2, up, activated, y;

  HostLayer(const LayerShape& layer, std::vector<Weight> initial, std::size_t t)
      : shape(layer),
        attention(fused_attention(shape.batch, shape.sequence, shape.heads, shape.kv_heads, shape.head_dim, true)),
        weights(std::move(initial)),
        x(t, shape.hidden),
        normed1(t, shape.hidden),
        qkv(t, shape.qkv_width()),
        attended(t, shape.attention_width()),
        residual(t, shape.hidden),
        normed2(t, shape.hidden),
        up(t, shape.up_width()),
        activated(t, shape.ffn),
        y(t, shape.hidden) {}

  /// Forward and backward at once, because attention's reference gives both: from x.value and y.gradient.
  void run() {
    norm(x, weights[4].value.data(), normed1);
    linear(normed1, weights[0], qkv);
    turn(qkv.value, shape, 1);
    attended.value = attention_reference(attention, qkv.value, attended.gradient).out;
    linear(attended, weights[1], residual);
    add_to(residual.value, x.value);
    norm(residual, weights[4].value.data() + shape.hidden, normed2);
    linear(normed2, weights[2], up);
    activate(up, shape.gated, activated);
    linear(activated, weights[3], y);
    add_to(y.value, residual.value);

    linear_backward(activated, weights[3], y);
    activate_backward(up, shape.gated, activated);
    linear_backward(normed2, weights[2], up);
    residual.gradient = y.gradient;
    norm_backward(residual, weights[4].value.data() + shape.hidden, weights[4].gradient.data() + shape.hidden, normed2);
    linear_backward(attended, weights[1], residual);
    qkv.gradient = attention_reference(attention, qkv.value, attended.gradient).dqkv;
    turn(qkv.gradient, shape, -1);
    linear_backward(normed1, weights[0], qkv);
    x.gradient = residual.gradient;
    norm_backward(x, weights[4].value.data(), weights[4].gradient.data(), normed1);
  }
};

Numbers from_device(const Bf16* data, std::size_t count) {
  std::vector<Bf16> values(count);
  CHECK_CUDA(cudaMemcpy(values.data(), data, count * sizeof(Bf16), cudaMemcpyDeviceToHost));
  Numbers out;
  for (const Bf16 value : values) out.push_back(to_double(value));
  return out;
}

void check_one(const LtHandle& handle, const LayerShape& s, cudaStream_t stream) {
  const std::vector<std::size_t> counts = s.parameter_counts();
  ParameterArena arena(counts, stream);
  const TransformerLayer layer(handle, s, arena, 91, stream);
  const std::size_t tokens = static_cast<std::size_t>(s.tokens()), count = tokens * s.hidden;
  const auto x = random_bf16(count, 92, stream), dy = random_bf16(count, 93, stream);
  const Bf16* y = layer.forward(x.data(), stream);
  const Bf16* dx = layer.backward(x.data(), dy.data(), stream);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  std::vector<Weight> weights;
  for (std::size_t i = 0; i < counts.size(); ++i)
    weights.emplace_back(from_device(layer.parameters()[i].weight, counts[i]));
  HostLayer host(s, std::move(weights), tokens);
  host.x.value = numbers(x);
  host.y.gradient = numbers(dy);
  host.run();
  constexpr double limit = 2e-2;  // every step between rounds to bf16
  const std::string what = std::string("layer check, ") + (s.gated ? "gated, " : "not gated, ");
  require_close(what + "y", from_device(y, count), host.y.value, limit);
  require_close(what + "dx", from_device(dx, count), host.x.gradient, limit);
  const char* const names[] = {"qkv", "attention out", "up", "down", "norms"};
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const Numbers got = from_device(layer.parameters()[i].gradient, counts[i]);
    require_close(what + names[i] + " gradient", got, host.weights[i].gradient, limit);
  }
}

}  // namespace

void check_transformer_layer(const LtHandle& handle, cudaStream_t stream) {
  check_one(handle, {2, 64, 256, 192, 4, 2, 64, true}, stream);
  check_one(handle, {1, 128, 128, 256, 2, 2, 64, false}, stream);
}

}  // namespace clusterwright::probes
