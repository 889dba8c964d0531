// SPDX-License-Identifier: Apache-2.0
#include "calibration/host/thread_team.hpp"

#include <algorithm>
#include <system_error>

#include "calibration/host/probe_case.hpp"

namespace clusterwright {

ThreadTeam::ThreadTeam(int size) : size_(size), start_(size), finish_(size) {
  try {
    for (int member = 1; member < size; ++member) threads_.emplace_back([this, member] { serve(member); });
  } catch (const std::system_error&) {
    for (int missing = static_cast<int>(threads_.size()) + 1; missing < size; ++missing) start_.arrive_and_drop();
    stop();
    throw ProbeFailure("a thread could not be started");
  }
}

ThreadTeam::~ThreadTeam() {
  stop();
}

void ThreadTeam::stop() {
  work_ = nullptr;
  start_.arrive_and_wait();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadTeam::serve(int member) {
  while (true) {
    start_.arrive_and_wait();
    if (!work_) return;
    (*work_)(member);
    finish_.arrive_and_wait();
  }
}

void ThreadTeam::run(const std::function<void(int)>& work) {
  if (size_ == 1) return work(0);
  work_ = &work;
  start_.arrive_and_wait();
  work(0);
  finish_.arrive_and_wait();
}

ThreadTeam::Stretch ThreadTeam::stretch(std::size_t length, std::size_t block, int member) const {
  const auto members = static_cast<std::size_t>(size_), index = static_cast<std::size_t>(member);
  const std::size_t blocks = length / block;
  const std::size_t begin = blocks * index / members * block;
  const std::size_t end = index + 1 == members ? length : blocks * (index + 1) / members * block;
  return {begin, end - begin};
}

}  // namespace clusterwright
