# SPDX-License-Identifier: Apache-2.0
"""C++ text read just far enough to know its declarations: comments away, scopes followed, function bodies skipped."""
import collections
import re

# Declaration at the scope of a namespace or a type. kind: type, alias, function, variable; in a type method, member.
# `parameters` holds the types of a function's parameters as text.
Declaration = collections.namedtuple("Declaration", "kind name line anonymous parameters")

TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)'
    r'|(?P<raw>R"(?P<mark>[^()\s]*)\(.*?\)(?P=mark)")'
    r"|(?P<string>\"(?:\\.|[^\"\\\n])*\"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+')"
    r'|(?P<directive>^[ \t]*#(?:[^\n\\]|\\.|\\\n)*)', re.S | re.M)
TYPE = re.compile(r"\b(?:struct|class|union|enum(?:\s+class|\s+struct)?)\s+(?:\[\[.*?\]\]\s*)?(?:alignas\([^)]*\)\s*)?(\w+)[^()=]*$")


def blank(text):
    """Text of the same lines without comments, contents of literals and preprocessor lines."""
    def spaces(match):
        found = match.group()
        if match.group("string") or match.group("raw"):
            return '"' + re.sub(r"[^\n]", " ", found[1:-1]) + '"'
        return re.sub(r"[^\n]", " ", found)
    return TOKEN.sub(spaces, text)


def without_templates(head):
    head = re.sub(r"\boperator\s*(<=>|<<|>>|<=|>=|<|>|->)", "operator", head).replace("->", " ")
    while True:
        shorter = re.sub(r"<[^<>;{}]*>", " ", head)
        if shorter == head:
            return head
        head = shorter


def parameter_types(head):
    """Text of the parameter list without names, default values and spaces."""
    begin = re.search(r"\w\s*\(", without_templates(head))
    text = head[head.index("(", head.index(begin.group()) if begin and begin.group() in head else 0) + 1:]
    parameters, part, depth = [], "", 0
    for c in text:
        depth += (c in "(<{[") - (c in ")>}]")
        if depth < 0:
            break
        if c == "," and not depth:
            parameters.append(part)
            part = ""
        else:
            part += c
    named = [re.sub(r"\s*=.*", "", parameter, flags=re.S).strip() for parameter in (*parameters, part)]
    return ",".join(re.sub(r"\s", "", re.sub(r"(?<=[\w>&*\s])\b\w+$", "", name) if " " in name else name) for name in named)


def declared(head, in_type):
    """(kind, name) of every name that a declaration without its body introduces."""
    head = re.sub(r"\[\[.*?\]\]", " ", head).strip()
    head = re.sub(r"^(?:(?:public|private|protected)\s*:\s*)+", "", head)
    if not head or re.match(r"(?:friend|static_assert|namespace|extern\s*\"|typedef)\b", head) or re.search(r"\boperator\b", head):
        return []
    alias = re.match(r"(?:template\s*<.*?>\s*)?using\s+(\w+)\s*=", head, re.S)
    if alias or head.startswith("using"):
        return [("alias", alias.group(1))] if alias else []
    plain = without_templates(head)
    plain = re.sub(r"^\s*template\b", " ", plain)
    before_value = re.split(r"=|\{", plain)[0]
    call = re.search(r"([\w~:]+)\s*\(", before_value)
    if call and not re.search(r"\b(?:alignas|decltype|requires)$", call.group(1)):
        name = call.group(1)
        return [] if "::" in name or name.startswith("~") else [("method" if in_type else "function", name)]
    if re.match(r"\s*(?:struct|class|union|enum)\b", before_value):
        return []  # forward declaration, or a type that was declared when its body opened
    names = re.findall(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?::\s*\d+\s*)?(?:=[^,]*|\{[^}]*\})?(?:,|$)", plain.strip())
    return [("member" if in_type else "variable", name) for name in names if re.search(r"\w\W+\w", before_value.strip())]


def opens(head):
    """Scope that a brace after `head` opens: namespace, anonymous, type or body."""
    namespace = re.search(r"\bnamespace\b\s*([\w:]*)\s*$", head)
    if namespace:
        return "namespace" if namespace.group(1) else "anonymous"
    if re.search(r'\bextern\s*"[^"]*"\s*$', head):
        return "namespace"
    plain = without_templates(head)
    return "type" if TYPE.search(plain) and "=" not in plain else "body"


def declarations(code):
    """Declarations at namespace and type scope, in order."""
    found, scopes, head, start, line, depth, i = [], [], "", 1, 1, 0, 0

    def emit(kind, name):
        found.append(Declaration(kind, name, start, "anonymous" in scopes, parameter_types(head) if kind == "function" else ""))

    while i < len(code):
        c = code[i]
        line += c == "\n"
        in_body = bool(scopes) and scopes[-1] == "body"
        if c in "()" and not in_body:
            depth += 1 if c == "(" else -1
        if c == "{":
            scope = "body" if in_body or depth else opens(head)
            if scope == "type":
                name = TYPE.search(without_templates(head)).group(1)
                if "type" not in scopes and not re.search(r"\btemplate\s*<\s*>", head):  # a specialisation follows its template
                    emit("type", name)
                if re.search(r"\benum\b", head):
                    scope = "body"
                head = ""
            elif scope != "body":
                head = ""
            scopes.append(scope)
        elif c == "}":
            scope = scopes.pop() if scopes else "namespace"
            if not (scopes and scopes[-1] == "body") and not depth:
                following = code[i + 1:].lstrip()[:1] if scope == "body" else ""
                if following not in (",", ";", ")", ".", "{") or not head:
                    if head:
                        for kind, name in declared(head, bool(scopes) and scopes[-1] == "type"):
                            emit(kind, name)
                    head = ""
                else:
                    head += "{}"
        elif not in_body:
            if c == ";" and not depth:
                for kind, name in declared(head, bool(scopes) and scopes[-1] == "type"):
                    emit(kind, name)
                head = ""
            else:
                if not head.strip():
                    head, start = "", line
                head += c
        i += 1
    return found
