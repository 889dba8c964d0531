# SPDX-License-Identifier: Apache-2.0
"""Whole training steps, held for seconds: time, watts, clock, peak of memory, device time by kernel."""

import time

import torch

from measure import hold, kernel_table
from network import Network

QWEN3_MOE = {"hidden": 2048, "heads": 32, "kv_heads": 4, "head_dim": 128, "experts": 128, "per_token": 8, "expert_ffn": 768, "vocab": 32000}
MIXTRAL = {"hidden": 4096, "heads": 32, "kv_heads": 8, "experts": 8, "per_token": 2, "expert_ffn": 14336, "vocab": 32000}
GPT_OSS = {"hidden": 2880, "heads": 64, "kv_heads": 8, "head_dim": 64, "experts": 32, "per_token": 4, "expert_ffn": 2880, "vocab": 32000}
DEEPSEEK = {"hidden": 7168, "heads": 64, "kv_heads": 8, "head_dim": 128, "experts": 8, "per_token": 2, "expert_ffn": 2048, "vocab": 32000}

MIXTURES = {
    "qwen3-grouped-2x4096": {**QWEN3_MOE, "layers": 6, "launch": "grouped", "batch": 2, "seq": 4096},
    "qwen3-grouped-1x1024": {**QWEN3_MOE, "layers": 6, "launch": "grouped", "batch": 1, "seq": 1024},
    "mixtral-grouped-2x4096": {**MIXTRAL, "layers": 3, "launch": "grouped", "batch": 2, "seq": 4096},
    "gpt-oss-grouped-2x4096": {**GPT_OSS, "layers": 5, "launch": "grouped", "batch": 2, "seq": 4096},
    "deepseek-grouped-1x4096": {**DEEPSEEK, "layers": 6, "launch": "grouped", "batch": 1, "seq": 4096},
    "qwen3-single-2x4096": {**QWEN3_MOE, "layers": 6, "launch": "single", "batch": 2, "seq": 4096},
    "mixtral-single-2x4096": {**MIXTRAL, "layers": 3, "launch": "single", "batch": 2, "seq": 4096},
    "gpt-oss-single-2x4096": {**GPT_OSS, "layers": 5, "launch": "single", "batch": 2, "seq": 4096},
    "gpt-oss-recompute-4x4096": {**GPT_OSS, "layers": 5, "launch": "grouped", "batch": 4, "seq": 4096, "recompute": True},
    "qwen3-grouped-4x4096": {**QWEN3_MOE, "layers": 4, "launch": "grouped", "batch": 4, "seq": 4096},
    "mixtral-compiled-2x4096": {**MIXTRAL, "layers": 3, "launch": "grouped", "batch": 2, "seq": 4096, "compile": True},
}

DENSE = {
    "dense-24x1024-8x2048": {"hidden": 1024, "heads": 16, "kv_heads": 16, "ffn": 4096, "gated": False, "vocab": 50304, "layers": 24, "batch": 8, "seq": 2048},
    "dense-16x2048-4x4096": {"hidden": 2048, "heads": 32, "kv_heads": 8, "ffn": 8192, "vocab": 32000, "layers": 16, "batch": 4, "seq": 4096},
    "dense-12x4096-1x8192": {"hidden": 4096, "heads": 32, "kv_heads": 8, "ffn": 14336, "vocab": 32000, "layers": 12, "batch": 1, "seq": 8192},
    "dense-4x8192-1x8192": {"hidden": 8192, "heads": 64, "kv_heads": 8, "ffn": 28672, "vocab": 32000, "layers": 4, "batch": 1, "seq": 8192},
    "dense-2x12288-2x4096": {"hidden": 12288, "heads": 96, "kv_heads": 96, "ffn": 49152, "gated": False, "vocab": 32000, "layers": 2, "batch": 2, "seq": 4096},
    "dense-12x4096-1x1024": {"hidden": 4096, "heads": 32, "kv_heads": 8, "ffn": 14336, "vocab": 32000, "layers": 12, "batch": 1, "seq": 1024},
    "dense-8x4096-1x32768-recompute": {"hidden": 4096, "heads": 32, "kv_heads": 8, "ffn": 14336, "vocab": 32000, "layers": 8, "batch": 1, "seq": 32768, "recompute": True},
    "autocast-8x4096-1x8192": {"hidden": 4096, "heads": 32, "kv_heads": 8, "ffn": 14336, "vocab": 32000, "layers": 8, "batch": 1, "seq": 8192, "dtype": torch.float32, "autocast": True},
    "autocast-16x2048-2x4096": {"hidden": 2048, "heads": 16, "kv_heads": 16, "ffn": 8192, "gated": False, "vocab": 50304, "layers": 16, "batch": 2, "seq": 4096, "dtype": torch.float32, "autocast": True},
    "compiled-12x4096-1x8192": {"hidden": 4096, "heads": 32, "kv_heads": 8, "ffn": 14336, "vocab": 32000, "layers": 12, "batch": 1, "seq": 8192, "compile": True},
}


def step_of(shape):
    """A call that runs one step (forward, backward, fused AdamW), and the number of parameters."""
    network = Network(shape)
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-4, fused=True)
    ids = torch.randint(0, shape["vocab"], (shape["batch"], shape["seq"]), device="cuda")

    def step():
        with torch.autocast("cuda", torch.bfloat16, enabled=shape.get("autocast", False)):
            loss = network(ids)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)

    return step, sum(p.numel() for p in network.parameters())


def measure_step(meter, name, shape, seconds):
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    begin = time.time()
    step, parameters = step_of(shape)
    for _ in range(3):
        step()
    torch.cuda.synchronize()
    row = {"name": name, "what": {k: str(v) if k == "dtype" else v for k, v in shape.items()}, "parameters": parameters}
    row["prepared_s"] = round(time.time() - begin, 2)
    row.update(hold(meter, step, seconds))
    row["peak_allocated_bytes"] = torch.cuda.max_memory_allocated()
    row["peak_reserved_bytes"] = torch.cuda.max_memory_reserved()
    row["by_kernel"] = kernel_table(step)
    return row


def steps(meter, table, seconds, until):
    """Every entry of a table while time lasts; what failed keeps its message."""
    rows = []
    for name, shape in table.items():
        if time.time() > until:
            rows.append({"name": name, "skipped": "time"})
            continue
        try:
            rows.append(measure_step(meter, name, shape, seconds))
        except Exception as error:  # out of memory, or an operator that this release lacks
            rows.append({"name": name, "error": str(error)[:300]})
        print(name, sorted(rows[-1].get("repetitions_us", [0]))[len(rows[-1].get("repetitions_us", [0])) // 2], rows[-1].get("mean_power_w"), rows[-1].get("mean_sm_clock_mhz"), rows[-1].get("error", ""), flush=True)
    torch.cuda.empty_cache()
    return rows
