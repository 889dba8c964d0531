// SPDX-License-Identifier: Apache-2.0
/// Threads that stay and run one function together, again and again.
#pragma once

#include <barrier>
#include <cstddef>
#include <functional>
#include <thread>
#include <vector>

namespace clusterwright {

/// Team of threads. The caller is member 0; a team of one starts no thread. Threads are not pinned.
class ThreadTeam {
 public:
  /// @throws ProbeFailure if a thread cannot be started
  explicit ThreadTeam(int size);
  ~ThreadTeam();
  ThreadTeam(const ThreadTeam&) = delete;
  ThreadTeam& operator=(const ThreadTeam&) = delete;

  int size() const { return size_; }

  /// Calls work(member) on every member and waits for all; `work` must not throw.
  void run(const std::function<void(int)>& work);

  /// Stretch of `length` elements for `member`: whole blocks of `block`, evenly; the last member takes the rest.
  struct Stretch {
    std::size_t begin, length;
  };
  Stretch stretch(std::size_t length, std::size_t block, int member) const;

 private:
  void serve(int member);
  void stop();

  int size_;
  const std::function<void(int)>* work_ = nullptr;  ///< null: end
  std::barrier<> start_, finish_;
  std::vector<std::thread> threads_;
};

}  // namespace clusterwright
