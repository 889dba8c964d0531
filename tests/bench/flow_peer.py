#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares flow_bench with SimGrid on the same flows: flow_peer.py FLOW_BENCH SIMGRID_FLOWS.

Prints both finish times and CPU times; exit code 1 where finish times differ by more than 1e-9 or 1 ns (closed loops: 1e-7).
Where flows contend latency is 0, as SimGrid weighs shares by latency.
"""
import json
import subprocess
import sys

CASES = [("ring", 512, 1, 500), ("perm", 64, 8, 0), ("perm", 512, 1, 0), ("permeq", 64, 8, 0), ("churn", 64, 1, 0), ("a2a", 64, 1, 0),
         ("a2as", 64, 1, 500), ("arb", 64, 1, 500), ("ara", 64, 1, 500)]


def play(program, case):
    run = subprocess.run([program, *map(str, case)], capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def main(ours, peer):
    different = 0
    print(f"{'case':7}{'hosts':>6}{'k':>3}{'ns':>5}{'finish, s':>19}{'SimGrid':>19}{'CPU, ms':>9}{'SimGrid':>9}")
    for case in CASES:
        a, b = play(ours, case), play(peer, case)
        allowed = max((1e-7 if case[0] == "churn" else 1e-9) * b["finish_s"], 1e-9)
        equal = abs(a["finish_s"] - b["finish_s"]) <= allowed
        different += not equal
        print(f"{case[0]:7}{case[1]:6}{case[2]:3}{case[3]:5}{a['finish_s']:19.15f}{b['finish_s']:19.15f}{1e3 * a['cpu_s']:9.2f}"
              f"{1e3 * b['cpu_s']:9.2f}{'' if equal else '  differ'}")
    return 1 if different else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
