#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""State of the house: numbers about the tree, and the rules that it keeps.

  house.py report [--json] [CHECKOUT]   numbers, also of an older tree
  house.py time [--json] [CHECKOUT]     minutes of builds from nothing and of the tests (about ten minutes)
  house.py check [CHECKOUT]             exit 1 and a list where a rule is broken; exceptions stand in allowed.txt

Python 3 and nothing else; function lengths need universal-ctags.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import rules
import timing
import tree


def percentile(values, share):
    """Smallest value that at least `share` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * share // 100) - 1)] if ordered else None


def function_lengths(root, files):
    """Lines of every function definition, by ctags; None where it is not installed."""
    ctags = shutil.which("ctags")
    if not ctags:
        return None
    run = subprocess.run([ctags, "-f", "-", "--fields=+ne", "--languages=C++", "--langmap=C++:+.cu.cuh", "--c++-kinds=f", "-L", "-"],
                         input="\n".join(f.path for f in files), text=True, capture_output=True, cwd=root, check=True)
    spans = re.findall(r"\tline:(\d+)\b.*?\tend:(\d+)", run.stdout)
    return [int(end) - int(begin) + 1 for begin, end in spans]


def repeated_lines(files, run=6):
    """Lines that stand in a run of `run` or more lines found before; spaces, comments, includes and braces do not count."""
    seen, repeated = {}, 0
    for file in files:
        lines = [re.sub(r"\s+", " ", line).strip() for line in file.code.split("\n")]
        lines = [line for line in lines if re.search(r"\w", line) and not line.startswith(("namespace ", "using namespace "))]
        covered = set()
        for i in range(len(lines) - run + 1):
            window = tuple(lines[i:i + run])
            if seen.setdefault(window, (file.path, i)) != (file.path, i):
                covered.update(range(i, i + run))
        repeated += len(covered)
    return repeated


def comment_share(files):
    """Lines that hold nothing but a comment, in percent of the lines that are not blank; licence lines do not count."""
    lines = [line.strip() for file in files for line in file.text.split("\n") if line.strip() and "SPDX-" not in line]
    return round(100 * sum(line.startswith(("//", "/*")) for line in lines) / len(lines), 1) if lines else 0.0


def line_count(root, pattern):
    return sum(path.read_text().count("\n") for path in pathlib.Path(root).glob(pattern))


def numbers(root):
    files = tree.code_files(root)
    lines = [f.lines for f in files]
    functions = function_lengths(root, files)
    kinds = collections.Counter(rule for rule, _ in rules.findings(root))
    return {
        "files": len(files),
        "lines": sum(lines),
        "file_lines": {"median": percentile(lines, 50), "p95": percentile(lines, 95), "max": max(lines)},
        "function_lines": functions and {"p50": percentile(functions, 50), "p95": percentile(functions, 95), "max": max(functions)},
        "folders": len({f.folder for f in files}),
        "folder_pairs_including_each_other": kinds["folders"],
        "upward_includes": kinds["upward"],
        "names_not_in_their_file": kinds["name"],
        "sources_without_header": kinds["header"],
        "files_over_400_lines": kinds["length"],
        "repeated_lines": repeated_lines(files),
        "comment_percent_headers": comment_share([f for f in files if f.is_header]),
        "comment_percent_sources": comment_share([f for f in files if not f.is_header]),
        "schema_lines": line_count(root, "configs/schema/**/*.json"),
        "formats_lines": line_count(root, "docs/formats.md") + line_count(root, "docs/formats/*.md"),
    }


def show(values, as_json):
    if as_json:
        print(json.dumps(values, indent=2))
        return
    for name, value in values.items():
        if isinstance(value, dict):
            value = "  ".join(f"{key} {part}" for key, part in value.items())
        print(f"{name.replace('_', ' '):36}{'-' if value is None else value}")


def check(root):
    found = [f"{rule}: {text}" for rule, text in rules.findings(root)]
    listed = pathlib.Path(__file__).with_name("allowed.txt").read_text().splitlines()
    allowed = {line for line in listed if line and not line.startswith("#")}
    broken = [line for line in found if line not in allowed]
    stale = sorted(allowed.difference(found))
    for line in broken:
        print(line)
    for line in stale:
        print(f"allowed: no longer occurs, delete it from tests/house/allowed.txt: {line}")
    print(f"house: {len(broken) + len(stale)} findings, {len(allowed) - len(stale)} allowed")
    return 1 if broken or stale else 0


def main(arguments):
    options = [a for a in arguments if a.startswith("-")]
    words = [a for a in arguments if not a.startswith("-")]
    if not words or len(words) > 2 or words[0] not in ("report", "time", "check") or set(options) - {"--json"}:
        print(__doc__, file=sys.stderr)
        return 2
    root = os.path.abspath(words[1] if len(words) == 2 else pathlib.Path(__file__).parents[2])
    if words[0] == "check":
        return check(root)
    return show(numbers(root) if words[0] == "report" else timing.minutes(root), "--json" in options)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
