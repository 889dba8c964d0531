# SPDX-License-Identifier: Apache-2.0
"""Rows of docs/validation.md that `clusterwright validate` states, found by their first cell."""
import re

COLLECTIVES = {  # first cell of the table of collectives: family, or kind
    "NCCL inside a node, Ampere and Hopper": "nccl-intranode",
    "NCCL inside a node, Blackwell": "nccl-intranode-blackwell",
    "NCCL over PCI Express": "nccl-pcie",
    "RCCL inside a node": "rccl-intranode",
    "NCCL between nodes, A100 and H100 (first set)": "nccl-multinode",
    "NCCL between nodes, A100": "nccl-multinode-a100",
    "NCCL between nodes, H100, RDMA and TCP": "nccl-multinode-h100",
    "NCCL between nodes, B200": "nccl-multinode-b200",
    "NCCL between racks and parts of racks, GB200": "nccl-multinode-nvl72",
    "NCCL over Omni-Path": "nccl-multinode-opa",
    "RCCL between nodes": "rccl",
    "dispatch and combine, low-latency kernels": "deepep",
    "dispatch and combine, bulk kernels": "deepep-bulk",
}
HELD_OUT = ("by_model", "by_size", "by_accelerator", "by_source", "by_stack")
WITHOUT_KERNELS = ("by_accelerator", "by_generation")
SUMS = {  # first cell of the rows that sum up the table of parts without their kernels
    "training step, accelerator and its kernels held out": "all accelerators",
    "training step, generation held out": "all generations",
}


def percent(value):
    return f"{100 * value:.1f}"


def family_row(family):
    keys = ("coverage", "median_abs_log", "p90_abs_log", "bias", "within_10_percent", "in_interval", "median_half_width")
    return [family["name"], f"{family['n']:,}", *(percent(family[key]) for key in keys)]


def collective_row(name, family):
    error = f"{percent(family['median_abs_log'])} / {percent(family['p90_abs_log'])}"
    slow = -100 * family["bias"]
    return [name, str(family["n"]), error, f"{slow:+.1f}", f"{100 * family['in_interval']:.0f} %", percent(family["median_half_width"])]


def held_out_row(name, row):
    return [name, f"{row['n']:,}", *(percent(row[key]) for key in ("median_abs_log", "p90_abs_log", "bias"))]


def without_kernels_row(name, row):
    first = held_out_row(name, row)
    return first[:1] + [None] + first[1:] + [percent(row[key]) for key in ("in_interval", "median_half_width")]


def rows_of(validation):
    """What each row should say, by its first cell and number of cells; None keeps a cell as it is."""
    scored = [family for family in validation["families"] if family["n"] > 0]
    by_name = {family["name"]: family for family in scored}
    rows = [family_row(family) for family in scored]
    total = validation["overall"]
    rows.append(family_row(total))
    rows += [collective_row(name, by_name[family]) for name, family in COLLECTIVES.items() if family in by_name]
    rows += [collective_row("all", kind) for kind in validation["kinds"] if kind["name"] == "collective"]
    cross = validation.get("cross_validation") or {}
    for row in (row for part in HELD_OUT for row in cross.get(part, [])):
        rows.append(held_out_row(row["name"].removeprefix("training step, "), row))
    for row in (row for part in WITHOUT_KERNELS for row in cross.get(part, []) if row["median_half_width"] is not None):
        rows.append(without_kernels_row(SUMS.get(row["name"], row["name"].split(" held out")[0]), row))
    return {(row[0], len(row)): row for row in rows}


def renewed(line, rows):
    if not line.startswith("| "):
        return line
    cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
    wanted = rows.get((cells[0], len(cells)))
    if wanted is None or not re.search(r"\d", "".join(cells[1:])):
        return line
    return "| " + " | ".join(new if new is not None else old for new, old in zip(wanted, cells)) + " |"


def renew(page, validation):
    """The page with every row as `validation` states it."""
    rows = rows_of(validation)
    return "\n".join(renewed(line, rows) for line in page.split("\n"))


def stale(page, validation):
    """Sentences on rows of the page that `validation` states otherwise."""
    pairs = zip(page.split("\n"), renew(page, validation).split("\n"))
    return [f"docs/validation.md: '{old}' should be '{new}'" for old, new in pairs if old != new]
