#include "gemm_pool.hpp"

#include <cmath>

namespace clusterwright::probes {
namespace {

constexpr std::size_t gib = std::size_t{1} << 30;

std::size_t share_of_memory(double share, std::size_t most_bytes) {
  const auto bytes = static_cast<std::size_t>(share * static_cast<double>(free_memory_bytes()));
  return std::min(bytes, most_bytes) / 4096 * 4096;
}

/// The transposes that GemmShape's layouts mean, written out for the host.
double reference_element(const GemmShape& s, const std::vector<__nv_bfloat16>& a, const std::vector<__nv_bfloat16>& b, std::int64_t row, std::int64_t column) {
  const bool a_t = s.operands()[0] == 'T', b_t = s.operands()[1] == 'T';
  double sum = 0;
  for (std::int64_t i = 0; i < s.k; ++i) {
    const auto a_at = static_cast<std::size_t>(a_t ? column * s.k + i : i * s.n + column);
    const auto b_at = static_cast<std::size_t>(b_t ? i * s.m + row : row * s.k + i);
    sum += double(__bfloat162float(a[a_at])) * double(__bfloat162float(b[b_at]));
  }
  return sum;
}

void check_one(Context& context, const LtHandle& handle, const GemmShape& shape) {
  const auto a = random_bf16(shape.a_bytes() / 2, 11, context.stream), b = random_bf16(shape.b_bytes() / 2, 12, context.stream);
  DeviceArray<__nv_bfloat16> output(shape.output_bytes() / 2);
  CHECK_CUDA(cudaMemsetAsync(output.data(), 0xff, output.bytes(), context.stream));   // NaN, so that a hole is seen
  LtGemm(handle, shape).enqueue(a.data(), b.data(), output.data(), context.stream);
  CHECK_CUDA(cudaStreamSynchronize(context.stream));
  const auto host_a = a.to_host(), host_b = b.to_host(), got = output.to_host();
  double difference = 0, size = 0;
  for (std::int64_t row = 0; row < shape.m; ++row) {
    for (std::int64_t column = 0; column < shape.n; ++column) {
      const double want = reference_element(shape, host_a, host_b, row, column);
      const double off = double(__bfloat162float(got[static_cast<std::size_t>(row * shape.n + column)])) - want;
      difference += off * off;
      size += want * want;
    }
  }
  const double error = std::sqrt(difference / size);
  if (!(error < 1e-2)) throw SampleFailed(std::string("gemm check, ") + name_of(shape.layout) + ": relative error " + std::to_string(error));
}

}  // namespace

GemmPool::GemmPool(Context& context, DataType type, Contents contents)
    : context_(context), contents_(contents), inputs_(share_of_memory(0.25, 6 * gib)), outputs_(share_of_memory(0.2, 3 * gib)) {
  fill(inputs_.data(), type, inputs_.bytes() / bytes_of(type), contents, context.options.seed, context.stream);
  CHECK_CUDA(cudaMemsetAsync(outputs_.data(), 0, outputs_.bytes(), context.stream));   // fp32 accumulation starts from a number
  CHECK_CUDA(cudaStreamSynchronize(context.stream));
}

Work GemmPool::work(const LtHandle& handle, const std::string& probe, const std::string& origin, const GemmShape& shape) const {
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
  work.launch = [=](cudaStream_t stream, int i) { gemm->enqueue(inputs.at(0, i), inputs.at(1, i), outputs.at(0, i), stream); };
  return work;
}

void check_gemm_layouts(Context& context, const LtHandle& handle) {
  for (const GemmLayout layout : {GemmLayout::forward, GemmLayout::input_gradient, GemmLayout::weight_gradient}) {
    check_one(context, handle, {96, 64, 128, layout, DataType::bf16});
  }
}

}  // namespace clusterwright::probes
