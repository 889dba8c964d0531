#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What each modelled effect is worth: removes one at a time, fits the step calibration again, validates.

    calibration/ablation.py build/release [--no-fit] [WORD...]   prints a Markdown table; about five minutes per effect

With words, only effects whose name holds one of them are removed. With --no-fit the step calibration stays as it is,
for effects that few steps have: about two minutes per effect.

Effects are removed in a copy of configs, so that the program that judges is the one that ships.
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def without_comments(text):
    return re.sub(r'"(?:\\.|[^"\\])*"|//[^\n]*', lambda m: m.group(0) if m.group(0)[0] == '"' else "", text)


def edit(configs, folder, change):
    for path in sorted((configs / folder).glob("*.json")):
        data = json.loads(without_comments(path.read_text()))
        change(data)
        path.write_text(json.dumps(data))


def parameters(change):
    return lambda configs: edit(configs, "parameters", change)


def stacks(change):
    return lambda configs: edit(configs, "stacks", change)


def attention_as_multiply(data):
    for family in data["attention"].values():
        for key in ("forward_efficiency", "backward_efficiency"):
            family[key]["value"] = data["gemm"]["bf16"]["efficiency"]["value"]
        for key in ("score_clocks", "score_clocks_backward", "block_clocks", "block_clocks_backward", "row_bytes_backward",
                    "tail_share"):
            family[key]["value"] = 0
        family["score_bytes_forward"]["value"] = family["score_bytes_backward"]["value"] = 0


def flat_multiply(data):
    for gemm in data["gemm"].values():
        for key in ("tile_penalty", "k_overhead", "wave_share"):
            gemm[key]["value"] = 0


def full_rate_unaligned(data):
    for gemm in data["gemm"].values():
        gemm["unaligned_factor"]["value"] = 1


def set_value(section, key, value):
    def change(data):
        data[section][key]["value"] = value
    return change


def set_stack(key, value):
    def change(data):
        if isinstance(data.get(key), dict):
            data[key]["value"] = value
        else:
            data[key] = value
    return change


def set_experts(key, value):
    def change(data):
        data.setdefault("experts", {})[key] = value
    return change


def set_kernels(key, value):
    def change(data):
        data.setdefault("kernels", {})[key] = value
    return change


def plain_transports(data):
    for transport in data["network"].get("transports", {}).values():
        transport["bandwidth"]["value"] = transport["latency"]["value"] = 1


def generic_parameters(configs):
    for name in ("mi300x", "l40s"):
        (configs / "parameters" / f"{name}.json").unlink()


def undated_stacks(configs):
    """Generic stacks of every year do what those of 2023 do."""
    stacks_folder = configs / "stacks"
    for year in ("2021", "2025"):
        data = json.loads((stacks_folder / "generic-2023.json").read_text())
        data.update(name=f"generic-{year}", date=json.loads((stacks_folder / f"generic-{year}.json").read_text())["date"])
        (stacks_folder / f"generic-{year}.json").write_text(json.dumps(data))


def no_casts(configs):
    edit(configs, "steps", lambda data: [cast.update(value=0) for cast in data["cast_bytes"].values()])


EFFECTS = {
    "nothing": lambda configs: None,
    "attention as fast as a multiply, scores on chip": parameters(attention_as_multiply),
    "multiplies at one efficiency (no tiles, waves, depth)": parameters(flat_multiply),
    "element-wise kernels at a fifth of their traffic": stacks(set_stack("elementwise_traffic", 0.2)),
    "host time to issue kernels and messages": stacks(set_stack("kernel_launch_us", 0)),
    "clock held down by power": parameters(set_value("power", "tensor_weight", 0.3)),
    "multiprocessors that collectives hold": parameters(set_value("step", "communication_sms", 0)),
    "tensor collectives in pieces behind multiplies": stacks(set_stack("tensor_overlap", "none")),
    "casts to narrow formats": no_casts,
    "rows that are not aligned": parameters(full_rate_unaligned),
    "gaps between kernels": parameters(set_value("step", "kernel_gap_us", 0)),
    "clocks of an optimizer beside its bytes": stacks(set_kernels("update_clocks", 0)),
    "attention that a library does not fuse": stacks(set_stack("latent_kernels", [])),
    "kernels of a router": stacks(set_experts("routing_kernels", 3)),
    "experts launched one by one": stacks(set_experts("one_launch", True)),
    "a host that waits for the router": stacks(set_experts("synchronises", False)),
    "one copy of a token to each node": stacks(set_experts("transfer", "all-to-all")),
    "exchanges of experts behind another micro-batch": stacks(set_experts("overlap_exchange", False)),
    "parameters of MI300X and L40S": generic_parameters,
    "transports other than InfiniBand": parameters(plain_transports),
    "dates of generic stacks": undated_stacks,
    "recomputation that stacks assume": stacks(set_stack("assumed_recompute", "none")),
    "captured graphs": stacks(set_stack("graph_capture", "none")),
    "latent vectors expanded again": stacks(set_stack("selective_latents", False)),
}


def judge(build, configs, fits):
    env = dict(os.environ, CLUSTERWRIGHT_CONFIGS=str(configs))
    if fits:
        subprocess.run([build / "calibration/fit_parameters", ROOT / "calibration/measurements", configs, "steps"],
                       check=True, stdout=subprocess.DEVNULL, env=env)
    cases = sorted((ROOT / "calibration/measurements").glob("training*.json"))
    out = configs / "validation.json"
    subprocess.run([build / "tools/clusterwright", "validate", "--quiet", "--cases", *cases, "-o", out],
                   check=True, env=env)
    result = json.loads(out.read_text())
    families = [f for f in result["families"] if f["coverage"] > 0]
    mean = [sum(f[key] for f in families) / len(families) for key in ("median_abs_log", "p90_abs_log")]
    return mean, {f["name"]: f["median_abs_log"] for f in families}


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    print("| without | mean of families, median / p90 % | suffers most (median, points worse) |\n| --- | --- | --- |")
    words = [word for word in sys.argv[2:] if word != "--no-fit"]
    reference = {}
    for name, remove in EFFECTS.items():
        if words and name != "nothing" and not any(word in name for word in words):
            continue
        with tempfile.TemporaryDirectory() as folder:
            configs = pathlib.Path(folder) / "configs"
            shutil.copytree(ROOT / "configs", configs)
            (configs.parent / "calibration").symlink_to(ROOT / "calibration")
            remove(configs)
            mean, medians = judge(build, configs, "--no-fit" not in sys.argv)
        reference = reference or medians
        worse = sorted(medians, key=lambda f: reference.get(f, 0) - medians[f])[:3]
        suffers = ", ".join(f"{f} {100 * (medians[f] - reference.get(f, 0)):+.1f}" for f in worse)
        print(f"| {name} | {100 * mean[0]:.1f} / {100 * mean[1]:.1f} | {suffers if name != 'nothing' else ''} |",
              flush=True)


if __name__ == "__main__":
    main()
