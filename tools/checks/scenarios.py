"""Every scenario script says what it shows and where it is from, and COVERAGE.md is true: what it
names exists, and no script or entry of the catalogues is missing."""
import re
from pathlib import PurePosixPath

FOLDER = "tests/scenario"
TABLE = f"{FOLDER}/COVERAGE.md"
SCRIPTS = f"{FOLDER}/scripts/"
SCENARIOS = 192
# Letters are groups of failures; numbers are not consecutive.
FAILURES = {
    "A": (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 18, 19, 20),
    "B": (1, 2, 3, 4, 5, 6, 8, 9, 11, 12, 13, 14),
    "C": (1, 2, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20),
    "D": (1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16),
    "E": (1, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 16),
    "F": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16),
    "G": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13),
    "H": (1, 2, 3, 5, 6, 7, 9, 10, 11),
    "J": (1, 2, 3, 4, 5, 7, 8, 9, 10),
    "K": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12),
}
_ENTRY = re.compile(r"^\| (S-\d+|[A-K]-\d\d) \|(.*)\|$", re.MULTILINE)
_NAMED = re.compile(r"`([^`\n]+)`")
_SCRIPT = re.compile(r"[a-z][a-z-]*/[a-z0-9-]+")
_TEST = re.compile(r"([a-z_0-9]+\.(?:cc|py))(?:::(\w+))?")


def _expected_entries():
    yield from (f"S-{number}" for number in range(1, SCENARIOS + 1))
    for group, numbers in FAILURES.items():
        yield from (f"{group}-{number:02}" for number in numbers)


def _header_findings(path, text):
    header = []
    for line in text.splitlines():
        if not line.startswith("#"):
            break
        header.append(line)
    if not header or header[0].startswith("# Source:"):
        yield f"{path}: begins with a comment that says what it shows"
    if not any(re.match(r"# Source: \S", line) for line in header):
        yield f"{path}: its first comment names no source (# Source: ...)"


def _test_findings(tree, word):
    name, case = _TEST.fullmatch(word).groups()
    paths = [path for path in tree.files
             if path.startswith("tests/") and PurePosixPath(path).name == name]
    if not paths:
        yield f"{TABLE}: no test file {name}"
    elif case and not any(re.search(rf"\b{case}\b", tree.read(path)) for path in paths):
        yield f"{TABLE}: no test {case} in {name}"


def _table_findings(tree, scripts):
    text = tree.read(TABLE)
    entries = [match.group(1) for match in _ENTRY.finditer(text)]
    yield from (f"{TABLE}: no entry {entry}" for entry in _expected_entries()
                if entry not in entries)
    yield from (f"{TABLE}: two entries {entry}" for entry in sorted(set(entries))
                if entries.count(entry) > 1)
    for match in _ENTRY.finditer(text):
        if not match.group(2).split("|")[-1].strip():
            yield f"{TABLE}: {match.group(1)} says nothing"
    named = set(_NAMED.findall(text))
    for word in sorted(named):
        if _TEST.fullmatch(word):
            yield from _test_findings(tree, word)
        elif _SCRIPT.fullmatch(word) and not word.startswith(("topic/", "tests/", "tools/")):
            if f"{SCRIPTS}{word}.txt" not in scripts:
                yield f"{TABLE}: no script {word}"
    for path in scripts:
        if path.removeprefix(SCRIPTS).removesuffix(".txt") not in named:
            yield f"{TABLE}: does not name {path}"


def check(tree):
    scripts = [path for path in tree.files if path.startswith(SCRIPTS) and path.endswith(".txt")]
    if not scripts and TABLE not in tree.files:
        return []
    findings = []
    for path in scripts:
        findings += _header_findings(path, tree.read(path))
    if TABLE not in tree.files:
        return [*findings, f"{TABLE}: missing"]
    return [*findings, *_table_findings(tree, scripts)]
