#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the errors of every family of measurements from growing unnoticed.

  family_gate.py VALIDATION.json           compares with families.json; 1 if a family got worse and nobody says so
  family_gate.py VALIDATION.json --update  writes families.json and the tables of docs/validation.md anew

README.md and docs/validation.md must state the figures of all cases, and of every family, as VALIDATION.json has them.
VALIDATION.json is what `clusterwright validate --format json` prints; with `--cross` it has the held-out rows too. A family whose median error grew by more than a
tenth needs its name under "Results that change" of the unreleased changes in CHANGELOG.md.
"""
import json
import pathlib
import re
import sys

import page_tables

PROJECT = pathlib.Path(__file__).resolve().parents[2]
TABLE = PROJECT / "tests" / "validation" / "families.json"
PAGE = PROJECT / "docs" / "validation.md"
TOLERATED_GROWTH = 1.1
ROUNDING = 0.002  # growth of an error that is none: platforms round sums differently


def errors_of(validation):
    """Scored cases, median and 90th percentile of the error, share inside the interval, of each family with scored cases."""
    return {
        family["name"]: {
            "n": family["n"],
            "coverage": round(family["coverage"], 4),
            "median": round(family["median_abs_log"], 4),
            "p90": round(family["p90_abs_log"], 4),
            "in_interval": round(family["in_interval"], 4),
        }
        for family in validation["families"]
        if family["n"] > 0
    }


def told(changelog):
    """"Results that change" of the newest entry of the change log."""
    newest = changelog.split("\n## ", 2)[1].split("\n### ", 2)[1]
    return newest.split("Results that change", 1)[1] if "Results that change" in newest else ""


def names(text, family):
    return re.search(rf"(?<![\w-]){re.escape(family)}(?![\w-])", text) is not None


def findings(now, before, changelog):
    """Sentences on families that got worse, lost predictions, came or went, without a word in the change log."""
    out = []
    for family in sorted(set(now) | set(before)):
        if family not in before:
            out.append(f"{family}: not in families.json; --update writes it")
        elif family not in now:
            out.append(f"{family}: no scored case is left; --update removes it")
        elif now[family]["coverage"] < before[family]["coverage"]:
            out.append(f"{family}: fewer cases have a prediction ({now[family]['coverage']:.0%})")
        elif not names(told(changelog), family):
            old, new = before[family]["median"], now[family]["median"]
            if new > TOLERATED_GROWTH * old and new > old + ROUNDING:
                out.append(
                    f"{family}: median error {100 * old:.1f} -> {100 * new:.1f} %: mend it, or name the family under "
                    '"Results that change" in CHANGELOG.md and run --update'
                )
    return out


def unstated(overall, readme, page):
    """Sentences on figures of all cases that README.md or docs/validation.md state otherwise, or not at all."""
    median, p90 = (f"{100 * overall[key]:.1f}" for key in ("median_abs_log", "p90_abs_log"))
    inside, width = f"{100 * overall['in_interval']:.0f} %", f"{100 * overall['median_half_width']:.1f} %"
    expected = {
        "README.md": (readme, [f"median of {median} %", f"90th percentile of {p90} %", f"{inside} of the measured values lie inside"]),
        "docs/validation.md": (page, [f"The error is {median} / {p90}", f"contains {inside} of the measured values", f"half-width of the interval is {width}"]),
    }
    return [
        f"{name} does not say '{words}'"
        for name, (text, phrases) in expected.items()
        for words in phrases
        if words not in " ".join(text.split())
    ]


def main(arguments):
    update = "--update" in arguments
    files = [argument for argument in arguments if argument != "--update"]
    if len(files) != 1 or not pathlib.Path(files[0]).is_file():
        print(__doc__)
        return 2
    validation = json.loads(pathlib.Path(files[0]).read_text())
    now = errors_of(validation)
    if update:
        lines = ",\n".join(f"  {json.dumps(name)}: {json.dumps(now[name])}" for name in sorted(now))
        TABLE.write_text("{\n" + lines + "\n}\n")
        PAGE.write_text(page_tables.renew(PAGE.read_text(), validation))
        return 0
    before = json.loads(TABLE.read_text())
    found = findings(now, before, (PROJECT / "CHANGELOG.md").read_text())
    found += unstated(validation["overall"], (PROJECT / "README.md").read_text(), PAGE.read_text())
    found += page_tables.stale(PAGE.read_text(), validation)
    for sentence in found:
        print(sentence)
    print(f"families: {len(now)} compared, {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
