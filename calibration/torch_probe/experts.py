# SPDX-License-Identifier: Apache-2.0
"""Kernels of routed experts, one by one: grouped GEMMs by rows per expert, and what moves rows between them."""

import time

import torch
import torch.nn.functional as F

from measure import times_us

BF16 = torch.bfloat16
# name, experts of the rank, copies of a token, hidden, expert FFN
SHAPES = [("qwen3-30b", 128, 8, 2048, 768), ("qwen3-30b ep8", 16, 8, 2048, 768), ("mixtral", 8, 2, 4096, 14336), ("gpt-oss", 32, 4, 2880, 2880), ("deepseek ep64", 4, 8, 7168, 2048), ("qwen3-235b ep8", 16, 8, 4096, 1536)]


def offsets_of(experts, rows, spread):
    """Ends of the experts' rows, multiples of 16; spread: coefficient of variation of their loads."""
    loads = torch.exp(spread * torch.randn(experts)) if spread else torch.ones(experts)
    counts = (loads / loads.sum() * rows / 16).round().clamp(min=1) * 16
    counts[-1] = max(16, rows - int(counts[:-1].sum()))
    return counts.cumsum(0).to(torch.int32).cuda(), int(counts.sum())


def grouped(rows_out, name, experts, hidden, ffn, per_expert, spread):
    ends, rows = offsets_of(experts, experts * per_expert, spread)
    x, up = torch.randn(rows, hidden, device="cuda", dtype=BF16), torch.randn(experts, hidden, ffn, device="cuda", dtype=BF16)
    dy = torch.randn(rows, ffn, device="cuda", dtype=BF16)
    calls = {
        "forward": lambda: torch._grouped_mm(x, up, offs=ends),
        "dgrad": lambda: torch._grouped_mm(dy, up.transpose(-2, -1), offs=ends),
        "wgrad": lambda: torch._grouped_mm(x.t(), dy, offs=ends),
    }
    for layout, call in calls.items():
        row = {"probe": "grouped_gemm", "shape": name, "experts": experts, "rows": rows, "n": ffn, "k": hidden, "layout": layout, "spread": spread, "flops": 2 * rows * hidden * ffn}
        try:
            row["repetitions_us"] = times_us(call, 15)
        except Exception as error:
            row["error"] = str(error)[:200]
        rows_out.append(row)
    if spread == 0:  # the same rows as one GEMM, for comparison
        w = up[0]
        rows_out.append({"probe": "one_gemm", "shape": name, "rows": rows, "n": ffn, "k": hidden, "layout": "forward", "flops": 2 * rows * hidden * ffn, "repetitions_us": times_us(lambda: torch.mm(x, w), 15)})


def grouped_gemms(until):
    rows = []
    for name, experts, _, hidden, ffn in SHAPES:
        for per_expert in (64, 256, 512, 1024, 4096):
            if experts * per_expert * (hidden + 2 * ffn) * 2 > 12e9:
                continue
            for spread in (0, 0.5) if per_expert == 512 else (0,):
                if time.time() > until:
                    return rows
                grouped(rows, name, experts, hidden, ffn, per_expert, spread)
        torch.cuda.empty_cache()
    return rows


def forward_and_backward(call, inputs):
    """Microseconds of a call, and of its gradients with respect to inputs."""
    with torch.no_grad():
        forward = times_us(call, 10)
    out = call()
    grad = torch.randn_like(out)
    backward = times_us(lambda: torch.autograd.grad(out, inputs, grad, retain_graph=True), 10)
    return {"forward_us": forward, "backward_us": backward}


def moving(rows, name, experts, per_token, hidden, ffn, tokens):
    """Router, choice, sort, gather and combine of `tokens`, as network.py does them."""
    x = torch.randn(tokens, hidden, device="cuda", dtype=BF16, requires_grad=True)
    w = torch.randn(experts, hidden, device="cuda", dtype=BF16, requires_grad=True) * 0.02
    add = lambda op, **values: rows.append({"probe": "expert_kernel", "op": op, "shape": name, "tokens": tokens, "experts": experts, "per_token": per_token, "hidden": hidden, "ffn": ffn, **values})
    add("router", **forward_and_backward(lambda: x @ w.t(), (x,)))
    logits = (x @ w.t()).detach().float().requires_grad_()
    add("softmax", **forward_and_backward(lambda: F.softmax(logits, dim=-1), (logits,)))
    add("topk", **forward_and_backward(lambda: logits.topk(per_token, dim=-1)[0], (logits,)))
    flat = logits.topk(per_token, dim=-1)[1].view(-1)
    add("argsort", forward_us=times_us(lambda: flat.argsort(stable=True), 10))
    add("histc", forward_us=times_us(lambda: torch.histc(flat.float(), experts, 0, experts - 1), 10))
    order = flat.argsort(stable=True)
    token = order // per_token
    add("gather rows", **forward_and_backward(lambda: x[token], (x,)))
    y = torch.randn(tokens * per_token, hidden, device="cuda", dtype=BF16, requires_grad=True)
    scale = torch.rand(tokens * per_token, 1, device="cuda", dtype=BF16, requires_grad=True)
    add("weights", **forward_and_backward(lambda: y * scale, (y, scale)))
    add("index_add", **forward_and_backward(lambda: torch.zeros_like(x).index_add(0, token, y), (y,)))
    gate = torch.randn(tokens * per_token, ffn, device="cuda", dtype=BF16, requires_grad=True)
    up = torch.randn(tokens * per_token, ffn, device="cuda", dtype=BF16, requires_grad=True)
    add("silu_mul", **forward_and_backward(lambda: F.silu(gate) * up, (gate, up)))


def moving_kernels(until):
    rows = []
    for name, experts, per_token, hidden, ffn in SHAPES:
        if per_token > experts:  # a share of the experts alone cannot be routed to
            continue
        for tokens in (1024, 8192):
            if time.time() > until or (tokens == 8192 and tokens * per_token * ffn > 6e8):
                continue
            try:
                moving(rows, name, experts, per_token, hidden, ffn, tokens)
            except Exception as error:
                rows.append({"probe": "expert_kernel", "shape": name, "tokens": tokens, "error": str(error)[:200]})
            torch.cuda.empty_cache()
    return rows
