// SPDX-License-Identifier: Apache-2.0
#include "cudnn_graph.hpp"

namespace clusterwright::probes {
namespace {

constexpr cudnn::Attribute no_flag = static_cast<cudnn::Attribute>(-1);

}  // namespace

CudnnDescriptor& CudnnGraph::keep(cudnn::Kind kind, const char* name) {
  kept_.emplace_back(kind, name);
  return kept_.back();
}

CudnnGraph::Sizes CudnnGraph::packed(const Sizes& sizes) {
  return {sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3], 1};
}

CudnnGraph::Tensor CudnnGraph::tensor(const Sizes& sizes, const Sizes& strides, cudnn::DataType type,
                                      cudnn::Attribute flag, void* pointer) {
  CudnnDescriptor& made = keep(cudnn::kind_tensor, "a tensor");
  const std::int64_t id = ++tensors_;
  made.set(cudnn::tensor_data_type, cudnn::type_data_type, type);
  made.set_numbers(cudnn::tensor_dimensions, {sizes.begin(), sizes.end()});
  made.set_numbers(cudnn::tensor_strides, {strides.begin(), strides.end()});
  made.set_numbers(cudnn::tensor_byte_alignment, {16});
  made.set_numbers(cudnn::tensor_unique_id, {id});
  if (flag != no_flag) made.set_true(flag);
  made.finalize();
  if (pointer != nullptr) {
    ids_.push_back(id);
    pointers_.push_back(pointer);
  }
  return {made.get(), sizes};
}

CudnnGraph::Tensor CudnnGraph::memory(const Sizes& sizes, const Sizes& strides, cudnn::DataType type,
                                      const void* pointer) {
  return tensor(sizes, strides, type, no_flag, const_cast<void*>(pointer));
}

CudnnGraph::Tensor CudnnGraph::value(float x) {
  values_.push_back(x);
  return tensor({1, 1, 1, 1}, {1, 1, 1, 1}, cudnn::fp32, cudnn::tensor_is_by_value, &values_.back());
}

CudnnGraph::Tensor CudnnGraph::result(const Sizes& sizes, cudnn::DataType type) {
  return tensor(sizes, packed(sizes), type, cudnn::tensor_is_virtual, nullptr);
}

void CudnnGraph::add(CudnnDescriptor& operation) {
  operation.finalize();
  operations_.push_back(operation.get());
}

CudnnDescriptor& CudnnGraph::pointwise_operation(cudnn::Pointwise mode, Tensor x, Tensor y, int axis) {
  CudnnDescriptor& how = keep(cudnn::kind_pointwise, "a pointwise mode");
  how.set(cudnn::pointwise_mode, cudnn::type_pointwise_mode, mode);
  how.set(cudnn::pointwise_math_prec, cudnn::type_data_type, cudnn::fp32);
  if (axis >= 0) how.set_numbers(cudnn::pointwise_axis, {axis});
  how.finalize();
  CudnnDescriptor& operation = keep(cudnn::kind_operation_pointwise, "a pointwise operation");
  operation.set(cudnn::operation_pointwise_descriptor, {how.get()});
  operation.set(cudnn::operation_pointwise_x, {x.descriptor});
  operation.set(cudnn::operation_pointwise_y, {y.descriptor});
  return operation;
}

void CudnnGraph::pointwise_to(Tensor y, cudnn::Pointwise mode, Tensor x, const Tensor* b) {
  CudnnDescriptor& operation = pointwise_operation(mode, x, y);
  if (b != nullptr) operation.set(cudnn::operation_pointwise_b, {b->descriptor});
  add(operation);
}

CudnnGraph::Tensor CudnnGraph::pointwise(cudnn::Pointwise mode, Tensor x, cudnn::DataType type) {
  const Tensor y = result(x.sizes, type);
  pointwise_to(y, mode, x);
  return y;
}

CudnnGraph::Tensor CudnnGraph::pointwise(cudnn::Pointwise mode, Tensor x, Tensor b, cudnn::DataType type) {
  const Tensor y = result(x.sizes, type);
  pointwise_to(y, mode, x, &b);
  return y;
}

CudnnGraph::Tensor CudnnGraph::index(Tensor x, int axis) {
  const Tensor y = result(x.sizes, cudnn::int32);
  add(pointwise_operation(cudnn::index_along, x, y, axis));
  return y;
}

CudnnGraph::Tensor CudnnGraph::select(Tensor where, Tensor x, Tensor otherwise) {
  const Tensor y = result(x.sizes, cudnn::fp32);
  CudnnDescriptor& operation = pointwise_operation(cudnn::select, x, y);
  operation.set(cudnn::operation_pointwise_b, {otherwise.descriptor});
  operation.set(cudnn::operation_pointwise_t, {where.descriptor});
  add(operation);
  return y;
}

void CudnnGraph::multiply_to(Tensor c, Tensor a, Tensor b) {
  CudnnDescriptor& how = keep(cudnn::kind_matmul, "a multiply's type");
  how.set(cudnn::matmul_comp_type, cudnn::type_data_type, cudnn::fp32);
  how.finalize();
  CudnnDescriptor& operation = keep(cudnn::kind_operation_matmul, "a multiply");
  operation.set(cudnn::operation_matmul_descriptor, {how.get()});
  operation.set(cudnn::operation_matmul_a, {a.descriptor});
  operation.set(cudnn::operation_matmul_b, {b.descriptor});
  operation.set(cudnn::operation_matmul_c, {c.descriptor});
  add(operation);
}

