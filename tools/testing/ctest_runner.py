"""Runs the CTest tests of one label and counts GoogleTest cases, not programs."""
import re
import shutil
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from building import JOBS, run

LAST_LINES = 60
RUNNING = re.compile(r"^\[ RUN      \] (\S+)", re.MULTILINE)


def has_label(build_dir, label):
    labels = run(["ctest", "--test-dir", build_dir, "--print-labels"]).stdout.split()
    return label in labels


def cases_of(results, program):
    """(how many passed, case -> its failed assertions) of a GoogleTest program, or None if it
    wrote no complete result."""
    try:
        suites = ElementTree.parse(results / f"{program}.xml").getroot()
    except (OSError, ElementTree.ParseError):
        return None
    failed = {}
    for case in suites.iter("testcase"):
        texts = [problem.text or problem.get("message", "") for problem in case.iter("failure")]
        if texts:
            failed[f"{case.get('classname')}.{case.get('name')}"] = "\n\n".join(texts)
    total = int(suites.get("tests", "0")) - int(suites.get("disabled", "0"))
    return total - len(failed), failed


def end_of(output):
    """Of a program that ended without a result: the case it was in, and the end of what it said."""
    last = RUNNING.findall(output)
    text = "\n".join(output.rstrip().splitlines()[-LAST_LINES:])
    return f"in or after {last[-1]}; the end of the output:\n{text}" if last else text


def count_test(test, results, report, only_cases=False):
    """Adds one CTest test: by its cases when it has some, else as a single test; where only cases
    were asked for, it is none."""
    name = test.get("name")
    passed_as_whole = test.get("status") == "run"
    output = test.findtext("system-out") or ""
    whole = 1 if passed_as_whole and not only_cases else 0
    passed, failed = cases_of(results, name) or (whole, {})
    if passed:
        report.count(name, passed)
    for case, assertions in failed.items():
        report.fail(f"{name} {case}", assertions)
    if not passed_as_whole and not failed:
        report.fail(name, end_of(output))  # It crashed or timed out.


def selection(build_dir, label, name_filter, environment):
    """What of a label is to run: programs of that name, or where there is none, cases of it."""
    if not name_filter:
        return []
    listed = run(["ctest", "--test-dir", build_dir, "-N", "-L", f"^{label}$"]).stdout
    if any(name_filter in name for name in re.findall(r"Test +#\d+: (\S+)", listed)):
        return ["-R", re.escape(name_filter)]
    # A colon or a dash would end the pattern.
    environment["GTEST_FILTER"] = "*" + re.sub("[:-]", "?", name_filter) + "*"
    return []


def run_label(build_dir, label, name_filter, report, environment):
    environment.pop("GTEST_FILTER", None)
    if not has_label(build_dir, label):
        return
    results = Path(tempfile.mkdtemp(prefix="catalogd-test-"))
    try:
        environment["GTEST_OUTPUT"] = f"xml:{results}/"
        command = ["ctest", "--test-dir", build_dir, "-L", f"^{label}$", "-j", JOBS,
                   "--output-on-failure", "--test-output-size-failed", "200000",
                   "--output-junit", results / "ctest.junit"]
        command += selection(build_dir, label, name_filter, environment)
        ran = run(command, env=environment)
        junit = results / "ctest.junit"
        if not junit.exists():
            report.fail(f"ctest -L {label}", ran.stdout)
            return
        for test in ElementTree.parse(junit).getroot().iter("testcase"):
            count_test(test, results, report, only_cases="GTEST_FILTER" in environment)
    finally:
        shutil.rmtree(results, ignore_errors=True)
