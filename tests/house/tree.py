# SPDX-License-Identifier: Apache-2.0
"""Files of a checkout: its layers, its rooms, and what they include."""
import functools
import os
import pathlib
import re
import subprocess

import source_text

LAYERS = ["sim", "topology", "models", "calibration", "tools"]
ROOMS = ["job", "kernels", "plan", "memory", "lowering", "settling", "search", "prediction", "site", "procurement", "comparison"]  # of models, in the same one-way order
SUFFIXES = (".cpp", ".hpp", ".cu", ".cuh", ".h")


class File:
    """A source file: `text` as written, `code` without comments, literals and preprocessor lines, line by line the same."""

    def __init__(self, root, path):
        self.path = path
        self.folder, name = os.path.split(path)
        self.stem, self.suffix = os.path.splitext(name)
        self.text = (pathlib.Path(root) / path).read_text()
        self.lines = self.text.count("\n")

    @property
    def is_header(self):
        return self.suffix in (".hpp", ".cuh", ".h")

    @functools.cached_property
    def code(self):
        return source_text.blank(self.text)

    @functools.cached_property
    def includes(self):
        return re.findall(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)', self.text, re.M)

    @functools.cached_property
    def declarations(self):
        return source_text.declarations(self.code)


@functools.lru_cache
def all_files(root):
    """Paths of the checkout that git tracks or could track; in an unpacked archive every file outside build."""
    git = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, text=True)
    if git.returncode == 0:
        return sorted(path for path in git.stdout.split("\n") if path and os.path.exists(os.path.join(root, path)))
    found = (path.relative_to(root) for path in pathlib.Path(root).rglob("*") if path.is_file())
    return sorted(str(path) for path in found if path.parts[0] not in ("build", ".git"))


@functools.lru_cache
def code_files(root, folders=tuple(LAYERS)):
    return [File(root, path) for path in all_files(root) if path.split("/")[0] in folders and path.endswith(SUFFIXES)]


def place(path):
    """(layer, room) of a path as positions in their lists; None where it has no such place."""
    parts = path.split("/")
    layer = LAYERS.index(parts[0]) if parts[0] in LAYERS else None
    room = ROOMS.index(parts[1]) if parts[0] == "models" and len(parts) > 2 and parts[1] in ROOMS else None
    return layer, room
