"""Words that must not be in the tree: paths of one machine, unfinished marks, lone debug output."""
import re

# Spelt in parts, so that this file does not find itself.
FORBIDDEN = (
    (r"(?<![\w.])/wo" + r"rk/", "a path of one machine"),
    (r"(?<![\w.])/ro" + r"ot/", "a path of one machine"),
    (r"(?<![\w.])/home/\w+/", "a path of one machine"),
    (r"\bTO" + r"DO\b|\bFIX" + r"ME\b|\bXX" + r"X\b",
     "an unfinished mark: finish it or say the limit"),
    (r"GTEST_" + r"SKIP|pytest\.(?:mark\.)?sk" + r"ip|\bDISA" + r"BLED_\w+",
     "a test that does not run"),
)
_COMPILED = tuple((re.compile(pattern), why) for pattern, why in FORBIDDEN)
_BINARY = (".gz", ".png", ".zst", ".bin", ".db", ".xz", ".ico")


def check(tree):
    findings = []
    for path in tree.files:
        if path.endswith(_BINARY) or path.startswith("tests/fuzz/"):
            continue
        text = tree.read(path)
        for pattern, why in _COMPILED:
            for match in pattern.finditer(text):
                line = text.count("\n", 0, match.start()) + 1
                findings.append(f"{path}:{line}: {match.group(0)}: {why}")
    return findings
