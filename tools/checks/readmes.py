"""Every source folder has a README.md of at most two pages that names each of its file groups."""
import fnmatch
import re
from pathlib import PurePosixPath

# Two printed pages.
MAX_LINES = 120
_CODE_ENDINGS = (".h", ".cc", ".py", ".thrift")
# Folders that the README of a folder above describes.
_DESCRIBED_ABOVE = ("tests/", "tools/")


def _folders(tree):
    """Folder -> names of the code files directly in it."""
    folders = {}
    for path in tree.files:
        pure = PurePosixPath(path)
        if pure.suffix in _CODE_ENDINGS and str(pure.parent) != ".":
            folders.setdefault(str(pure.parent), set()).add(pure.name)
    return folders


def _stem(name):
    stem = PurePosixPath(name).stem
    return stem.removesuffix("_test")


def _names(text):
    """What the README calls by name: words in backquotes, split at blanks and commas."""
    quoted = re.findall(r"`([^`\n]+)`", text)
    return [word for words in quoted for word in re.split(r"[\s,]+", words) if word]


def _is_named(name, words):
    """`slot.h`, `slot.{h,cc}`, `slot.*`, `slot` and `partition_*` all name their files."""
    stem = _stem(name)
    for word in words:
        word = word.split("/")[-1]
        word = word.split(".")[0] if not word.startswith(".") else word
        if word and fnmatch.fnmatchcase(stem, word):
            return True
    return False


def _describing_readme(tree, folder):
    """The README of the folder, or for parts of tests and tools the nearest one above."""
    known = set(tree.files)
    while True:
        if f"{folder}/README.md" in known:
            return f"{folder}/README.md"
        if not folder.startswith(_DESCRIBED_ABOVE):
            return None
        folder = str(PurePosixPath(folder).parent)


def check(tree):
    findings = []
    for folder, names in sorted(_folders(tree).items()):
        readme = _describing_readme(tree, folder)
        if readme is None:
            findings.append(f"{folder}: no README.md")
            continue
        # Tests mirror the tree and need not be named one by one.
        if folder.startswith("tests/") or readme != f"{folder}/README.md":
            continue
        words = _names(tree.read(readme))
        findings += [f"{readme}: does not name {name}" for name in sorted(names)
                     if not _is_named(name, words)]
    for path in tree.files:
        if path.endswith("README.md") and "/" in path:
            lines = tree.read(path).count("\n")
            if lines > MAX_LINES:
                findings.append(f"{path}: {lines} lines; at most {MAX_LINES}")
    return findings
