// SPDX-License-Identifier: Apache-2.0
#include "sim/parallel_points.hpp"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <exception>

namespace clusterwright {

void for_each_point(const std::vector<std::size_t>& order, const std::function<void(std::size_t)>& compute) {
  std::vector<std::exception_ptr> errors(order.size());
  std::atomic<std::size_t> next = 0;
  // A range would be divided among threads from the start, the long points to one of them.
  const auto take_next = [&](std::size_t) {
    const std::size_t place = next++;
    try {
      compute(order[place]);
    } catch (...) {
      errors[place] = std::current_exception();
    }
  };
  // A thread that waits here for the last point would else begin a long one of whatever has called this.
  tbb::this_task_arena::isolate(
      [&] { tbb::parallel_for(std::size_t{0}, order.size(), take_next, tbb::simple_partitioner()); });
  for (const std::exception_ptr& error : errors)
    if (error) std::rethrow_exception(error);
}

std::vector<std::size_t> last_first(std::size_t count) {
  std::vector<std::size_t> order;
  while (count > 0) order.push_back(--count);
  return order;
}

}  // namespace clusterwright