CudnnGraph::Tensor CudnnGraph::multiply(Tensor a, Tensor b, cudnn::DataType type) {
  const Tensor c = result({a.sizes[0], a.sizes[1], a.sizes[2], b.sizes[3]}, type);
  multiply_to(c, a, b);
  return c;
}

void CudnnGraph::reduce_to(Tensor y, cudnn::Reduction mode, Tensor x) {
  CudnnDescriptor& how = keep(cudnn::kind_reduction, "a reduction's type");
  how.set(cudnn::reduction_operator, cudnn::type_reduction_operator, mode);
  how.set(cudnn::reduction_comp_type, cudnn::type_data_type, cudnn::fp32);
  how.finalize();
  CudnnDescriptor& operation = keep(cudnn::kind_operation_reduction, "a reduction");
  operation.set(cudnn::operation_reduction_descriptor, {how.get()});
  operation.set(cudnn::operation_reduction_x, {x.descriptor});
  operation.set(cudnn::operation_reduction_y, {y.descriptor});
  add(operation);
}

CudnnGraph::Tensor CudnnGraph::reduce(cudnn::Reduction mode, Tensor x) {
  const Tensor y = result({x.sizes[0], x.sizes[1], x.sizes[2], 1}, cudnn::fp32);
  reduce_to(y, mode, x);
  return y;
}

CudnnGraph::Tensor CudnnGraph::transpose(Tensor x, const Sizes& strides) {
  const Sizes sizes{x.sizes[0], x.sizes[1], x.sizes[3], x.sizes[2]};
  const Tensor y = tensor(sizes, strides, cudnn::bf16, cudnn::tensor_is_virtual, nullptr);
  CudnnDescriptor& operation = keep(cudnn::kind_operation_reshape, "a transposition");
  operation.set(cudnn::operation_reshape_x, {x.descriptor});
  operation.set(cudnn::operation_reshape_y, {y.descriptor});
  add(operation);
  return y;
}

bool CudnnGraph::plan_of(void* engine_config, std::string& refusal) {
  try {
    auto plan = std::make_unique<CudnnDescriptor>(cudnn::kind_plan, "an execution plan");
    plan->set(cudnn::plan_handle, {handle_}, cudnn::type_handle);
    plan->set(cudnn::plan_engine_config, {engine_config});
    plan->finalize();
    plan_ = std::move(plan);
    return true;
  } catch (const NotPossible& reason) {
    refusal = reason.what();
    return false;
  }
}

bool CudnnGraph::plan_by(cudnn::Heuristics mode, void* graph, std::string& refusal) {
  const Cudnn& library = Cudnn::library();
  CudnnDescriptor& asked = keep(cudnn::kind_heuristics, "engine heuristics");
  asked.set(cudnn::heuristics_graph, {graph});
  asked.set(cudnn::heuristics_mode, cudnn::type_heuristic_mode, mode);
  asked.finalize();
  const auto results = [&](std::int64_t room, void* into) {
    std::int64_t count = 0;
    library.check(
        library.get_attribute(asked.get(), cudnn::heuristics_results, cudnn::type_descriptor, room, &count, into),
        "cudnnBackendGetAttribute of engine heuristics");
    return count;
  };
  std::vector<void*> configs;
  for (std::int64_t left = results(0, nullptr); left > 0; --left)
    configs.push_back(keep(cudnn::kind_engine_config, "an engine configuration").get());
  const std::int64_t found = configs.empty() ? 0 : results(static_cast<std::int64_t>(configs.size()), configs.data());
  for (std::int64_t i = 0; i < found; ++i) {
    if (plan_of(configs[static_cast<std::size_t>(i)], refusal)) return true;
  }
  return false;
}

void CudnnGraph::pack() {
  const Cudnn& library = Cudnn::library();
  std::int64_t bytes = 0, count = 0;
  library.check(library.get_attribute(plan_->get(), cudnn::plan_workspace_size, cudnn::type_int64, 1, &count, &bytes),
                "cudnnBackendGetAttribute of the workspace's size");
  workspace_ = DeviceArray<unsigned char>(static_cast<std::size_t>(bytes));
  pack_ = std::make_unique<CudnnDescriptor>(cudnn::kind_variant_pack, "a variant pack");
  pack_->set_numbers(cudnn::pack_unique_ids, ids_);
  pack_->set(cudnn::pack_pointers, pointers_, cudnn::type_void_ptr);
  pack_->set(cudnn::pack_workspace, {workspace_.data()}, cudnn::type_void_ptr);
  pack_->finalize();
}

void CudnnGraph::build() {
  CudnnDescriptor& graph = keep(cudnn::kind_graph, "the operation graph");
  graph.set(cudnn::graph_handle, {handle_}, cudnn::type_handle);
  graph.set(cudnn::graph_operations, operations_);
  graph.finalize();
  std::string refusal = "cudnnBackendGetAttribute of engine heuristics: no engine takes this graph";
  if (!plan_by(cudnn::mode_a, graph.get(), refusal) && !plan_by(cudnn::fallback, graph.get(), refusal))
    throw NotPossible(refusal);
  pack();
}

void CudnnGraph::execute(cudaStream_t stream) const {
  const Cudnn& library = Cudnn::library();
  library.check(library.set_stream(handle_, stream), "cudnnSetStream");
  library.check(library.execute(handle_, plan_->get(), pack_->get()), "cudnnBackendExecute");
}

}  // namespace clusterwright::probes
