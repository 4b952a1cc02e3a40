"""Static checks of the source tree: prints PASS or FAIL for each, ends with 1 if one failed."""
import argparse
import sys
from pathlib import Path

import banned
import formatting
import idl
import layers
import readmes
import scenarios
import sizes
import thread_safety
import tidy
import words
from tree import Tree

CHECKS = {
    "layers": layers.check,
    "banned calls": banned.check,
    "sizes": sizes.check,
    "readmes": readmes.check,
    "scenarios": scenarios.check,
    "words": words.check,
    "format": formatting.check,
    "generated idl": idl.check,
}


def report(name, findings):
    print(f"{'FAIL' if findings else 'PASS'} {name}")
    for finding in findings:
        print(f"  {finding}")
    return not findings


def main():
    parser = argparse.ArgumentParser(prog="tools/check", description=__doc__)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parents[2],
                        help="tree to look at (default: this one)")
    parser.add_argument("--only", choices=sorted(CHECKS), help="run one of the checks")
    parser.add_argument("--tsa", action="store_true",
                        help="clang's thread-safety analysis instead of the checks above")
    parser.add_argument("--tidy", nargs="*", metavar="FILE",
                        help="clang-tidy instead; of these files or of every one of ours")
    options = parser.parse_args()
    tree = Tree(options.root.resolve())
    if options.tsa:
        results = [report("thread safety", thread_safety.check(tree))]
    elif options.tidy is not None:
        results = [report("clang-tidy", tidy.check(tree, options.tidy))]
    else:
        chosen = {options.only: CHECKS[options.only]} if options.only else CHECKS
        results = [report(name, check(tree)) for name, check in chosen.items()]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
