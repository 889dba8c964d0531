// SPDX-License-Identifier: Apache-2.0
#pragma once
// Time on the device, for kernels that wait.

namespace clusterwright::probes {

/// Nanoseconds; moves in steps of 32 ns to about 1 us, depending on the GPU.
__device__ inline unsigned long long device_time_ns() {
  unsigned long long now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// Says when `wait_ns` are over. A second limit in clock cycles ends the wait on a GPU whose timer stands still.
class DeviceTimer {
 public:
  __device__ explicit DeviceTimer(unsigned long long wait_ns) : wait_ns_(wait_ns) {
    start_ns_ = device_time_ns();
    start_cycle_ = clock64();
  }

  __device__ bool over() const {
    const auto cycles = static_cast<unsigned long long>(clock64() - start_cycle_);
    return device_time_ns() - start_ns_ >= wait_ns_ || cycles > cycles_per_ns * wait_ns_ + cycles_per_tick;
  }

 private:
  static constexpr unsigned long long cycles_per_ns = 4, cycles_per_tick = 10000;  // no GPU runs at 4 GHz
  unsigned long long wait_ns_, start_ns_;
  long long start_cycle_;
};

}  // namespace clusterwright::probes
