// SPDX-License-Identifier: Apache-2.0
#include "tools/thread_limit.hpp"

#include <oneapi/tbb/global_control.h>

namespace clusterwright {

struct ThreadLimit::Control {
  tbb::global_control limit;
};

ThreadLimit::ThreadLimit(int threads)
    : control_(new Control{{tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads)}}) {}
ThreadLimit::ThreadLimit(ThreadLimit&&) noexcept = default;
ThreadLimit::~ThreadLimit() = default;

}  // namespace clusterwright
