"""The kinds of tests, and how each is run.

A kind is a CTest label, a folder tests/KIND with pytest files, or both; two kinds are special:
`check` (static checks) and `sanitize` (other builds of the same programs).
"""
import os

import ctest_runner
import pytest_runner
from building import ROOT, build, build_dir, run

# In the order of a whole run: what fails quickly comes first.
ALL = ["unit", "scenario", "check", "sim", "replay", "fuzz", "crash", "integration"]
# Only when named: each takes longer than all others together.
SLOW = ["lint", "sanitize"]
MEANING = {
    "unit": "one program for each folder of the source, in GoogleTest",
    "scenario": "text scripts with golden output: the semantics, readable",
    "check": "static checks of the tree, and the tests of the scripts in tools/",
    "sim": "deterministic simulation of the core, seeds replayable",
    "replay": "recorded logs of real metastores",
    "fuzz": "the corpus of every fuzz target",
    "crash": "kills at every step, then compares",
    "integration": "the daemon in front of real metastores (downloads them once), and quickstart",
    "lint": "thread-safety analysis and clang-tidy over the tree; only when named",
    "sanitize": "unit, scenario and sim with address+undefined and with thread sanitizer; only "
                "when named",
}
QUICK = ["unit", "scenario"]
SANITIZED = ["unit", "scenario", "sim"]

SANITIZERS = {
    "asan": {"ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1",
             "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1"},
    "tsan": {"TSAN_OPTIONS": "halt_on_error=1:second_deadlock_stack=1:suppressions=" +
                             str(ROOT / "tests" / "support" / "tsan.supp")},
}


def run_checks(report, *which):
    """tools/check prints one line for each check: PASS or FAIL, its name, then what it found."""
    for arguments in which:
        ran = run([ROOT / "tools" / "check", *arguments], env={**os.environ, "LC_ALL": "C.UTF-8"})
        passed = sum(line.startswith("PASS ") for line in ran.stdout.splitlines())
        failed = sum(line.startswith("FAIL ") for line in ran.stdout.splitlines())
        name = " ".join(["tools/check", *arguments])
        report.count(name, passed)
        if ran.returncode != 0 or failed:
            report.fail(name, ran.stdout, count=max(failed, 1))


def run_sanitized(name_filter, report):
    for preset, environment in SANITIZERS.items():
        if build(preset, report):
            for kind in SANITIZED:
                ctest_runner.run_label(build_dir(preset), kind, name_filter, report,
                                       {**os.environ, **environment})


def run_kind(kind, name_filter, report):
    ctest_runner.run_label(build_dir("release"), kind, name_filter, report, dict(os.environ))
    pytest_runner.run_folder(ROOT / "tests" / kind, name_filter, report)


def run_named(kind, name_filter, report):
    if kind == "check":
        run_checks(report, [])
        pytest_runner.run_folder(ROOT / "tests" / "checks", name_filter, report)
    elif kind == "lint":
        run_checks(report, ["--tsa"], ["--tidy"])
    elif kind == "sanitize":
        run_sanitized(name_filter, report)
    else:
        run_kind(kind, name_filter, report)
