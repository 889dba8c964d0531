// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

namespace clusterwright {

/// While it lives, parallel work uses at most so many threads. Results never depend on their number.
class ThreadLimit {
 public:
  explicit ThreadLimit(int threads);
  ThreadLimit(ThreadLimit&&) noexcept;
  ~ThreadLimit();

 private:
  struct Control;
  std::unique_ptr<Control> control_;
};

}  // namespace clusterwright
