"""What tools/test says of a run: a wrong sum or a failure without its name sends people searching.

Results are written here as GoogleTest and CTest write them.
"""
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "testing"))

import ctest_runner  # noqa: E402
import kinds  # noqa: E402
from report import MOST_LINES, Report  # noqa: E402

GTEST = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="3" failures="2" disabled="0" errors="0" name="AllTests">
  <testsuite name="Slot" tests="3" failures="2" disabled="0" errors="0">
    <testcase name="Opens" status="run" result="completed" classname="Slot" />
    <testcase name="Closes" status="run" result="completed" classname="Slot">
      <failure message="m" type=""><![CDATA[slot_test.cc:12
Value of: closed]]></failure>
      <failure message="m" type=""><![CDATA[slot_test.cc:13
also this]]></failure>
    </testcase>
    <testcase name="Ends" status="run" result="completed" classname="Slot">
      <failure message="m" type=""><![CDATA[slot_test.cc:20
not the end]]></failure>
    </testcase>
  </testsuite>
</testsuites>
"""


def junit(status, output):
    case = ElementTree.Element("testcase", name="unit_slot", status=status)
    ElementTree.SubElement(case, "system-out").text = output
    return case


def counted(tmp_path, status, output, capsys):
    report = Report()
    ctest_runner.count_test(junit(status, output), tmp_path, report)
    return report, capsys.readouterr().out


def test_failed_cases_are_named_and_their_assertions_shown(tmp_path, capsys):
    (tmp_path / "unit_slot.xml").write_text(GTEST)
    noise = "\n".join(f"I0000 line {i}" for i in range(1000))
    report, shown = counted(tmp_path, "fail", noise, capsys)
    assert (report.passed, len(report.failures)) == (1, 2)
    assert "FAILED: unit_slot Slot.Closes" in shown and "FAILED: unit_slot Slot.Ends" in shown
    for text in ("slot_test.cc:12", "Value of: closed", "also this", "slot_test.cc:20"):
        assert text in shown
    assert "line 999" not in shown


def test_a_crash_names_the_case_it_came_in(tmp_path, capsys):
    output = "[ RUN      ] Slot.Opens\n[       OK ] Slot.Opens (0 ms)\n" \
             "[ RUN      ] Slot.Closes\nSegmentation fault\n"
    report, shown = counted(tmp_path, "fail", output, capsys)
    assert (report.passed, len(report.failures)) == (0, 1)
    assert "in or after Slot.Closes" in shown and "Segmentation fault" in shown


def test_a_crash_after_all_cases_passed_is_a_failure(tmp_path, capsys):
    passing = re.sub(r"<failure.*?</failure>", "", GTEST, flags=re.DOTALL)
    (tmp_path / "unit_slot.xml").write_text(passing)
    report, _ = counted(tmp_path, "fail", "leak\n", capsys)
    assert (report.passed, len(report.failures)) == (3, 1)


def test_a_program_without_cases_counts_as_one_unless_cases_were_asked_for(tmp_path):
    for only_cases, passed in ((False, 1), (True, 0)):
        report = Report()
        ctest_runner.count_test(junit("run", ""), tmp_path, report, only_cases)
        assert (report.passed, report.failures) == (passed, [])


def test_long_failures_keep_their_begin_and_end(capsys):
    report = Report()
    report.fail("unit_slot", "\n".join(f"line {i}." for i in range(MOST_LINES * 3)))
    shown = capsys.readouterr().out
    assert "line 0." in shown and f"line {MOST_LINES * 3 - 1}." in shown
    assert f"{MOST_LINES * 2} lines more" in shown


def fake_ctest(monkeypatch, *names):
    listing = "".join(f"  Test  #{i}: {name}\n" for i, name in enumerate(names, 1))
    monkeypatch.setattr(ctest_runner, "run", lambda command: subprocess.CompletedProcess(
        command, 0, stdout=listing))


@pytest.mark.parametrize("text, arguments, pattern", [
    ("", [], None),
    ("slot", ["-R", "slot"], None),  # A program has it in its name: as a whole.
    ("Slot.Closes", [], "*Slot.Closes*"),
    ("odd-name", [], "*odd?name*"),
])
def test_a_filter_means_programs_or_else_cases(monkeypatch, text, arguments, pattern):
    fake_ctest(monkeypatch, "unit_slot", "unit_base")
    environment = {}
    assert ctest_runner.selection("build", "unit", text, environment) == arguments
    assert environment.get("GTEST_FILTER") == pattern


def test_every_kind_says_what_it_is_and_has_tests():
    listed = subprocess.run([ROOT / "tools" / "test", "--list"], stdout=subprocess.PIPE, text=True,
                            check=True).stdout.splitlines()
    assert [line.split()[0] for line in listed] == kinds.ALL + kinds.SLOW
    assert all(len(line.split()) > 3 for line in listed)
    labels = "".join(path.read_text() for path in (ROOT / "tests").rglob("CMakeLists.txt"))
    for kind in set(kinds.ALL) - {"check"}:
        assert f"LABEL {kind}" in labels or f"LABELS {kind}" in labels or \
            list((ROOT / "tests" / kind).glob("test_*.py")), kind


def installer(tmp_path, packages, *sections):
    """tools/install-packages with a list of its own, as somebody who may not install."""
    script = tmp_path / "install-packages"
    script.write_bytes((ROOT / "tools" / "install-packages").read_bytes())
    (tmp_path / "packages.txt").write_text(packages)
    for name, text in {"id": "echo 1000", "sudo": ":"}.items():
        command = tmp_path / "bin" / name
        command.parent.mkdir(exist_ok=True)
        command.write_text(f"#!/bin/sh\n{text}\n")
        command.chmod(0o755)
    return subprocess.run(["sh", str(script), *sections], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False,
                          env={"PATH": f"{tmp_path / 'bin'}:/usr/bin:/bin"})


def test_the_installer_does_nothing_when_all_is_there(tmp_path):
    ran = installer(tmp_path, "[a]\ndpkg\n# no\ncoreutils\n", "a")
    assert (ran.returncode, ran.stdout) == (0, "")


def test_the_installer_names_what_is_missing_in_the_sections_asked_for(tmp_path):
    packages = "[a]\ndpkg\nno-such-package-1\n[b]\nno-such-package-2\n"
    ran = installer(tmp_path, packages, "a")
    assert ran.returncode == 0
    assert "Installing: no-such-package-1\n" in ran.stdout
    assert "Installing: no-such-package-1 no-such-package-2\n" in \
        installer(tmp_path, packages, "a", "b").stdout
    assert "no section [c]" in installer(tmp_path, packages, "c").stdout


def test_what_quickstart_calls_is_installed_first():
    listed = (ROOT / "tools" / "packages.txt").read_text().split("[check]")[0].split()
    assert {"cmake", "g++", "ninja-build", "python3"} <= set(listed)
    script = (ROOT / "tools" / "quickstart").read_text()
    assert script.rindex('install-packages" build\n') < script.index("\nstep cmake")
