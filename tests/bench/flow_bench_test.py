#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the command line of flow_bench: one line of JSON, or exit code 2 and what is wrong."""
import json
import subprocess
import sys

REFUSED = {"": "missing", "perm": "missing", "perms 64": "unknown case", "perm 63": "no fat tree", "perm x": "no fat tree", "perm 64x": "no fat tree",
           "perm -64": "no fat tree", "perm 64 0": "K must be from 1", "perm 64 two": "K must be from 1", "perm 64 1001": "K must be from 1",
           "ring 64 2": "K must be 1", "perm 64 1 -5": "LATENCY_NS", "perm 64 1 0.5": "LATENCY_NS", "perm 64 1 0 more": "unexpected argument \"more\""}


def main(program):
    for words, reason in REFUSED.items():
        run = subprocess.run([program, *words.split()], capture_output=True, text=True)
        if run.returncode != 2 or reason not in run.stderr or run.stdout:
            return f"flow_bench {words}: exit code {run.returncode}, {run.stdout!r}, {run.stderr!r}; expected 2 and {reason!r}"
    run = subprocess.run([program, "perm", "64"], capture_output=True, text=True, check=True)
    result = json.loads(run.stdout)
    if run.stdout.count("\n") != 1 or list(result) != ["case", "hosts", "events", "finish_s", "cpu_s"]:
        return f"flow_bench perm 64 prints {run.stdout!r}"
    if abs(result["finish_s"] - 0.072349831) > 1e-9 or result["events"] != 65:
        return f"flow_bench perm 64 ends with {result}"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
