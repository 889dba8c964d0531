// SPDX-License-Identifier: Apache-2.0
#include "gemm_pool.hpp"

#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <algorithm>
#include <cmath>

namespace clusterwright::probes {
namespace {

constexpr std::size_t gib = std::size_t{1} << 30;

std::size_t share_of_memory(double share, std::size_t most_bytes) {
  const auto bytes = static_cast<std::size_t>(share * static_cast<double>(free_memory_bytes()));
  return std::min(bytes, most_bytes) / 4096 * 4096;
}

template <class T>
std::vector<float> floats(const DeviceArray<char>& array) {
  const std::vector<char> bytes = array.to_host();
  std::vector<float> out(bytes.size() / sizeof(T));
  for (std::size_t i = 0; i < out.size(); ++i) {
    T number;
    std::copy_n(bytes.data() + i * sizeof(T), sizeof(T), reinterpret_cast<char*>(&number));
    out[i] = static_cast<float>(number);
  }
  return out;
}

std::vector<float> floats(const DeviceArray<char>& array, DataType type) {
  switch (type) {
    case DataType::bf16:
      return floats<__nv_bfloat16>(array);
    case DataType::fp8_e4m3:
      return floats<__nv_fp8_e4m3>(array);
    case DataType::fp16:
      return floats<__half>(array);
    default:
      return floats<float>(array);
  }
}

DataType output_type(const GemmShape& shape) {
  if (shape.output_element_bytes() == 4) return DataType::fp32;
  return shape.type == DataType::fp16 ? DataType::fp16 : DataType::bf16;
}

/// The transposes that GemmShape's layouts mean, written out for the host.
double reference_element(const GemmShape& s, const std::vector<float>& a, const std::vector<float>& b, std::int64_t row,
                         std::int64_t column) {
  const bool a_t = s.operands()[0] == 'T', b_t = s.operands()[1] == 'T';
  double sum = 0;
  for (std::int64_t i = 0; i < s.k; ++i) {
    const auto a_at = static_cast<std::size_t>(a_t ? column * s.k + i : i * s.n + column);
    const auto b_at = static_cast<std::size_t>(b_t ? i * s.m + row : row * s.k + i);
    sum += double(a[a_at]) * double(b[b_at]);
  }
  return sum;
}

double relative_error(const GemmShape& shape, const std::vector<float>& a, const std::vector<float>& b,
                      const std::vector<float>& got) {
  double difference = 0, size = 0;
  for (std::int64_t row = 0; row < shape.m; ++row) {
    for (std::int64_t column = 0; column < shape.n; ++column) {
      const double want = reference_element(shape, a, b, row, column);
      const double off = double(got[static_cast<std::size_t>(row * shape.n + column)]) - want;
      difference += off * off;
      size += want * want;
    }
  }
  return std::sqrt(difference / size);
}

void check_one(Context& context, const LtHandle& handle, const GemmShape& shape) {
  const DeviceArray<char> a(shape.a_bytes()), b(shape.b_bytes()), output(shape.output_bytes());
  fill(a.data(), shape.type, a.bytes() / bytes_of(shape.type), Contents::random, 11, context.stream);
  fill(b.data(), shape.type, b.bytes() / bytes_of(shape.type), Contents::random, 12, context.stream);
  const int before = shape.accumulate_fp32 ? 0 : 0xff;  // NaN, so that a hole is seen, unless it is added to
  CHECK_CUDA(cudaMemsetAsync(output.data(), before, output.bytes(), context.stream));
  LtGemm(handle, shape).enqueue(a.data(), b.data(), output.data(), context.stream);
  CHECK_CUDA(cudaStreamSynchronize(context.stream));
  const double error =
      relative_error(shape, floats(a, shape.type), floats(b, shape.type), floats(output, output_type(shape)));
  if (error < 1e-2) return;
  throw SampleFailed("gemm check, " + shape.json().text() + ": relative error " + std::to_string(error));
}

}  // namespace

GemmPool::GemmPool(Context& context, DataType type, Contents contents)
    : context_(context),
      contents_(contents),
      inputs_(share_of_memory(0.25, 6 * gib)),
      outputs_(share_of_memory(0.2, 3 * gib)) {
  fill(inputs_.data(), type, inputs_.bytes() / bytes_of(type), contents, context.options.seed, context.stream);
  // What is accumulated in fp32 starts from a number.
  CHECK_CUDA(cudaMemsetAsync(outputs_.data(), 0, outputs_.bytes(), context.stream));
  CHECK_CUDA(cudaStreamSynchronize(context.stream));
}

Work GemmPool::work(const LtHandle& handle, const std::string& probe, const std::string& origin,
                    const GemmShape& shape) const {
  const std::size_t l2_bytes = context_.device.l2_bytes;
  const RotatingBuffers inputs(inputs_.data(), inputs_.bytes(), {shape.a_bytes(), shape.b_bytes()}, l2_bytes);
  const RotatingBuffers outputs(outputs_.data(), outputs_.bytes(), {shape.output_bytes()}, l2_bytes);
  const auto gemm = std::make_shared<LtGemm>(handle, shape);
  Work work;
  work.probe = probe;
  work.what = shape.json();
  work.what.put("origin", origin).put("contents", name_of(contents_)).put("buffer_sets", inputs.sets());
  work.what.put("workspace_bytes", handle.workspace_bytes());
  work.flops = shape.flops();
  work.bytes = shape.bytes();
  work.launch = [=](cudaStream_t stream, int i) {
    gemm->enqueue(inputs.at(0, i), inputs.at(1, i), outputs.at(0, i), stream);
  };
  return work;
}

void check_gemm(Context& context, const LtHandle& handle, DataType type) {
  for (const GemmLayout layout : {GemmLayout::forward, GemmLayout::input_gradient, GemmLayout::weight_gradient}) {
    check_one(context, handle, {96, 64, 128, layout, type});
  }
  if (type != DataType::bf16) return;
  GemmShape added{96, 64, 128, GemmLayout::weight_gradient, type};
  added.accumulate_fp32 = true;
  check_one(context, handle, added);
}

}  // namespace clusterwright::probes
