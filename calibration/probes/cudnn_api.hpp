// SPDX-License-Identifier: Apache-2.0
#pragma once
// cuDNN's graph API through dlopen with our own prototypes and numbers, so that neither its headers nor the library are
// needed to build. Where the headers are, the numbers are compared with them (cudnn_api.cu).

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace clusterwright::probes {

namespace cudnn {  // names as cuDNN's, without CUDNN_

enum Kind {
  kind_pointwise = 0,
  kind_engine_config = 3,
  kind_heuristics = 4,
  kind_plan = 5,
  kind_operation_pointwise = 13,
  kind_graph = 15,
  kind_variant_pack = 16,
  kind_tensor = 17,
  kind_matmul = 18,
  kind_operation_matmul = 19,
  kind_reduction = 21,
  kind_operation_reduction = 22,
  kind_operation_reshape = 31
};

enum Attribute {
  pointwise_mode = 0,
  pointwise_math_prec = 1,
  pointwise_axis = 9,
  heuristics_mode = 200,
  heuristics_graph = 201,
  heuristics_results = 202,
  plan_handle = 400,
  plan_engine_config = 401,
  plan_workspace_size = 402,
  operation_pointwise_descriptor = 750,
  operation_pointwise_x = 751,
  operation_pointwise_b = 752,
  operation_pointwise_y = 753,
  operation_pointwise_t = 758,
  graph_handle = 800,
  graph_operations = 801,
  tensor_byte_alignment = 900,
  tensor_data_type = 901,
  tensor_dimensions = 902,
  tensor_strides = 903,
  tensor_unique_id = 906,
  tensor_is_virtual = 907,
  tensor_is_by_value = 908,
  pack_unique_ids = 1000,
  pack_pointers = 1001,
  pack_workspace = 1003,
  matmul_comp_type = 1500,
  operation_matmul_a = 1520,
  operation_matmul_b = 1521,
  operation_matmul_c = 1522,
  operation_matmul_descriptor = 1523,
  reduction_operator = 1600,
  reduction_comp_type = 1601,
  operation_reduction_x = 1610,
  operation_reduction_y = 1611,
  operation_reduction_descriptor = 1612,
  operation_reshape_x = 2200,
  operation_reshape_y = 2201
};

enum Type {
  type_handle = 0,
  type_data_type = 1,
  type_boolean = 2,
  type_int64 = 3,
  type_void_ptr = 6,
  type_heuristic_mode = 8,
  type_pointwise_mode = 14,
  type_descriptor = 15,
  type_reduction_operator = 18
};

enum DataType { fp32 = 0, int32 = 4, bf16 = 9, boolean = 11 };
enum Pointwise {
  add = 0,
  multiply = 1,
  divide = 6,
  subtract = 9,
  exponential = 13,
  logarithm = 15,
  identity = 21,
  greater_equal = 303,
  index_along = 501,
  select = 601
};
enum Reduction { sum = 0, largest = 3 };
enum Heuristics { fallback = 2, mode_a = 3 };

}  // namespace cudnn

class Cudnn {
 public:
  /// The library, opened once and never closed.
  /// @throws NotPossible when it is not there or too old
  static const Cudnn& library();

  std::size_t version() const { return version_(); }  // 91900 for 9.19.0
  /// @throws NotPossible with the call and what cuDNN says of it
  void check(int status, const std::string& call) const;

  int (*create)(void** handle) = nullptr;
  int (*destroy)(void* handle) = nullptr;
  int (*set_stream)(void* handle, cudaStream_t stream) = nullptr;
  int (*create_descriptor)(int kind, void** descriptor) = nullptr;
  int (*destroy_descriptor)(void* descriptor) = nullptr;
  int (*set_attribute)(void*, int attribute, int type, std::int64_t count, const void* values) = nullptr;
  int (*get_attribute)(void*, int attribute, int type, std::int64_t asked, std::int64_t* count, void*) = nullptr;
  int (*finalize)(void* descriptor) = nullptr;
  int (*execute)(void* handle, void* plan, void* variant_pack) = nullptr;

 private:
  Cudnn();
  template <class Function>
  void load(Function*& function, const char* name);

  void* library_ = nullptr;
  std::size_t (*version_)() = nullptr;
  const char* (*error_text_)(int) = nullptr;
  void (*last_error_)(char*, std::size_t) = nullptr;
};

class CudnnHandle {
 public:
  CudnnHandle() { Cudnn::library().check(Cudnn::library().create(&handle_), "cudnnCreate"); }
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;
  ~CudnnHandle() { Cudnn::library().destroy(handle_); }
  void* get() const { return handle_; }

 private:
  void* handle_ = nullptr;
};

class CudnnDescriptor {
 public:
  /// `name` is for messages.
  CudnnDescriptor(cudnn::Kind kind, std::string name);
  CudnnDescriptor(CudnnDescriptor&& other) noexcept : descriptor_(other.descriptor_), name_(std::move(other.name_)) {
    other.descriptor_ = nullptr;
  }
  CudnnDescriptor& operator=(const CudnnDescriptor&) = delete;
  ~CudnnDescriptor();

  void* get() const { return descriptor_; }
  void set(cudnn::Attribute attribute, cudnn::Type type, std::int64_t count, const void* values);
  void set(cudnn::Attribute attribute, cudnn::Type type, int value) { set(attribute, type, 1, &value); }
  void set_numbers(cudnn::Attribute attribute, const std::vector<std::int64_t>& values);
  void set(cudnn::Attribute attribute, const std::vector<void*>& values, cudnn::Type type = cudnn::type_descriptor);
  void set_true(cudnn::Attribute attribute);
  void finalize();

 private:
  void* descriptor_ = nullptr;
  std::string name_;
};

}  // namespace clusterwright::probes
