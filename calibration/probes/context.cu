// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"

#include <new>

namespace clusterwright::probes {
namespace {

constexpr double write_interval_s = 10;  // a run that is killed loses at most this much

}  // namespace

bool run_task(Context& context, const std::string& probe, const Task& task) {
  context.watchdog.set_activity(probe, task.what);
  try {
    task.run();
    CHECK_CUDA(cudaStreamSynchronize(context.stream));
    return true;
  } catch (const NotPossible& reason) {
    context.report.skip(probe, task.what, reason.what());
  } catch (const std::bad_alloc&) {
    context.report.skip(probe, task.what, "out of memory: host");
  } catch (const DeviceLost& loss) {
    context.report.error(probe, task.what, loss.what());
    throw;
  } catch (const std::exception& failure) {
    context.report.error(probe, task.what, failure.what());
  }
  return false;
}

bool run_tasks(Context& context, const std::string& probe, const std::vector<Task>& tasks) {
  double written_s = context.watchdog.elapsed_s();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (context.out_of_time()) {
      const std::string left = std::to_string(tasks.size() - i) + " tasks from \"" + tasks[i].what + "\" on";
      context.report.skip(probe, left, "time limit: the probe's share of --minutes is used");
      context.cut_short = true;
      return false;
    }
    run_task(context, probe, tasks[i]);
    if (context.watchdog.elapsed_s() - written_s > write_interval_s) {
      context.report.checkpoint();
      written_s = context.watchdog.elapsed_s();
    }
  }
  return true;
}

std::size_t free_memory_bytes() {
  std::size_t free_bytes = 0, total_bytes = 0;
  CHECK_CUDA(cudaMemGetInfo(&free_bytes, &total_bytes));
  return free_bytes;
}

}  // namespace clusterwright::probes
