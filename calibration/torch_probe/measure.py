# SPDX-License-Identifier: Apache-2.0
"""Timing by CUDA events, and a meter of watts, joules and clocks that runs beside what is timed."""

import threading
import time

import torch


def times_us(call, target_ms=25.0, repetitions=5, most=2000):
    """Microseconds of one call: one number per repetition, each the mean over a loop of `target_ms / repetitions`."""
    call()
    torch.cuda.synchronize()
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    call()
    end.record()
    torch.cuda.synchronize()
    once_ms = max(begin.elapsed_time(end), 1e-3)
    inner = int(min(most, max(1, target_ms / repetitions / once_ms)))
    samples = []
    for _ in range(repetitions):
        begin.record()
        for _ in range(inner):
            call()
        end.record()
        torch.cuda.synchronize()
        samples.append(round(1e3 * begin.elapsed_time(end) / inner, 3))
    return samples


class Meter(threading.Thread):
    """Reads power, energy, temperature and clock through NVML every 20 ms. Sets nothing."""

    def __init__(self):
        super().__init__(daemon=True)
        import pynvml

        pynvml.nvmlInit()
        self.nvml, self.handle = pynvml, pynvml.nvmlDeviceGetHandleByIndex(0)
        self.rows, self.running = [], True

    def read(self):
        nvml, handle = self.nvml, self.handle
        return (
            time.time(),
            nvml.nvmlDeviceGetTotalEnergyConsumption(handle) / 1e3,
            nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM),
            nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU),
            nvml.nvmlDeviceGetCurrentClocksThrottleReasons(handle),
        )

    def run(self):
        while self.running:
            self.rows.append(self.read())
            time.sleep(0.02)

    def mean_since(self, begin):
        """Mean watts, clock and temperature, and which limits held the clock, since a time.time()."""
        rows = [row for row in self.rows if row[0] >= begin]
        if len(rows) < 3 or rows[-1][0] - rows[0][0] < 0.3:
            return {}
        seconds = rows[-1][0] - rows[0][0]
        reasons = {}
        for row in rows:
            reasons[hex(row[4])] = reasons.get(hex(row[4]), 0) + 1
        return {
            "mean_power_w": round((rows[-1][1] - rows[0][1]) / seconds, 1),
            "mean_sm_clock_mhz": round(sum(row[2] for row in rows) / len(rows)),
            "mean_temperature_c": round(sum(row[3] for row in rows) / len(rows), 1),
            "clock_limits": reasons,
        }


def hold(meter, call, seconds):
    """Runs call for `seconds`; microseconds a call and the meter's means over the last two thirds."""
    call()
    torch.cuda.synchronize()
    start = time.time()
    settled, calls = start + seconds / 3, 0
    samples = []
    while time.time() < start + seconds:
        begin = time.perf_counter()
        call()
        torch.cuda.synchronize()
        took = time.perf_counter() - begin
        if time.time() >= settled:
            samples.append(round(1e6 * took, 2))
            calls += 1
    return {"repetitions_us": samples[:400], "calls": calls, "clock": "host", "mode": "sustained", **meter.mean_since(settled)}


def many(call, target_s=0.05):
    """A call that repeats another for about `target_s`, and how often: for holds of short kernels."""
    call()
    torch.cuda.synchronize()
    begin = time.perf_counter()
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    count = max(1, int(target_s / max((time.perf_counter() - begin) / 3, 1e-6)))

    def repeated():
        for _ in range(count):
            call()

    return repeated, count


def kernel_table(call, steps=2, most=45):
    """Device time and launches of one call by kernel name, longest first, from PyTorch's profiler."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as trace:
        for _ in range(steps):
            call()
        torch.cuda.synchronize()
    names = {}
    for event in trace.events():
        if str(event.device_type).endswith("CUDA"):
            entry = names.setdefault(event.name, [0.0, 0])
            entry[0] += event.time_range.elapsed_us() / steps
            entry[1] += 1 / steps
    ranked = sorted(names.items(), key=lambda item: -item[1][0])
    total = {"us": round(sum(v[0] for v in names.values()), 1), "launches": round(sum(v[1] for v in names.values()), 1)}
    return {"total": total, "kernels": [[name[:110], round(v[0], 1), round(v[1], 1)] for name, v in ranked[:most]]}
