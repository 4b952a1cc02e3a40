"""Runs the Python tests of one folder in a virtual environment made from tests/requirements.txt."""
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from building import ROOT, run

REQUIREMENTS = ROOT / "tests" / "requirements.txt"
VENV = ROOT / "build" / "venv"
NO_TESTS = 5  # pytest's exit code when it ran none.


def venv_python(report, requirements=REQUIREMENTS, venv=VENV):
    """The interpreter of an environment, made anew when its requirements changed."""
    python = venv / "bin" / "python"
    stamp = venv / "requirements.txt"
    if stamp.exists() and stamp.read_bytes() == requirements.read_bytes():
        return python
    for command in ([sys.executable, "-m", "venv", "--clear", venv],
                    [python, "-m", "pip", "install", "-q", "--disable-pip-version-check",
                     "-r", requirements]):
        ran = run(command)
        if ran.returncode != 0:
            report.fail("Python environment of the tests", ran.stdout)
            return None
    stamp.write_bytes(requirements.read_bytes())
    return python


def count_cases(junit, report):
    """Adds every case of a pytest result; returns whether one of them failed."""
    passed, any_failed = {}, False
    for case in ElementTree.parse(junit).getroot().iter("testcase"):
        where = case.get("classname", "")
        problem = case.find("failure")
        if problem is None:
            problem = case.find("error")
        if problem is not None:
            any_failed = True
            report.fail(f"{where}.{case.get('name')}", problem.text or problem.get("message", ""))
        elif case.find("skipped") is None:
            passed[where] = passed.get(where, 0) + 1
    for where, count in passed.items():
        report.count(where, count)
    return any_failed


def run_folder(folder, name_filter, report, python=None):
    files = sorted(folder.glob("test_*.py"))
    if not files:
        return
    named = [path for path in files if name_filter in path.name]
    # Where no file has the text in its name, the cases that have it.
    cases = [] if named else ["-k", name_filter]
    run_files(named or files, cases, report, python or venv_python(report))


def run_files(files, cases, report, python):
    """Runs these files, or of them the cases that pytest's options `cases` name."""
    if python is None:
        return
    with tempfile.TemporaryDirectory(prefix="catalogd-test-") as results:
        junit = Path(results) / "pytest.xml"
        # Output is shown as it comes: these tests take minutes.
        code = subprocess.run(
            [str(python), "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o",
             "junit_family=xunit1", f"--rootdir={ROOT / 'tests'}", f"--junitxml={junit}",
             "--tb=short", *cases, *map(str, files)],
            cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT / "tests")}, check=False).returncode
        any_failed = count_cases(junit, report) if junit.exists() else False
        nothing_matched = cases and code == NO_TESTS
        if code != 0 and not any_failed and not nothing_matched:
            report.fail(f"pytest {files[0].parent.name}",
                        f"pytest ended with {code}; see its output above")
