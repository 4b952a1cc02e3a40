"""clang-tidy with the warnings of .clang-tidy, all of them errors.

A whole run takes minutes, so results of unchanged files are remembered; without file names it looks
at everything outside tests, which the same warnings would only slow down.
"""
from clang_runs import run_over
from formatting import find_tool


def check(tree, files):
    tool = find_tool("clang-tidy")
    if tool is None:
        return ["clang-tidy-14 is not installed; run tools/install-packages check"]
    chosen = set(files) or {path for path in tree.sources() if not path.startswith("tests/")}

    def command(path, arguments):
        return [tool, "--quiet", path, "--", *arguments, "-Wno-unknown-warning-option"]

    return run_over(tree, "tidy", tree.read(".clang-tidy"), command, chosen)
