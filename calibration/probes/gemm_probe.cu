// SPDX-License-Identifier: Apache-2.0
// Matrix multiplies: real layers first, then a log grid and edges; each data type in its own pool of random operands.

#include "gemm_pool.hpp"
#include "gemm_shapes.hpp"
#include "probes.hpp"

namespace clusterwright::probes {
namespace {

constexpr double burst_ms = 20, sustained_s = 2.5;
const char* const probe_name = "gemm";

enum class Mode { burst, sustained };

struct Plan {
  Context& context;
  const LtHandle& handle;
  const GemmPool& pool;
};

std::vector<Task> tasks_for(const Plan& plan, const std::vector<GemmCase>& cases, Mode mode) {
  std::vector<Task> tasks;
  for (const GemmCase& gemm : cases) {
    const std::string what = gemm.origin + " " + gemm.shape.json().text();
    tasks.push_back({what, [plan, gemm, mode] {
                       const Work work = plan.pool.work(plan.handle, probe_name, gemm.origin, gemm.shape);
                       if (mode == Mode::burst) {
                         measure_burst(plan.context, work, burst_ms);
                       } else {
                         measure_sustained(plan.context, work, sustained_s);
                       }
                     }});
  }
  return tasks;
}

bool needs_newer_gpu(const Context& context, DataType type) {
  return type == DataType::fp8_e4m3 && context.device.compute_capability < 89;
}

void run_type(Context& context, const LtHandle& handle, DataType type) {
  if (needs_newer_gpu(context, type)) {
    context.report.skip(probe_name, name_of(type), "needs compute capability 8.9 or newer");
    return;
  }
  const bool full = context.options.full, main_type = type == DataType::bf16 || type == DataType::fp8_e4m3;
  check_gemm(context, handle, type);
  const GemmPool pool(context, type, Contents::random);
  const Plan plan{context, handle, pool};
  const auto run = [&](const std::vector<GemmCase>& cases, Mode mode) {
    return run_tasks(context, probe_name, tasks_for(plan, cases, mode));
  };
  if (main_type) {
    if (!run(layer_gemms(type, full), Mode::burst)) return;
    if (!run(sustained_gemms(type, full), Mode::sustained)) return;
    if (!run(edge_gemms(type, context.device.multiprocessors, full), Mode::burst)) return;
  }
  if (!run(grid_gemms(type, full && main_type), Mode::burst)) return;
  if (!main_type && full) run(sustained_gemms(type, false), Mode::sustained);
}

}  // namespace

void probe_gemm(Context& context) {
  const LtHandle handle;
  for (const DataType type : {DataType::bf16, DataType::fp8_e4m3, DataType::fp16, DataType::tf32}) {
    run_tasks(context, probe_name, {{name_of(type), [&] { run_type(context, handle, type); }}});
  }
}

}  // namespace clusterwright::probes
