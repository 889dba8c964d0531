# SPDX-License-Identifier: Apache-2.0
"""Training steps and kernels of one GPU as PyTorch runs them: one JSON document of raw samples.

    python3 calibration/torch_probe --out torch.json [--minutes 7] [--only mixtures,grouped,moving,host,dense,held,fp8]
"""

import argparse
import json
import os
import time
import traceback

import torch

import experts
import host
import load
import steps
from measure import Meter


def device():
    properties = torch.cuda.get_device_properties(0)
    cpu = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return {"name": properties.name, "sm_count": properties.multi_processor_count, "memory_bytes": properties.total_memory, "torch": torch.__version__, "cuda": torch.version.cuda, "cudnn": torch.backends.cudnn.version(), "host_cpu": cpu[0] if cpu else "", "host_cpus": os.cpu_count()}


def sections(meter, hold_s):
    return {
        "mixtures": (75, lambda until: steps.steps(meter, steps.MIXTURES, hold_s, until)),
        "grouped": (45, experts.grouped_gemms),
        "moving": (30, experts.moving_kernels),
        "host": (40, host.host),
        "dense": (90, lambda until: steps.steps(meter, steps.DENSE, hold_s, until)),
        "held": (60, lambda until: load.held(meter, hold_s, until)),
        "fp8": (45, load.fp8),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--minutes", type=float, default=7)
    parser.add_argument("--hold", type=float, default=4, help="seconds of each held load")
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    torch.manual_seed(0)
    meter = Meter()
    meter.start()
    limit = meter.nvml.nvmlDeviceGetEnforcedPowerLimit(meter.handle) / 1e3
    document = {"schema_version": 1, "tool": "torch_probe", "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "device": {**device(), "power_limit_w": limit, "driver": str(meter.nvml.nvmlSystemGetDriverVersion())}, "sections": {}, "errors": []}
    wanted = [name for name in options.only.split(",") if name]
    chosen = {name: entry for name, entry in sections(meter, options.hold).items() if not wanted or name in wanted}
    share = 60 * options.minutes / sum(seconds for seconds, _ in chosen.values())
    until = time.time()
    for name, (seconds, run) in chosen.items():
        until += seconds * share
        begin = time.time()
        try:
            document["sections"][name] = run(until)
        except Exception:
            document["errors"].append({"section": name, "message": traceback.format_exc()[-1500:]})
            print(traceback.format_exc()[-600:], flush=True)
        print(f"== {name} {time.time() - begin:.1f} s", flush=True)
        with open(options.out, "w") as file:
            json.dump(document, file)
    meter.running = False


if __name__ == "__main__":
    main()
