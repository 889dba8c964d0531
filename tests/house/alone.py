# SPDX-License-Identifier: Apache-2.0
"""Headers that stand alone: what a header names, it includes, itself or through headers of the project."""
import collections
import os
import re

import tree

# Standard names and the headers that give them.
STANDARD = {
    "algorithm": "max min clamp sort find_if any_of all_of none_of count_if transform fill minmax lower_bound upper_bound",
    "array": "array to_array",
    "atomic": "atomic",
    "chrono": "chrono",
    "cmath": "sqrt pow exp log log2 ceil floor abs round isfinite isnan hypot lround llround",
    "compare": "strong_ordering partial_ordering weak_ordering",
    "concepts": "same_as integral floating_point derived_from convertible_to invocable totally_ordered",
    "cstddef": "size_t ptrdiff_t byte nullptr_t max_align_t",
    "cstdint": "int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t",
    "deque": "deque",
    "exception": "exception exception_ptr current_exception rethrow_exception",
    "filesystem": "filesystem",
    "fstream": "ifstream ofstream",
    "functional": "function hash less greater plus reference_wrapper invoke",
    "initializer_list": "initializer_list",
    "iterator": "back_inserter next prev forward_iterator_tag input_iterator_tag",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "unique_ptr shared_ptr weak_ptr make_unique make_shared",
    "mutex": "mutex lock_guard unique_lock scoped_lock once_flag",
    "numeric": "accumulate iota gcd lcm",
    "optional": "optional nullopt nullopt_t",
    "queue": "queue priority_queue",
    "random": "mt19937 mt19937_64 uniform_int_distribution uniform_real_distribution normal_distribution",
    "ranges": "ranges views",
    "set": "set multiset",
    "span": "span",
    "sstream": "ostringstream istringstream stringstream",
    "stdexcept": "runtime_error logic_error invalid_argument out_of_range length_error domain_error",
    "string": "string to_string stod stoi",
    "string_view": "string_view",
    "thread": "thread jthread this_thread",
    "tuple": "tuple tie make_tuple",
    "type_traits": "is_same_v is_enum_v is_class_v enable_if_t conditional_t decay_t remove_cvref_t underlying_type_t",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": "move pair forward swap exchange in_range make_pair to_underlying index_sequence",
    "variant": "variant visit get_if holds_alternative monostate",
    "vector": "vector",
}
GIVES = collections.defaultdict(set)
for header, names in STANDARD.items():
    for name in names.split():
        GIVES[name].add(header)
# Other headers that give them too.
ALSO = {
    "size_t": "array cstdint cstdlib cstring deque functional map memory optional span string string_view tuple unordered_map vector",
    "nullptr_t": "memory string vector",
    "move": "algorithm memory string vector",
    "pair": "map",
    "swap": "algorithm",
    "abs": "cstdlib",
    "hash": "string memory",
    "ostream": "ostream iosfwd iostream sstream",
    "istream": "istream iosfwd iostream sstream",
}
for name, others in ALSO.items():
    GIVES[name] |= set(others.split())


def closure(path, headers, known):
    """Every include of a header, and of the project's headers that it includes."""
    if path not in known:
        known[path] = set()  # a circle of headers ends here
        for target in headers[path].includes:
            known[path].add(target)
            if target in headers:
                known[path] |= closure(target, headers, known)
    return known[path]


def headers_alone(root):
    """Names of the standard library, of fmt and types of the project without the header that gives them."""
    headers = {f.path: f for f in tree.code_files(root) if f.is_header and not f.path.startswith("calibration/probes/")}
    homes = collections.defaultdict(set)
    for path, file in headers.items():
        for d in file.declarations:
            if d.kind in ("type", "alias") and not d.anonymous and re.search(r"[A-Z].*[a-z]", d.name):
                homes[d.name].add(path)
        for name in re.findall(r"^(?:template <[^>]*>\s*)?(?:struct|class|enum class) (\w+)(?: : [\w:]+)?;", file.code, re.M):
            homes[name].add(path)  # a forward declaration is enough for who includes it
    known = {}
    for path, file in sorted(headers.items()):
        includes = closure(path, headers, known) | {path}
        for name in sorted(set(re.findall(r"\bstd::(\w+)", file.code))):
            if name in GIVES and not GIVES[name] & includes:
                yield "alone", f"{path} names std::{name} and does not include <{sorted(GIVES[name])[0]}>"
        if re.search(r"\bfmt::", file.code) and not any(i.startswith("fmt/") for i in includes):
            yield "alone", f"{path} names fmt and does not include it"
        for name in sorted(set(re.findall(r"(?<![\w:.>])([A-Z]\w*)\b", file.code)) & homes.keys()):
            own = re.search(rf"\b(?:struct|class|union|enum|using|typename|concept|namespace)\s+{name}\b", file.code)
            if not own and not homes[name] & includes:
                yield "alone", f"{path} names {name} and does not include {sorted(homes[name])[0]}"
