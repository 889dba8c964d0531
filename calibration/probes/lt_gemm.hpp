// SPDX-License-Identifier: Apache-2.0
#pragma once
// One matrix multiply by cuBLASLt as frameworks ask for it: the heuristic's first answer, 32 MiB of workspace.

#include <cublasLt.h>

#include <cstdint>

#include "fill.hpp"
#include "json.hpp"

namespace clusterwright::probes {

/// The three multiplies of a linear layer y = x W^T with row-major x [tokens, in], W [out, in], y [tokens, out].
enum class GemmLayout {
  forward,          // y  [tokens, out] = x W^T       "TN"
  input_gradient,   // dx [tokens, in]  = dy W        "NN"
  weight_gradient,  // dW [out, in]     = dy^T x      "NT"
};

const char* name_of(GemmLayout layout);

/// Row-major output [m, n], summed over k. Every sample states the shape of the multiply itself, not of the layer.
struct GemmShape {
  std::int64_t m, n, k;
  GemmLayout layout;
  DataType type;
  bool accumulate_fp32 = false;  // weight gradient added to an fp32 buffer, as Megatron does

  double flops() const { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); }
  std::size_t a_bytes() const {
    return static_cast<std::size_t>(n * k) * bytes_of(type);
  }  // the operand that spans n: W, W or x
  std::size_t b_bytes() const {
    return static_cast<std::size_t>(m * k) * bytes_of(type);
  }  // the operand that spans m: x, dy or dy
  std::size_t output_bytes() const { return static_cast<std::size_t>(m * n) * output_element_bytes(); }
  std::size_t output_element_bytes() const { return accumulate_fp32 || bytes_of(type) == 4 ? 4 : 2; }
  double bytes() const {
    return static_cast<double>(a_bytes() + b_bytes() + output_bytes() * (accumulate_fp32 ? 2 : 1));
  }
  /// fp8 exists only as TN before sm_100; frameworks transpose while they quantise, and so do we.
  const char* operands() const;
  JsonObject json() const;
};

void check_lt(cublasStatus_t status, const char* call);

class LtHandle {
 public:
  explicit LtHandle(std::size_t workspace_bytes = std::size_t{32} << 20);
  LtHandle(const LtHandle&) = delete;
  LtHandle& operator=(const LtHandle&) = delete;
  ~LtHandle() { cublasLtDestroy(handle_); }

  cublasLtHandle_t get() const { return handle_; }
  void* workspace() const { return workspace_.data(); }
  std::size_t workspace_bytes() const { return workspace_.bytes(); }
  const float* unit_scale() const { return unit_scale_.data(); }

 private:
  cublasLtHandle_t handle_ = nullptr;
  DeviceArray<char> workspace_;
  DeviceArray<float> unit_scale_;  // the tensor-wise scale of fp8 operands
};

class LtGemm {
 public:
  /// @throws NotPossible when cuBLASLt has no algorithm for the shape on this GPU
  LtGemm(const LtHandle& handle, const GemmShape& shape);
  LtGemm(const LtGemm&) = delete;
  LtGemm& operator=(const LtGemm&) = delete;
  ~LtGemm() { destroy(); }

  /// a spans n and b spans m, see GemmShape.
  void enqueue(const void* a, const void* b, void* output, cudaStream_t stream) const;

 private:
  void describe();
  void destroy();
  void choose_algorithm();
  void set_scales();

  const LtHandle& handle_;
  GemmShape shape_;
  cublasLtMatmulDesc_t multiply_ = nullptr;
  cublasLtMatrixLayout_t layout_a_ = nullptr, layout_b_ = nullptr, output_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
};

}  // namespace clusterwright::probes

#define CHECK_LT(call) ::clusterwright::probes::check_lt((call), #call)
