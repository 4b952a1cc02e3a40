"""How our files are compiled, and a cache of clean results keyed by what went into them."""
import hashlib
import json
import re
import shlex
from pathlib import Path

PRESET = "release"
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
_DROPPED = ("-Werror", "-Woverloaded-virtual")


class CompileDatabase:
    def __init__(self, tree):
        self.tree = tree
        self.folder = tree.root / "build" / PRESET
        self._arguments = {}
        sources = set(tree.sources())
        for entry in self._entries():
            path = Path(entry["directory"], entry["file"]).resolve()
            if path.is_relative_to(tree.root) and str(path.relative_to(tree.root)) in sources:
                self._arguments[str(path.relative_to(tree.root))] = self._for_clang(entry)

    def _entries(self):
        file = self.folder / "compile_commands.json"
        return json.loads(file.read_text()) if file.exists() else []

    @staticmethod
    def _for_clang(entry):
        """Include paths, definitions and the language of a compiler call, without the rest."""
        kept, words = [], iter(shlex.split(entry["command"])[1:])
        for word in words:
            if word in ("-isystem", "-I"):
                kept += [word, next(words)]
            elif word.startswith(("-I", "-D", "-std=", "-W")) and word not in _DROPPED:
                kept.append(word)
        return kept

    @property
    def files(self):
        return sorted(self._arguments)

    def arguments(self, path):
        return self._arguments[path]

    def fingerprint(self, path, *more):
        """Of the file, every header of ours that it reaches, and how it is compiled."""
        digest = hashlib.sha256(repr((self._arguments[path], more)).encode())
        waiting, seen = [path], set()
        while waiting:
            current = waiting.pop()
            if current in seen or not (self.tree.root / current).is_file():
                continue
            seen.add(current)
            text = self.tree.read(current)
            waiting += _INCLUDE.findall(text)
        for reached in sorted(seen):
            digest.update(reached.encode() + b"\0" + (self.tree.root / reached).read_bytes())
        return digest.hexdigest()


class CleanResults:
    """Remembers in the build folder which fingerprints had no finding."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def __contains__(self, fingerprint):
        return (self.folder / fingerprint).exists()

    def add(self, fingerprint):
        (self.folder / fingerprint).touch()
