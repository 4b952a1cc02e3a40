"""clang's analysis of the lock annotations, over every source file of ours outside tests."""
from clang_runs import run_over
from formatting import find_tool

FLAGS = ("-fsyntax-only", "-Wno-everything", "-Wthread-safety", "-Wthread-safety-beta", "-Werror")


def check(tree):
    tool = find_tool("clang++")
    if tool is None:
        return ["clang++-14 is not installed; run tools/install-packages check"]
    ours = {path for path in tree.sources() if not path.startswith("tests/")}

    def command(path, arguments):
        kept = [argument for argument in arguments if not argument.startswith("-W")]
        return [tool, *kept, *FLAGS, path]

    return run_over(tree, "tsa", " ".join(FLAGS), command, ours)
