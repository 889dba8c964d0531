# SPDX-License-Identifier: Apache-2.0
"""Measurement cases (calibration/measurements/schema.json) from the whole steps of torch_probe documents.

    python3 calibration/torch_probe/cases.py --prefix own-h100 --hardware hardware.json --release 2026-03 torch.json ...

`hardware.json` holds the `hardware` object of the cases. Steps that failed, were skipped or ran fewer than 3 times are
left out, and so are experts launched one by one, which a case cannot say. Peak memory is what the allocator reserved.
"""

import argparse
import json
import statistics
import sys


def model_of(what, parameters):
    experts = "experts" in what
    model = {
        "name": f"{what['layers']} layers of hidden {what['hidden']:,}" + (f", {what['experts']} experts" if experts else ""),
        "layers": what["layers"], "hidden": what["hidden"], "heads": what["heads"], "kv_heads": what["kv_heads"],
        "ffn": what["expert_ffn"] if experts else what["ffn"], "gated_mlp": what.get("gated", True), "vocab": what["vocab"],
        "seq": what["seq"], "params_b": round(parameters / 1e9, 3), "causal": True, "dims_verified": True, "trainable": "all",
        "head_dim": what.get("head_dim", what["hidden"] // what["heads"]), "tied_embeddings": False,
    }
    if experts:
        model["moe"] = {"experts": what["experts"], "topk": what["per_token"], "expert_ffn": what["expert_ffn"], "shared_experts": 0, "dense_layers": 0}
    return model


def job_of(what, release):
    job = {"task": "pretrain", "framework": "other", "release": release, "global_batch": what["batch"], "micro_batch": what["batch"]}
    job.update({name: 1 for name in ("tp", "pp", "vpp", "cp", "ep", "dp")})
    job.update({"sequence_parallel": False, "sharding": "none", "recompute": "full" if what.get("recompute") else "none", "precision": "bf16", "offload": False})
    job.update({"compile": bool(what.get("compile")), "attention_kernel": "cudnn"})
    if not what.get("autocast"):
        job["master_weights"] = False
    return job


def case(row, document, options):
    what, device = row["what"], document["device"]
    seconds = statistics.median(row["repetitions_us"]) / 1e6
    weights = "32-bit weights under autocast, fused AdamW" if what.get("autocast") else "fused AdamW on bf16 weights and states"
    source = (f"measured for this project, {document['date'][:10]}: one {device['name'].removeprefix('NVIDIA ')}, PyTorch {device['torch'].split('+')[0]} for CUDA {device['cuda']}, "
              f"driver {device['driver']}, 1,980 MHz unless power limits it; {'compiled layers' if what.get('compile') else 'eager'}, rms_norm, scaled_dot_product_attention"
              f"{' and _grouped_mm' if 'experts' in what else ''} of PyTorch, {weights}; calibration/torch_probe, {row['name']}")
    return {
        "id": f"{options.prefix}-{row['name']}", "family": f"{options.prefix}-{'mixtures' if 'experts' in what else 'steps'}", "kind": "training_step", "source": source,
        "quality": {"provenance": "primary", "score": True}, "hardware": options.hardware,
        "measured": {"tokens_per_s_per_accelerator": round(what["batch"] * what["seq"] / seconds, 1), "step_time_s": round(seconds, 6), "peak_memory_gb": round(row["peak_reserved_bytes"] / 1e9, 2)},
        "score_field": "tokens_per_s_per_accelerator", "unknown": [], "model": model_of(what, row["parameters"]), "job": job_of(what, options.release),
    }


def usable(row):
    return row.get("calls", 0) >= 3 and row["what"].get("launch") != "single"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--prefix", required=True)
    parser.add_argument("--hardware", required=True)
    parser.add_argument("--release", required=True, help="month of the PyTorch release, as 2026-03")
    parser.add_argument("documents", nargs="+")
    options = parser.parse_args()
    options.hardware = json.load(open(options.hardware))
    cases = []
    for path in options.documents:
        document = json.load(open(path))
        rows = document["sections"].get("mixtures", []) + document["sections"].get("dense", [])
        cases += [case(row, document, options) for row in rows if usable(row)]
    json.dump({"schema": 1, "cases": cases}, sys.stdout, indent=1)


if __name__ == "__main__":
    main()
