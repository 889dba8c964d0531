# SPDX-License-Identifier: Apache-2.0
"""Rules that the house keeps. Each yields (rule, text); findings() runs them all."""
import collections
import os
import re

import alone
import tree

LONGEST = 400
NOTATION = set("mnkqvxy")  # the field's own: a GEMM is m x n x k, attention reads q, k and v, a point is at x, y
PROGRAM_OF_ITS_OWN = re.compile(r"^calibration/probes/")  # built for GPUs, shares no code with the rest
HAS_NO_HEADER = re.compile(r"^tools/commands/|/main\.cpp$|^calibration/probes/")


def upward(root):
    """Includes against the one-way order of layers and of the rooms of models."""
    for file in tree.code_files(root):
        layer, room = tree.place(file.path)
        for target in file.includes:
            above, above_room = tree.place(target)
            if above is not None and above > layer:
                yield "upward", f"{file.path} includes {target}, which is above {tree.LAYERS[layer]}"
            if room is not None and above_room is not None and above_room > room:
                yield "upward", f"{file.path} includes {target}, which is above models/{tree.ROOMS[room]}"


def libraries(root):
    """Libraries that leave their room: nlohmann/json, CLI11, Boost.Graph."""
    for file in tree.code_files(root):
        for target in file.includes:
            library = target.split("/")[0]
            if library == "nlohmann" and not re.match(r"sim/json_[a-z_]*\.cpp$", file.path):
                yield "library", f"{file.path} includes {target}, only sim/json_*.cpp may"
            if library == "CLI" and not (file.path.startswith("tools/") and file.suffix == ".cpp"):
                yield "library", f"{file.path} includes {target}, only tools/*.cpp may"
            if target.startswith("boost/graph/") and file.is_header:
                yield "library", f"{file.path} includes {target} in a header"


def streams(root):
    """Writing to standard error past write_error(), which alone never fails."""
    for file in tree.code_files(root):
        if file.path.startswith(("tools/", "models/", "topology/", "sim/")) and re.search(r"\bstderr\b(?!\")|\bcerr\b", file.code):
            yield "stream", f"{file.path} writes to standard error, only tools/standard_streams.cpp may"


POWER_IN_POWERS_OF_TEN = re.compile(r"\.\d+g\} [kM]?W\b")


def powers(root):
    """Watts in sentences that large sites would print as 2e+04 kW."""
    for file in tree.code_files(root):
        if file.path.startswith(("models/", "topology/", "tools/")) and POWER_IN_POWERS_OF_TEN.search(file.text):
            yield "power", f"{file.path} formats watts with g, which prints 2e+04 kW: use plain_number()"


def folders(root):
    """Two folders that include each other."""
    arrows = collections.defaultdict(list)
    for file in tree.code_files(root):
        for target in file.includes:
            folder = os.path.dirname(target)
            if folder and folder != file.folder:
                arrows[file.folder, folder].append(f"{file.path} includes {target}")
    for (a, b), there in sorted(arrows.items()):
        back = arrows.get((b, a))
        if a < b and back:
            yield "folders", f"{a} and {b} include each other ({min(there, back, key=len)[0]})"


def snake_case(name):
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name).lower()


def names(root):
    """Types and free functions of headers that are declared elsewhere than in the file of their name."""
    homes, places = {}, collections.defaultdict(list)
    for file in tree.code_files(root):
        program = file.folder if PROGRAM_OF_ITS_OWN.search(file.path) else ""
        if file.is_header or not HAS_NO_HEADER.search(file.path):
            homes.setdefault((program, file.stem), f"{file.folder}/{file.stem}")
        if file.is_header and not file.path.startswith("tools/commands/"):  # commands.hpp: each command has its .cpp
            for d in file.declarations:
                if d.kind in ("type", "function"):
                    places[program, d.name].append(file)
    for (program, name), declared_in in sorted(places.items()):
        home = homes.get((program, snake_case(name)))
        if home and all(f.stem != snake_case(name) for f in declared_in):
            yield "name", f"{name} is declared in {declared_in[0].path}, not in {home}.hpp"


def headers(root):
    """Sources without a header of the same stem beside them."""
    files = tree.code_files(root)
    stems = {(f.folder, f.stem) for f in files if f.is_header}
    for file in files:
        if file.suffix == ".cpp" and (file.folder, file.stem) not in stems and not HAS_NO_HEADER.search(file.path):
            yield "header", f"{file.path} has no header of its name"


