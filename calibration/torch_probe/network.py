# SPDX-License-Identifier: Apache-2.0
"""A decoder-only transformer, dense or with routed experts, as plain PyTorch writes it."""

import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint

BF16 = torch.bfloat16


def linear(inputs, outputs, dtype):
    return torch.nn.Linear(inputs, outputs, bias=False, device="cuda", dtype=dtype)


class Attention(torch.nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.heads, self.kv, self.width = shape["heads"], shape["kv_heads"], shape["head_dim"]
        self.qkv = linear(shape["hidden"], (self.heads + 2 * self.kv) * self.width, shape["dtype"])
        self.out = linear(self.heads * self.width, shape["hidden"], shape["dtype"])

    def forward(self, x):
        batch, seq, _ = x.shape
        parts = [self.heads * self.width, self.kv * self.width, self.kv * self.width]
        q, k, v = (t.view(batch, seq, -1, self.width).transpose(1, 2) for t in self.qkv(x).split(parts, dim=-1))
        result = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=self.kv != self.heads)
        return self.out(result.transpose(1, 2).reshape(batch, seq, -1))


class DenseMlp(torch.nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.gated = shape.get("gated", True)
        self.up = linear(shape["hidden"], (2 if self.gated else 1) * shape["ffn"], shape["dtype"])
        self.down = linear(shape["ffn"], shape["hidden"], shape["dtype"])

    def forward(self, x):
        y = self.up(x)
        if self.gated:
            gate, value = y.chunk(2, dim=-1)
            return self.down(F.silu(gate) * value)
        return self.down(F.gelu(y))


class ExpertMlp(torch.nn.Module):
    """Routed gated experts on one device. `launch`: "grouped", one GEMM for all experts, or "single", one each."""

    def __init__(self, shape):
        super().__init__()
        count, hidden, ffn = shape["experts"], shape["hidden"], shape["expert_ffn"]
        self.count, self.per_token, self.launch = count, shape["per_token"], shape["launch"]
        self.router = linear(hidden, count, shape["dtype"])
        self.gate, self.up, self.down = (self.weights(*size, shape["dtype"]) for size in ((hidden, ffn), (hidden, ffn), (ffn, hidden)))

    def weights(self, inputs, outputs, dtype):
        make = lambda *size: torch.nn.Parameter(torch.randn(*size, device="cuda", dtype=dtype) * 0.02)
        if self.launch == "grouped":
            return make(self.count, inputs, outputs)
        return torch.nn.ParameterList([make(inputs, outputs) for _ in range(self.count)])

    def experts(self, rows, counts):
        if self.launch == "grouped":
            offsets = counts.cumsum(0).to(torch.int32)
            gate = torch._grouped_mm(rows, self.gate, offs=offsets)
            value = torch._grouped_mm(rows, self.up, offs=offsets)
            return torch._grouped_mm(F.silu(gate) * value, self.down, offs=offsets)
        parts = rows.split(counts.tolist())
        return torch.cat([(F.silu(p @ self.gate[i]) * (p @ self.up[i])) @ self.down[i] for i, p in enumerate(parts)])

    def forward(self, x):
        shape = x.shape
        x = x.view(-1, shape[-1])
        scores = F.softmax(self.router(x).float(), dim=-1)
        weights, chosen = scores.topk(self.per_token, dim=-1)
        weights = (weights / weights.sum(-1, keepdim=True)).to(x.dtype)
        flat = chosen.view(-1)
        order = flat.argsort(stable=True)
        counts = flat.bincount(minlength=self.count) if self.launch == "single" else torch.histc(flat.float(), self.count, 0, self.count - 1).int()
        token = order // self.per_token
        rows = self.experts(x[token], counts)
        rows = rows * weights.view(-1)[order].unsqueeze(-1)
        return torch.zeros_like(x).index_add(0, token, rows).view(shape)


class Layer(torch.nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.hidden = shape["hidden"]
        ones = lambda: torch.nn.Parameter(torch.ones(self.hidden, device="cuda", dtype=shape["dtype"]))
        self.norm1, self.norm2 = ones(), ones()
        self.attention = Attention(shape)
        self.mlp = ExpertMlp(shape) if shape.get("experts") else DenseMlp(shape)

    def forward(self, x):
        x = x + self.attention(F.rms_norm(x, (self.hidden,), self.norm1))
        return x + self.mlp(F.rms_norm(x, (self.hidden,), self.norm2))


class Network(torch.nn.Module):
    """Embedding, layers, norm, head of its own and loss. shape: see steps.py. ids: [batch, seq] -> mean loss."""

    def __init__(self, shape):
        super().__init__()
        shape = {"dtype": BF16, "head_dim": shape["hidden"] // shape["heads"], **shape}
        self.vocab, self.recompute = shape["vocab"], shape.get("recompute", False)
        self.embedding = torch.nn.Embedding(self.vocab, shape["hidden"], device="cuda", dtype=shape["dtype"])
        self.head = linear(shape["hidden"], self.vocab, shape["dtype"])
        self.layers = torch.nn.ModuleList([Layer(shape) for _ in range(shape["layers"])])
        for parameter in self.layers.parameters():
            if parameter.dim() == 2:
                torch.nn.init.normal_(parameter, std=0.02)
        if shape.get("compile"):
            for layer in self.layers:
                layer.compile()

    def forward(self, ids):
        x = self.embedding(ids)
        for layer in self.layers:
            x = checkpoint(layer, x, use_reentrant=False) if self.recompute else layer(x)
        return F.cross_entropy(self.head(x).view(-1, self.vocab), ids.view(-1))
