# SPDX-License-Identifier: Apache-2.0
"""What the host takes to issue a step, by phase: layers too small for the device to matter."""

import time

import torch

from measure import kernel_table
from network import Network
from steps import QWEN3_MOE

TINY = {"hidden": 256, "heads": 4, "kv_heads": 2, "ffn": 512, "vocab": 512, "layers": 24, "batch": 1, "seq": 64}
TINY_EXPERTS = {"hidden": 256, "heads": 4, "kv_heads": 2, "experts": 8, "per_token": 2, "expert_ffn": 128, "vocab": 512, "layers": 12, "batch": 1, "seq": 64}
CASES = {
    "dense": TINY,
    "dense-48": {**TINY, "layers": 48},
    "recompute": {**TINY, "recompute": True},
    "autocast": {**TINY, "dtype": torch.float32, "autocast": True},
    "not-gated": {**TINY, "gated": False},
    "compiled": {**TINY, "compile": True},
    "grouped": {**TINY_EXPERTS, "launch": "grouped"},
    "single": {**TINY_EXPERTS, "launch": "single"},
    "single-32": {**TINY_EXPERTS, "launch": "single", "experts": 32},
}


def phases(shape, repetitions=15):
    """Host seconds to issue forward, backward, optimizer, and until the device is done, each from an idle device."""
    network = Network(shape)
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-4, fused=True)
    ids = torch.randint(0, shape["vocab"], (shape["batch"], shape["seq"]), device="cuda")
    rows = []
    for _ in range(repetitions + 4):
        torch.cuda.synchronize()
        marks = [time.perf_counter()]
        with torch.autocast("cuda", torch.bfloat16, enabled=shape.get("autocast", False)):
            loss = network(ids)
        marks.append(time.perf_counter())
        torch.cuda.synchronize()
        marks.append(time.perf_counter())
        loss.backward()
        marks.append(time.perf_counter())
        torch.cuda.synchronize()
        marks.append(time.perf_counter())
        optimizer.step()
        marks.append(time.perf_counter())
        torch.cuda.synchronize()
        optimizer.zero_grad(set_to_none=True)
        rows.append([round(1e6 * (marks[b] - marks[a]), 1) for a, b in ((0, 1), (0, 2), (2, 3), (2, 4), (4, 5))])
    row = {"columns": ["forward_issued_us", "forward_done_us", "backward_issued_us", "backward_done_us", "optimizer_issued_us"], "rows": rows[4:]}

    def forward():
        with torch.no_grad(), torch.autocast("cuda", torch.bfloat16, enabled=shape.get("autocast", False)):
            network(ids)

    def both():
        with torch.autocast("cuda", torch.bfloat16, enabled=shape.get("autocast", False)):
            loss = network(ids)
        loss.backward()
        network.zero_grad(set_to_none=True)

    row["forward_kernels"] = kernel_table(forward, most=12)
    row["both_kernels"] = kernel_table(both, most=25)
    return row


def host(until):
    result = []
    for name, shape in CASES.items():
        if time.time() > until:
            break
        try:
            result.append({"name": name, "layers": shape["layers"], **phases(shape)})
            middle = sorted(result[-1]["rows"])[len(result[-1]["rows"]) // 2]
            print("host", name, middle, result[-1]["forward_kernels"]["total"], result[-1]["both_kernels"]["total"], flush=True)
        except Exception as error:
            result.append({"name": name, "error": str(error)[:300]})
            print("host", name, result[-1]["error"], flush=True)
    return result
