"""Runs the kinds of tests that the command line names and prints one sum."""
import argparse
import sys

import building
import kinds
from report import Report

DESCRIPTION = "Builds the release and runs tests; without a KIND, all of them."


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tools/test", description=DESCRIPTION)
    parser.add_argument("kind", nargs="*", metavar="KIND", help=" ".join(kinds.ALL + kinds.SLOW))
    parser.add_argument("--quick", action="store_true", help="only " + " and ".join(kinds.QUICK))
    parser.add_argument("--list", action="store_true", help="say what each kind is and stop")
    parser.add_argument("--filter", default="", metavar="TEXT",
                        help="only tests whose program, file or case has TEXT in its name")
    options = parser.parse_args()
    unknown = [kind for kind in options.kind if kind not in kinds.ALL + kinds.SLOW]
    if unknown:
        parser.error(f"unknown kind {unknown[0]}; known: {' '.join(kinds.ALL + kinds.SLOW)}")
    if options.quick and options.kind:
        parser.error("--quick names its kinds itself; leave out either it or the kinds")
    return options


def chosen_kinds(options):
    if options.quick:
        return kinds.QUICK
    return options.kind or kinds.ALL


def main():
    options = parse_arguments()
    if options.list:
        print("\n".join(f"{kind:<12} {kinds.MEANING[kind]}" for kind in kinds.ALL + kinds.SLOW))
        return 0
    asked_for_by_name = bool(options.kind)
    report = Report()
    if not building.build("release", report):
        return report.finish()
    for kind in chosen_kinds(options):
        before = report.ran
        report.heading(kind)
        kinds.run_named(kind, options.filter, report)
        if report.ran == before:
            if asked_for_by_name:
                report.fail(kind, "this kind was asked for and has no tests that match")
            else:
                report.note("no tests of this kind")
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