def lengths(root):
    for file in tree.code_files(root, (*tree.LAYERS, "tests", "examples")):
        if file.lines > LONGEST:
            yield "length", f"{file.path} has more than {LONGEST} lines"


def unity(root):
    """Equal names in anonymous namespaces of one folder, whose sources are compiled together; overloads may share one."""
    users = collections.defaultdict(list)
    for file in tree.code_files(root, (*tree.LAYERS, "tests")):
        if file.suffix == ".cpp" and file.stem != "main":
            for d in file.declarations:
                if d.anonymous and d.kind not in ("member", "method") and not d.name.isupper():
                    users[file.folder, d.name].append((d.kind == "function" and d.parameters, file.stem))
    for (folder, name), uses in sorted(users.items()):
        other_kinds = {stem for parameters, stem in uses if parameters is False}
        for parameters in sorted({str(parameters) for parameters, _ in uses}):
            stems = {stem for other, stem in uses if str(other) == parameters} | other_kinds
            if len(stems) > 1:
                yield "unity", f"{folder}: {name} stands in anonymous namespaces of {', '.join(sorted(stems))}"
                break


def twice(root):
    """Types that two headers define: the project is one namespace, so the linker would take either in silence."""
    homes = collections.defaultdict(set)
    for file in tree.code_files(root):
        if file.is_header and not PROGRAM_OF_ITS_OWN.search(file.path):
            for d in file.declarations:
                if d.kind == "type" and not d.anonymous:
                    homes[d.name].add(file.path)
    for name, paths in sorted(homes.items()):
        if len(paths) > 1:
            yield "twice", f"{name} is defined in {' and '.join(sorted(paths))}"


def licences(root):
    """Sources and scripts that do not say their licence in the first line, or the second after #!."""
    for path in tree.all_files(root):
        if path.endswith((*tree.SUFFIXES, ".py", ".sh", ".mjs", ".cmake", "CMakeLists.txt")):
            with open(os.path.join(root, path)) as text:
                head = [text.readline(), text.readline()]
            if not any("SPDX-License-Identifier: Apache-2.0" in line for line in head[:1 + head[0].startswith("#!")]):
                yield "licence", f"{path} does not open with SPDX-License-Identifier: Apache-2.0"


def members(root):
    """Data members of one letter, with or without the underscore of a private member."""
    for file in tree.code_files(root):
        for d in file.declarations:
            if d.kind == "member" and len(d.name.rstrip("_")) <= 1 and d.name.rstrip("_") not in NOTATION:
                yield "member", f"{file.path} has a data member {d.name}"


def alternatives(word):
    """Paths that a word with {a,b} stands for."""
    braces = re.search(r"\{([^{}]*)\}", word)
    if not braces:
        return [word]
    return [path for part in braces.group(1).split(",") for path in alternatives(word[:braces.start()] + part + word[braces.end():])]


def pages(root):
    """Paths in backticks and links of the pages that lead nowhere."""
    files = tree.all_files(root)
    known = set(files) | {os.path.dirname(path) for path in files}
    while len(known) < len(known := known | {os.path.dirname(path) for path in known}):
        pass
    tops = {path.split("/")[0] for path in known if "/" in path}
    stems = {os.path.splitext(path)[0] for path in files}
    base_names = {os.path.basename(path) for path in files}
    for page in files:
        if not re.fullmatch(r"docs/(?:[^/]*/)?[^/]*\.md|README\.md|CONTRIBUTING\.md", page):
            continue
        with open(os.path.join(root, page)) as text:
            prose = re.sub(r"^```.*?^```", "", text.read(), flags=re.M | re.S)
        words = [word.rstrip(".,:;") for code in re.findall(r"`([^`\n]+)`", prose) for word in code.split()]
        for word in sorted({path for word in words for path in alternatives(word)}):
            if not re.fullmatch(r"[\w.\-/]+", word):
                continue
            place = word.rstrip("/")
            in_tree = "/" in word and place.split("/")[0] in tops and place not in known | stems
            alone = "/" not in word and word.endswith(tree.SUFFIXES) and word not in base_names
            if in_tree or alone:
                yield "page", f"{page} names {word}, which does not exist"
        for link in sorted(set(re.findall(r"\]\(([^)#\s]+)", prose))):
            if "://" not in link and os.path.normpath(os.path.join(os.path.dirname(page), link)) not in known:
                yield "page", f"{page} links {link}, which does not exist"


def findings(root):
    for rule in (upward, libraries, streams, powers, folders, names, headers, lengths, unity, twice, licences, members, pages, alone.headers_alone):
        yield from rule(root)
