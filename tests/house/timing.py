# SPDX-License-Identifier: Apache-2.0
"""Time from nothing to a program and to a tested tree: builds in a scratch folder, without a compiler cache."""
import json
import os
import pathlib
import resource
import subprocess
import tempfile
import time


def timed(command, root):
    """(wall, processor) minutes of a command and its children. Raises CalledProcessError where it fails."""
    environment = {**os.environ, "CCACHE_DISABLE": "1"}
    cpu, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(command, cwd=root, env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime - cpu.ru_utime + after.ru_stime - cpu.ru_stime
    return round((time.monotonic() - wall) / 60, 1), round(seconds / 60, 1)


def preset_variables(root, name):
    presets = json.loads((pathlib.Path(root) / "CMakePresets.json").read_text())["configurePresets"]
    variables = next(preset["cacheVariables"] for preset in presets if preset["name"] == name)
    return [f"-D{key}={value}" for key, value in variables.items()]


def minutes(root):
    """Wall and processor minutes of the program that tools/quickstart builds, of the dev build with tests, and of the tests."""
    found = {}
    build = pathlib.Path(root, "build")  # programs find their data in the tree around them
    build.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="timing-", dir=build) as scratch:
        steps = [("release", "program", ["--target", "clusterwright"]), ("dev", "build_with_tests", [])]
        for preset, name, target in steps:
            tree = os.path.join(scratch, preset)
            subprocess.run(["cmake", "-S", root, "-B", tree, "-G", "Ninja", *preset_variables(root, preset)], stdout=subprocess.DEVNULL, check=True)
            found[name] = timed(["cmake", "--build", tree, *target], root)
        found["tests"] = timed(["ctest", "--test-dir", os.path.join(scratch, "dev"), "--parallel", str(os.cpu_count())], root)
    return {f"{name}_minutes": {"wall": wall, "processor": cpu} for name, (wall, cpu) in found.items()}
