"""Runs the CTest tests of one label and counts GoogleTest cases, not programs."""
import re
import shutil
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from building import JOBS, run


def has_label(build_dir, label):
    labels = run(["ctest", "--test-dir", build_dir, "--print-labels"]).stdout.split()
    return label in labels


def cases_of(results, program):
    """(passed, failed) of a GoogleTest program, or None if it wrote no complete result."""
    try:
        suites = ElementTree.parse(results / f"{program}.xml").getroot()
    except (OSError, ElementTree.ParseError):
        return None
    total = int(suites.get("tests", "0")) - int(suites.get("disabled", "0"))
    failed = int(suites.get("failures", "0")) + int(suites.get("errors", "0"))
    return total - failed, failed


def count_test(test, results, report):
    """Adds one CTest test: by its cases when it has some, else as a single test."""
    name = test.get("name")
    passed_as_whole = test.get("status") == "run"
    output = test.findtext("system-out") or ""
    passed, failed = cases_of(results, name) or ((1, 0) if passed_as_whole else (0, 1))
    if not passed_as_whole and failed == 0:
        failed = 1  # It crashed or timed out outside of a case.
    if passed:
        report.count(name, passed)
    if failed:
        report.fail(name, output, count=failed)


def run_label(build_dir, label, name_filter, report, environment):
    if not has_label(build_dir, label):
        return
    results = Path(tempfile.mkdtemp(prefix="catalogd-test-"))
    try:
        environment["GTEST_OUTPUT"] = f"xml:{results}/"
        command = ["ctest", "--test-dir", build_dir, "-L", f"^{label}$", "-j", JOBS,
                   "--output-on-failure", "--test-output-size-failed", "200000",
                   "--output-junit", results / "ctest.junit"]
        if name_filter:
            command += ["-R", re.escape(name_filter)]
        ran = run(command, env=environment)
        junit = results / "ctest.junit"
        if not junit.exists():
            report.fail(f"ctest -L {label}", ran.stdout)
            return
        for test in ElementTree.parse(junit).getroot().iter("testcase"):
            count_test(test, results, report)
    finally:
        shutil.rmtree(results, ignore_errors=True)
