// SPDX-License-Identifier: Apache-2.0
#include "cudnn_api.hpp"

#include <dlfcn.h>

#include "status.hpp"

#if defined(__has_include)
#if __has_include(<cudnn_graph.h>)
#include <cudnn_graph.h>
#define CLUSTERWRIGHT_CUDNN_HEADERS
#endif
#endif

namespace clusterwright::probes {

#if defined(CLUSTERWRIGHT_CUDNN_HEADERS)
#define SAME(own, theirs) static_assert(static_cast<int>(cudnn::own) == static_cast<int>(theirs), #theirs)
SAME(kind_pointwise, CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
SAME(kind_engine_config, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
SAME(kind_heuristics, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
SAME(kind_plan, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
SAME(kind_operation_pointwise, CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
SAME(kind_graph, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
SAME(kind_variant_pack, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
SAME(kind_tensor, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
SAME(kind_matmul, CUDNN_BACKEND_MATMUL_DESCRIPTOR);
SAME(kind_operation_matmul, CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR);
SAME(kind_reduction, CUDNN_BACKEND_REDUCTION_DESCRIPTOR);
SAME(kind_operation_reduction, CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR);
SAME(kind_operation_reshape, CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR);
SAME(pointwise_mode, CUDNN_ATTR_POINTWISE_MODE);
SAME(pointwise_math_prec, CUDNN_ATTR_POINTWISE_MATH_PREC);
SAME(pointwise_axis, CUDNN_ATTR_POINTWISE_AXIS);
SAME(heuristics_mode, CUDNN_ATTR_ENGINEHEUR_MODE);
SAME(heuristics_graph, CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH);
SAME(heuristics_results, CUDNN_ATTR_ENGINEHEUR_RESULTS);
SAME(plan_handle, CUDNN_ATTR_EXECUTION_PLAN_HANDLE);
SAME(plan_engine_config, CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG);
SAME(plan_workspace_size, CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE);
SAME(operation_pointwise_descriptor, CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR);
SAME(operation_pointwise_x, CUDNN_ATTR_OPERATION_POINTWISE_XDESC);
SAME(operation_pointwise_b, CUDNN_ATTR_OPERATION_POINTWISE_BDESC);
SAME(operation_pointwise_y, CUDNN_ATTR_OPERATION_POINTWISE_YDESC);
SAME(operation_pointwise_t, CUDNN_ATTR_OPERATION_POINTWISE_TDESC);
SAME(graph_handle, CUDNN_ATTR_OPERATIONGRAPH_HANDLE);
SAME(graph_operations, CUDNN_ATTR_OPERATIONGRAPH_OPS);
SAME(tensor_byte_alignment, CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
SAME(tensor_data_type, CUDNN_ATTR_TENSOR_DATA_TYPE);
SAME(tensor_dimensions, CUDNN_ATTR_TENSOR_DIMENSIONS);
SAME(tensor_strides, CUDNN_ATTR_TENSOR_STRIDES);
SAME(tensor_unique_id, CUDNN_ATTR_TENSOR_UNIQUE_ID);
SAME(tensor_is_virtual, CUDNN_ATTR_TENSOR_IS_VIRTUAL);
SAME(tensor_is_by_value, CUDNN_ATTR_TENSOR_IS_BY_VALUE);
SAME(pack_unique_ids, CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
SAME(pack_pointers, CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
SAME(pack_workspace, CUDNN_ATTR_VARIANT_PACK_WORKSPACE);
SAME(matmul_comp_type, CUDNN_ATTR_MATMUL_COMP_TYPE);
SAME(operation_matmul_a, CUDNN_ATTR_OPERATION_MATMUL_ADESC);
SAME(operation_matmul_b, CUDNN_ATTR_OPERATION_MATMUL_BDESC);
SAME(operation_matmul_c, CUDNN_ATTR_OPERATION_MATMUL_CDESC);
SAME(operation_matmul_descriptor, CUDNN_ATTR_OPERATION_MATMUL_DESC);
SAME(reduction_operator, CUDNN_ATTR_REDUCTION_OPERATOR);
SAME(reduction_comp_type, CUDNN_ATTR_REDUCTION_COMP_TYPE);
SAME(operation_reduction_x, CUDNN_ATTR_OPERATION_REDUCTION_XDESC);
SAME(operation_reduction_y, CUDNN_ATTR_OPERATION_REDUCTION_YDESC);
SAME(operation_reduction_descriptor, CUDNN_ATTR_OPERATION_REDUCTION_DESC);
SAME(operation_reshape_x, CUDNN_ATTR_OPERATION_RESHAPE_XDESC);
SAME(operation_reshape_y, CUDNN_ATTR_OPERATION_RESHAPE_YDESC);
SAME(type_handle, CUDNN_TYPE_HANDLE);
SAME(type_data_type, CUDNN_TYPE_DATA_TYPE);
SAME(type_boolean, CUDNN_TYPE_BOOLEAN);
SAME(type_int64, CUDNN_TYPE_INT64);
SAME(type_void_ptr, CUDNN_TYPE_VOID_PTR);
SAME(type_heuristic_mode, CUDNN_TYPE_HEUR_MODE);
SAME(type_pointwise_mode, CUDNN_TYPE_POINTWISE_MODE);
SAME(type_descriptor, CUDNN_TYPE_BACKEND_DESCRIPTOR);
SAME(type_reduction_operator, CUDNN_TYPE_REDUCTION_OPERATOR_TYPE);
SAME(fp32, CUDNN_DATA_FLOAT);
SAME(int32, CUDNN_DATA_INT32);
SAME(bf16, CUDNN_DATA_BFLOAT16);
SAME(boolean, CUDNN_DATA_BOOLEAN);
SAME(add, CUDNN_POINTWISE_ADD);
SAME(multiply, CUDNN_POINTWISE_MUL);
SAME(divide, CUDNN_POINTWISE_DIV);
SAME(subtract, CUDNN_POINTWISE_SUB);
SAME(exponential, CUDNN_POINTWISE_EXP);
SAME(logarithm, CUDNN_POINTWISE_LOG);
SAME(identity, CUDNN_POINTWISE_IDENTITY);
SAME(greater_equal, CUDNN_POINTWISE_CMP_GE);
SAME(index_along, CUDNN_POINTWISE_GEN_INDEX);
SAME(select, CUDNN_POINTWISE_BINARY_SELECT);
SAME(sum, CUDNN_REDUCE_TENSOR_ADD);
SAME(largest, CUDNN_REDUCE_TENSOR_MAX);
SAME(fallback, CUDNN_HEUR_MODE_FALLBACK);
SAME(mode_a, CUDNN_HEUR_MODE_A);
#undef SAME
#endif

template <class Function>
void Cudnn::load(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(dlsym(library_, name));
  if (function == nullptr) throw NotPossible(std::string("libcudnn lacks ") + name);
}

Cudnn::Cudnn() {
  for (const char* name : {"libcudnn.so.9", "libcudnn.so"}) {
    if (library_ == nullptr) library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (library_ == nullptr) throw NotPossible("libcudnn.so.9 not found (put its folder on LD_LIBRARY_PATH)");
  load(version_, "cudnnGetVersion");
  constexpr std::size_t oldest = 90600;  // before, the fp32 sums of dq had to be cleared by the caller
  if (version_() < oldest) throw NotPossible("cuDNN " + std::to_string(version_()) + " is older than 9.6");
  load(error_text_, "cudnnGetErrorString");
  load(last_error_, "cudnnGetLastErrorString");
  load(create, "cudnnCreate");
  load(destroy, "cudnnDestroy");
  load(set_stream, "cudnnSetStream");
  load(create_descriptor, "cudnnBackendCreateDescriptor");
  load(destroy_descriptor, "cudnnBackendDestroyDescriptor");
  load(set_attribute, "cudnnBackendSetAttribute");
  load(get_attribute, "cudnnBackendGetAttribute");
  load(finalize, "cudnnBackendFinalize");
  load(execute, "cudnnBackendExecute");
}

const Cudnn& Cudnn::library() {
  static const Cudnn* const cudnn = new Cudnn;  // like NCCL's, never closed
  return *cudnn;
}

void Cudnn::check(int status, const std::string& call) const {
  if (status == 0) return;
  char detail[512] = "";
  last_error_(detail, sizeof detail);
  cudaGetLastError();  // what cuDNN tried in vain is no error of the next launch
  throw NotPossible(call + ": " + error_text_(status) + (detail[0] == '\0' ? "" : std::string(", ") + detail));
}

CudnnDescriptor::CudnnDescriptor(cudnn::Kind kind, std::string name) : name_(std::move(name)) {
  const Cudnn& library = Cudnn::library();
  library.check(library.create_descriptor(kind, &descriptor_), "cudnnBackendCreateDescriptor of " + name_);
}

CudnnDescriptor::~CudnnDescriptor() {
  if (descriptor_ != nullptr) Cudnn::library().destroy_descriptor(descriptor_);
}

void CudnnDescriptor::set(cudnn::Attribute attribute, cudnn::Type type, std::int64_t count, const void* values) {
  const std::string call = "cudnnBackendSetAttribute " + std::to_string(attribute) + " of " + name_;
  const Cudnn& library = Cudnn::library();
  library.check(library.set_attribute(descriptor_, attribute, type, count, values), call);
}

void CudnnDescriptor::set_numbers(cudnn::Attribute attribute, const std::vector<std::int64_t>& values) {
  set(attribute, cudnn::type_int64, static_cast<std::int64_t>(values.size()), values.data());
}

void CudnnDescriptor::set(cudnn::Attribute attribute, const std::vector<void*>& values, cudnn::Type type) {
  set(attribute, type, static_cast<std::int64_t>(values.size()), values.data());
}

void CudnnDescriptor::set_true(cudnn::Attribute attribute) {
  const bool yes = true;
  set(attribute, cudnn::type_boolean, 1, &yes);
}

void CudnnDescriptor::finalize() {
  const Cudnn& library = Cudnn::library();
  library.check(library.finalize(descriptor_), "cudnnBackendFinalize of " + name_);
}

}  // namespace clusterwright::probes
