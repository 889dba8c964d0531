// SPDX-License-Identifier: Apache-2.0
#include "lt_gemm.hpp"

#include <string>

namespace clusterwright::probes {
namespace {

cudaDataType_t operand_type(DataType type) {
  switch (type) {
    case DataType::bf16:
      return CUDA_R_16BF;
    case DataType::fp8_e4m3:
      return CUDA_R_8F_E4M3;
    case DataType::fp16:
      return CUDA_R_16F;
    default:
      return CUDA_R_32F;
  }
}

cudaDataType_t output_type(const GemmShape& shape) {
  if (shape.output_element_bytes() == 4) return CUDA_R_32F;
  return shape.type == DataType::fp16 ? CUDA_R_16F : CUDA_R_16BF;
}

bool a_transposed(const GemmShape& shape) {
  return shape.operands()[0] == 'T';
}
bool b_transposed(const GemmShape& shape) {
  return shape.operands()[1] == 'T';
}

void set_attribute(cublasLtMatmulDesc_t multiply, cublasLtMatmulDescAttributes_t attribute, const void* value,
                   std::size_t bytes) {
  CHECK_LT(cublasLtMatmulDescSetAttribute(multiply, attribute, value, bytes));
}

/// Column-major, packed.
void create_layout(cublasLtMatrixLayout_t* layout, cudaDataType_t type, std::int64_t rows, std::int64_t columns) {
  CHECK_LT(cublasLtMatrixLayoutCreate(layout, type, static_cast<std::uint64_t>(rows),
                                      static_cast<std::uint64_t>(columns), rows));
}

}  // namespace

const char* name_of(GemmLayout layout) {
  if (layout == GemmLayout::forward) return "forward";
  return layout == GemmLayout::input_gradient ? "input_gradient" : "weight_gradient";
}

const char* GemmShape::operands() const {
  if (layout == GemmLayout::forward || type == DataType::fp8_e4m3) return "TN";
  return layout == GemmLayout::input_gradient ? "NN" : "NT";
}

JsonObject GemmShape::json() const {
  JsonObject out;
  out.put("m", m)
      .put("n", n)
      .put("k", k)
      .put("layout", name_of(layout))
      .put("operands", operands())
      .put("dtype", name_of(type));
  out.put("output", output_element_bytes() == 4 ? "fp32" : type == DataType::fp16 ? "fp16" : "bf16");
  if (accumulate_fp32) out.put("accumulate", true);
  if (type == DataType::fp8_e4m3) out.put("scaling", "tensor").put("fast_accumulation", layout == GemmLayout::forward);
  return out;
}

void check_lt(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const std::string text = std::string(call) + ": " + cublasLtGetStatusName(status);
  check(cudaGetLastError(), call);  // a lost device shows here first
  if (status == CUBLAS_STATUS_NOT_SUPPORTED || status == CUBLAS_STATUS_ARCH_MISMATCH) throw NotPossible(text);
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw NotPossible("out of memory: " + text);
  throw SampleFailed(text);
}

LtHandle::LtHandle(std::size_t workspace_bytes) : workspace_(workspace_bytes), unit_scale_(std::vector<float>{1.0f}) {
  CHECK_LT(cublasLtCreate(&handle_));
}

LtGemm::LtGemm(const LtHandle& handle, const GemmShape& shape) : handle_(handle), shape_(shape) {
  try {
    describe();
    choose_algorithm();
  } catch (...) {
    destroy();  // a constructor that throws runs no destructor
    throw;
  }
}

void LtGemm::destroy() {
  if (multiply_ != nullptr) cublasLtMatmulDescDestroy(multiply_);
  for (cublasLtMatrixLayout_t layout : {layout_a_, layout_b_, output_}) {
    if (layout != nullptr) cublasLtMatrixLayoutDestroy(layout);
  }
}

/// Row-major [m, n] is column-major [n, m]: cuBLASLt computes the transpose, with our `a` on the left.
void LtGemm::describe() {
  const bool tf32 = shape_.type == DataType::tf32;
  CHECK_LT(cublasLtMatmulDescCreate(&multiply_, tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F));
  const cublasOperation_t op_a = a_transposed(shape_) ? CUBLAS_OP_T : CUBLAS_OP_N;
  const cublasOperation_t op_b = b_transposed(shape_) ? CUBLAS_OP_T : CUBLAS_OP_N;
  set_attribute(multiply_, CUBLASLT_MATMUL_DESC_TRANSA, &op_a, sizeof op_a);
  set_attribute(multiply_, CUBLASLT_MATMUL_DESC_TRANSB, &op_b, sizeof op_b);
  if (shape_.type == DataType::fp8_e4m3) set_scales();
  const cudaDataType_t type = operand_type(shape_.type);
  create_layout(&layout_a_, type, a_transposed(shape_) ? shape_.k : shape_.n,
                a_transposed(shape_) ? shape_.n : shape_.k);
  create_layout(&layout_b_, type, b_transposed(shape_) ? shape_.m : shape_.k,
                b_transposed(shape_) ? shape_.k : shape_.m);
  create_layout(&output_, output_type(shape_), shape_.n, shape_.m);
}

void LtGemm::set_scales() {
  const float* scale = handle_.unit_scale();
  set_attribute(multiply_, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &scale, sizeof scale);
  set_attribute(multiply_, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &scale, sizeof scale);
  // As Transformer Engine: fast accumulation forward, the split accumulator for gradients.
  const std::int8_t fast = shape_.layout == GemmLayout::forward ? 1 : 0;
  set_attribute(multiply_, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &fast, sizeof fast);
}

void LtGemm::choose_algorithm() {
  cublasLtMatmulPreference_t preference = nullptr;
  CHECK_LT(cublasLtMatmulPreferenceCreate(&preference));
  const std::size_t workspace = handle_.workspace_bytes();
  cublasLtMatmulHeuristicResult_t result{};
  int found = 0;
  cublasStatus_t status = cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                               &workspace, sizeof workspace);
  if (status == CUBLAS_STATUS_SUCCESS) {
    status = cublasLtMatmulAlgoGetHeuristic(handle_.get(), multiply_, layout_a_, layout_b_, output_, output_,
                                            preference, 1, &result, &found);
  }
  cublasLtMatmulPreferenceDestroy(preference);
  check_lt(status, "cublasLtMatmulAlgoGetHeuristic");
  if (found == 0) throw NotPossible("cuBLASLt has no algorithm for this shape and type");
  algorithm_ = result.algo;
}

void LtGemm::enqueue(const void* a, const void* b, void* output, cudaStream_t stream) const {
  const float alpha = 1, beta = shape_.accumulate_fp32 ? 1 : 0;
  CHECK_LT(cublasLtMatmul(handle_.get(), multiply_, &alpha, a, layout_a_, b, layout_b_, &beta, output, output_, output,
                          output_, &algorithm_, handle_.workspace(), handle_.workspace_bytes(), stream));
}

}  // namespace clusterwright::probes
