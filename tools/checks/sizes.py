"""Limits that keep files, functions and lines readable, and #pragma once in every header."""
import re

HEADER_LINES = 250
SOURCE_LINES = 800
FUNCTION_LINES = 70
LINE_COLUMNS = 100

_SCRIPT_ENDINGS = (".py", ".sh", ".cmake")
_NOT_A_FUNCTION = re.compile(
    r"\b(?:namespace|class|struct|union|enum)\b[^;{}()]*$|\bextern\s*$|=\s*$|^\s*$")


def _function_name(head):
    names = re.findall(r"([~\w:]+|operator[^\s(]+)\s*\(", head)
    return names[0] if names else ""


def _opens_function(head):
    """Whether the text before a brace, back to the last ; { or }, is a function's head."""
    head = head.strip()
    return "(" in head and not _NOT_A_FUNCTION.search(head)


def long_functions(code):
    """(line, name, length) of the outermost functions longer than the limit."""
    found = []
    depth, opened = 0, []  # Of each open brace: None, or (line, name) of a function's.
    head_start, line = 0, 1
    for index, character in enumerate(code):
        if character == "\n":
            line += 1
        elif character == "{":
            head = re.sub(r"^\s*#[^\n]*", "", code[head_start:index], flags=re.MULTILINE)
            inside = any(opened)
            first = line - head.strip().count("\n")
            opened.append((first, _function_name(head))
                          if not inside and _opens_function(head) else None)
            depth += 1
            head_start = index + 1
        elif character == "}" and depth:
            depth -= 1
            start = opened.pop()
            if start and line - start[0] + 1 > FUNCTION_LINES:
                found.append((start[0], start[1], line - start[0] + 1))
            head_start = index + 1
        elif character == ";":
            head_start = index + 1
    return found


def _script(tree, path):
    if path.endswith(_SCRIPT_ENDINGS) or path.endswith("CMakeLists.txt"):
        return True
    return path.startswith("tools/") and tree.read(path).startswith("#!")


def _line_findings(tree, path, limit):
    lines = tree.read(path).split("\n")
    findings = []
    if len(lines) - 1 > limit:
        findings.append(f"{path}: {len(lines) - 1} lines; at most {limit}: split it")
    for number, text in enumerate(lines, 1):
        if len(text) > LINE_COLUMNS:
            findings.append(f"{path}:{number}: {len(text)} columns; at most {LINE_COLUMNS}")
    return findings


def _cpp_findings(tree, path):
    is_header = path.endswith(".h")
    findings = _line_findings(tree, path, HEADER_LINES if is_header else SOURCE_LINES)
    if is_header and not re.search(r"^#pragma once$", tree.read(path), re.MULTILINE):
        findings.append(f"{path}: no #pragma once")
    for line, name, length in long_functions(tree.code(path)):
        findings.append(f"{path}:{line}: function {name} has {length} lines; "
                        f"at most {FUNCTION_LINES}: split it")
    return findings


def check(tree):
    sources = set(tree.sources())
    findings = []
    for path in tree.files:
        if path in sources:
            findings += _cpp_findings(tree, path)
        elif _script(tree, path):
            findings += _line_findings(tree, path, SOURCE_LINES)
    return findings
