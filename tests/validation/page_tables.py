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
HELD_OUT = ("by_model", "by_size", "by_large_size", "by_accelerator", "by_source", "by_stack", "by_year")
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


def mean_row(families):
    """Families weighted equally."""
    keys = ("coverage", "median_abs_log", "p90_abs_log", "bias", "within_10_percent", "in_interval", "median_half_width")
    return ["mean of families", str(len(families)), *(percent(sum(f[key] for f in families) / len(families)) for key in keys)]


def collective_row(name, family):
    error = f"{percent(family['median_abs_log'])} / {percent(family['p90_abs_log'])}"
    slow = -100 * family["bias"]
    return [name, str(family["n"]), error, f"{slow:+.1f}", f"{100 * family['in_interval']:.0f} %", percent(family["median_half_width"])]


def held_out_row(name, row):
    return [name, f"{row['n']:,}", *(percent(row[key]) for key in ("median_abs_log", "p90_abs_log", "bias"))]


def judged_row(name, row):
    """A held-out row with its intervals, where they are judged."""
    judged = row["median_half_width"] is not None
    return held_out_row(name, row) + ([percent(row[key]) for key in ("in_interval", "median_half_width")] if judged else [])


def without_kernels_row(name, row):
    first = judged_row(name, row)
    return first[:1] + [None] + first[1:]


def baseline_row(name, engine, closed_form, constant):
    """Held-out errors of the engine beside those of the two baselines, on the same rows."""
    errors = [percent(row[key]) for row in (engine, closed_form, constant) for key in ("median_abs_log", "p90_abs_log")]
    ratio = engine["median_abs_log"] / closed_form["median_abs_log"]
    return [name, f"{engine['n']:,}", *errors, f"{ratio:.2f}"]


def baseline_rows(cross):
    for part in ("by_model", "by_size", "by_accelerator"):
        others = [{row["name"]: row for row in cross.get(base, {}).get(part, [])} for base in ("closed_form", "constant")]
        for row in cross.get(part, []):
            if all(row["name"] in other for other in others):
                yield baseline_row(row["name"].removeprefix("training step, "), row, *(other[row["name"]] for other in others))


def ranking_row(name, group):
    keys = ("right_best", "within_3_percent", "median_regret", "p90_regret", "mean_regret", "mean_blind_regret", "mean_rule_regret")
    counts = [str(group["groups"]), f"{group['layouts']:,}", f"{group['votes']:.1f}"]
    return [name, *counts, *(percent(group[key]) for key in keys), f"{group['median_kendall_tau']:.2f}"]


def ranking_rows(validation):
    ranking = validation.get("layout_ranking")
    if ranking:
        yield from (ranking_row(group["name"], group) for group in ranking["families"])
        yield ranking_row("all", ranking["summary"])
        yield ranking_row("unscored steps too", ranking["with_unscored"])


def reliability_row(name, group):
    first, last = ("mean_probability", "frequency", "chance"), ("in_interval", "median_half_width")
    scores = [f"{group[key]:.3f}" for key in ("brier", "brier_of_mean")]
    return [name, f"{group['pairs']:,}", f"{group['votes']:.1f}", *(percent(group[key]) for key in first), *scores, *(percent(group[key]) for key in last)]


def reliability_rows(validation):
    """Of models held out: the page shows no other table of probabilities."""
    held_out = ((validation.get("pair_reliability") or {}).get("held_out") or {}).get("by_model")
    if held_out:
        yield from (reliability_row(one["name"], one) for one in held_out["bins"] if one["pairs"])
        yield from (reliability_row("differ in " + one["name"], one) for one in held_out["axes"])
        yield reliability_row("all", held_out["all"])


def rows_of(validation):
    """What each row should say, by its first cell and number of cells; None keeps a cell as it is."""
    scored = [family for family in validation["families"] if family["n"] > 0]
    by_name = {family["name"]: family for family in scored}
    rows = [family_row(family) for family in scored]
    total = validation["overall"]
    rows.append(family_row(total))
    rows.append(mean_row(scored))
    rows += [collective_row(name, by_name[family]) for name, family in COLLECTIVES.items() if family in by_name]
    rows += [collective_row("all", kind) for kind in validation["kinds"] if kind["name"] == "collective"]
    cross = validation.get("cross_validation") or {}
    for row in (row for part in HELD_OUT for row in cross.get(part, [])):
        rows.append(judged_row(row["name"].removeprefix("training step, "), row))
    for row in (row for part in WITHOUT_KERNELS for row in cross.get(part, []) if row["median_half_width"] is not None):
        rows.append(without_kernels_row(SUMS.get(row["name"], row["name"].split(" held out")[0]), row))
    rows += [*baseline_rows(cross), *ranking_rows(validation), *reliability_rows(validation)]
    return {(row[0], len(row)): row for row in rows}


def cells_of(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def renewed(line, rows):
    if not line.startswith("| "):
        return line
    cells = cells_of(line)
    wanted = rows.get((cells[0], len(cells)))
    if wanted is None or not re.search(r"\d", "".join(cells[1:])):
        return line
    return "| " + " | ".join(new if new is not None else old for new, old in zip(wanted, cells)) + " |"


def renew(page, validation):
    """The page with every row as `validation` states it."""
    rows = rows_of(validation)
    return "\n".join(renewed(line, rows) for line in page.split("\n"))


def as_numbers(line):
    return [float(number) for number in re.findall(r"[-+]?\d+(?:\.\d+)?", line.replace(",", ""))]


def differ(old, new):
    """Whether two rows differ by more than the last digit, which builds round differently."""
    a, b = as_numbers(old), as_numbers(new)
    return len(a) != len(b) or any(abs(x - y) > 0.11 for x, y in zip(a, b))


def stale(page, validation):
    """Sentences on rows of the page that `validation` states otherwise."""
    pairs = zip(page.split("\n"), renew(page, validation).split("\n"))
    return [f"docs/validation.md: '{old}' should be '{new}'" for old, new in pairs if differ(old, new)]
