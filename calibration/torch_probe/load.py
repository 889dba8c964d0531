# SPDX-License-Identifier: Apache-2.0
"""Kernels held for seconds under the meter: attention of a library beside GEMMs and copies; fp8 GEMMs and casts."""

import time

import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

from measure import hold, many, times_us

BF16 = torch.bfloat16


def attention_call(backend, heads, kv, seq, width, backward):
    batch = max(1, 16384 // seq)
    q = torch.randn(batch, heads, seq, width, device="cuda", dtype=BF16, requires_grad=True)
    k, v = (torch.randn(batch, kv, seq, width, device="cuda", dtype=BF16, requires_grad=True) for _ in range(2))

    def forward():
        with sdpa_kernel(backend):
            return F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=kv != heads)

    flops = 2 * batch * heads * seq * seq * width  # causal: half of 4 b h s^2 d
    if not backward:
        def no_grad():
            with torch.no_grad():
                forward()
        return no_grad, flops
    out = forward()
    grad = torch.randn_like(out)
    return (lambda: torch.autograd.grad(out, (q, k, v), grad, retain_graph=True)), 2.5 * flops


def held_calls():
    n = 8192
    a, b = torch.randn(n, n, device="cuda", dtype=BF16), torch.randn(n, n, device="cuda", dtype=BF16)
    small = torch.randn(n, 1024, device="cuda", dtype=BF16), torch.randn(1024, n, device="cuda", dtype=BF16)
    yield "gemm 8192", lambda: torch.mm(a, b), 2 * n**3
    yield "gemm 8192x8192x1024", lambda: torch.mm(*small), 2 * n * n * 1024
    for backend, label in ((SDPBackend.CUDNN_ATTENTION, "cudnn"), (SDPBackend.FLASH_ATTENTION, "flash-2")):
        for seq, heads, kv, width, backward in ((8192, 32, 32, 128, False), (8192, 32, 32, 128, True), (32768, 32, 32, 128, True), (2048, 32, 32, 128, True), (8192, 32, 32, 64, True)):
            if label == "flash-2" and (seq != 8192 or width == 64):
                continue
            call, flops = attention_call(backend, heads, kv, seq, width, backward)
            yield f"attention {label} {'backward' if backward else 'forward'} {seq} x {width}", call, flops
    big = torch.randn(2**30, device="cuda", dtype=BF16)
    yield "silu in place of a copy", lambda: F.silu(big[: 2**29]), 0
    x, w = (torch.randn(n, n, device="cuda").to(torch.float8_e4m3fn) for _ in range(2))
    one = torch.ones((), device="cuda")
    yield "fp8 gemm 8192", lambda: torch._scaled_mm(x, w.t(), scale_a=one, scale_b=one, out_dtype=BF16, use_fast_accum=True), 2 * n**3


def held(meter, seconds, until):
    rows = []
    for name, call, flops in held_calls():
        if time.time() > until:
            break
        try:
            repeated, count = many(call)
            row = {"name": name, "flops": flops, "launches_per_repetition": count, **hold(meter, repeated, seconds)}
            row["burst_us"] = times_us(call, 10)
            rows.append(row)
            middle = sorted(row["repetitions_us"])[len(row["repetitions_us"]) // 2] / count
            print(f"{name}: {flops / middle / 1e6:.0f} TFLOP/s, {row.get('mean_power_w')} W, {row.get('mean_sm_clock_mhz')} MHz", flush=True)
        except Exception as error:
            rows.append({"name": name, "error": str(error)[:200]})
            print(name, rows[-1]["error"], flush=True)
    torch.cuda.empty_cache()
    return rows


def fp8_rows(rows, m, n, k):
    x, w = torch.randn(m, k, device="cuda", dtype=BF16), torch.randn(n, k, device="cuda", dtype=BF16)
    f8 = torch.float8_e4m3fn
    xq, wq = x.to(f8), w.to(f8)
    one, per_row, per_column = torch.ones((), device="cuda"), torch.ones(m, 1, device="cuda"), torch.ones(1, n, device="cuda")

    def cast():
        scale = 448.0 / x.abs().amax().float().clamp(min=1e-12)
        return (x.float() * scale).clamp(-448, 448).to(f8)

    def cast_rows():
        scale = 448.0 / x.abs().amax(dim=1, keepdim=True).float().clamp(min=1e-12)
        return (x.float() * scale).clamp(-448, 448).to(f8)

    calls = {"tensor": lambda: torch._scaled_mm(xq, wq.t(), scale_a=one, scale_b=one, out_dtype=BF16, use_fast_accum=True), "tensor, exact sums": lambda: torch._scaled_mm(xq, wq.t(), scale_a=one, scale_b=one, out_dtype=BF16, use_fast_accum=False), "row": lambda: torch._scaled_mm(xq, wq.t(), scale_a=per_row, scale_b=per_column, out_dtype=BF16, use_fast_accum=True), "cast eager": cast, "cast rows eager": cast_rows, "bf16": lambda: torch.mm(x, w.t())}
    if k in (4096, 8192) and n == k:
        calls["cast compiled"], calls["cast rows compiled"] = torch.compile(cast), torch.compile(cast_rows)
    for op, call in calls.items():
        row = {"probe": "fp8", "op": op, "m": m, "n": n, "k": k}
        try:
            row["repetitions_us"] = times_us(call, 12)
        except Exception as error:
            row["error"] = str(error)[:200]
        rows.append(row)


def fp8(until):
    rows = []
    for m, n, k in ((8192, 4096, 4096), (8192, 8192, 8192), (8192, 28672, 4096), (8192, 4096, 14336), (4096, 6144, 4096), (8192, 57344, 8192), (8192, 8192, 28672), (8192, 3584, 8192), (16384, 16384, 16384)):
        if time.time() > until:
            break
        fp8_rows(rows, m, n, k)
        torch.cuda.empty_cache()
    return rows
