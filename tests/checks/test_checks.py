"""Each rule of tools/check is broken once in a small tree, and has to be found there.

A check that silently looks at nothing passes for ever; so each case also shows that the tree
without the fault passes.
"""
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

README = "# Folder\n\n`slot`, `locks`, `decide`, `door`, `handler`, `page`, `lock_rank`\n"
CLEAN = {
    "catalog/base/README.md": README,
    "catalog/base/slot.h": "#pragma once\n\nint Base();\n",
    "catalog/sync/README.md": README,
    "catalog/sync/decide.cc": '#include "catalog/base/slot.h"\n\nint Decide() { return Base(); }\n',
    ".clang-format": (ROOT / ".clang-format").read_text(),
}


class SmallTree:
    def __init__(self, root):
        self.root = root
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        for path, text in CLEAN.items():
            self.write(path, text)

    def write(self, path, text):
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def check(self, only):
        return subprocess.run(
            [sys.executable, "-B", str(ROOT / "tools" / "checks" / "main.py"), "--root",
             str(self.root), "--only", only],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)


@pytest.fixture
def tree(tmp_path):
    return SmallTree(tmp_path)


def long_function(lines):
    return "int F() {\n" + "  Base();\n" * (lines - 2) + "}\n"


def include(header):
    return f'#include "{header}"\n'


FAULTS = [
    # (check, file, text, what the finding names)
    ("layers", "catalog/base/slot.cc", include("catalog/sync/decide.h"), "includes"),
    ("layers", "thrift/wire/slot.cc", include("catalog/cache/slot.h"), "thrift/wire may include"),
    ("layers", "catalog/sync/locks.cc", include("catalog/ddl/slot.h"), "catalog/sync may include"),
    ("layers", "catalog/web/page.cc", include("catalog/endpoint/x.h"), "catalog/web may include"),
    ("layers", "catalog/endpoint/x.cc", include("catalog/web/page.h"), "catalog/endpoint may"),
    ("layers", "catalog/web/page.cc", include("catalog/cache/x.h"), "catalog/web may include"),
    ("layers", "hms_client/x.cc", include("hms_client/embedded/x.h"), "hms_client may include"),
    ("layers", "events/x.cc", include("catalog/cache/x.h"), "events may include"),
    ("layers", "catalog/cache/x.cc", include("events/event.h"), "catalog/cache may include"),
    ("layers", "catalog/daemon/x.cc", include("tests/support/x.h"), "nothing includes tests"),
    ("layers", "tools/catalogctl/x.cc", include("catalog/cache/x.h"), "tools/catalogctl may"),
    ("layers", "catalog/extra/x.cc", include("catalog/base/slot.h"), "not a folder of the house"),
    ("layers", "catalog/sync/x.cc", include("hms_idl/hive_metastore_types.h"), "generated code"),
    ("layers", "catalog/sync/x.cc", "#include <boost/asio/post.hpp>\n", "boost/asio belongs to"),
    ("layers", "catalog/sync/x.cc", "#include <SQLiteCpp/SQLiteCpp.h>\n", "SQLiteCpp/ belongs"),
    ("banned calls", "catalog/sync/x.cc", "std::mutex m;\n", "std::mutex"),
    ("banned calls", "catalog/sync/x.cc", "std::shared_mutex m;\n", "std::shared_mutex"),
    ("banned calls", "tests/unit/x_test.cc", "std::timed_mutex m;\n", "std::timed_mutex"),
    ("banned calls", "catalog/sync/x.cc", "std::condition_variable c;\n", "condition_variable"),
    ("banned calls", "catalog/sync/x.cc", "std::thread t;\n", "std::thread"),
    ("banned calls", "catalog/sync/x.cc", "auto n = std::chrono::steady_clock::now();\n", "Clock"),
    ("banned calls", "catalog/sync/x.cc", "auto n = time(nullptr);\n", "Clock"),
    ("banned calls", "catalog/sync/x.cc", "std::this_thread::sleep_for(s);\n", "sleep_for"),
    ("banned calls", "catalog/sync/x.cc", "void F() { usleep(1); }\n", "usleep"),
    ("banned calls", "catalog/sync/x.cc", "try {\n} catch (...) {\n}\n", "only at the doors"),
    ("banned calls", "catalog/sync/x.cc", "std::atomic<std::shared_ptr<int>> p;\n", "sanitizer"),
    ("banned calls", "catalog/sync/x.cc", "using namespace std;\n", "name what is used"),
    ("sizes", "catalog/base/slot.h", "#pragma once\n" + "int Base();\n" * 250, "at most 250"),
    ("sizes", "catalog/sync/x.cc", "int x;\n" * 801, "at most 800"),
    ("sizes", "tools/x.py", "x = 1\n" * 801, "at most 800"),
    ("sizes", "catalog/sync/x.cc", long_function(71), "function F has 71 lines"),
    ("sizes", "catalog/sync/x.cc", "// " + "x" * 98 + "\n", "101 columns"),
    ("sizes", "catalog/base/slot.h", "int Base();\n", "no #pragma once"),
    ("readmes", "catalog/sync/unnamed.cc", "int x;\n", "does not name unnamed.cc"),
    ("readmes", "catalog/web/page.h", "#pragma once\n", "catalog/web: no README.md"),
    ("readmes", "catalog/sync/README.md", README + "text\n" * 121, "at most 120"),
    ("scenarios", "tests/scenario/scripts/a/b.txt", "start\n----\n", "names no source"),
    ("scenarios", "tests/scenario/scripts/a/b.txt", "# Source: HIVE-1\n", "what it shows"),
    ("scenarios", "tests/scenario/scripts/a/b.txt", "# x\n# Source: HIVE-1\n", "missing"),
    ("scenarios", "tests/scenario/COVERAGE.md", "| S-1 | x | `a/gone` |\n", "no script a/gone"),
    ("scenarios", "tests/scenario/COVERAGE.md", "| S-1 | x | `x_test.cc` |\n", "no test file"),
    ("scenarios", "tests/scenario/COVERAGE.md", "| S-1 | x | y |\n", "no entry S-2"),
    ("scenarios", "tests/scenario/COVERAGE.md", "| S-1 | x |  |\n", "S-1 says nothing"),
    ("words", "catalog/sync/x.cc", "// see /wo" + "rk/main\n", "a path of one machine"),
    ("words", "README.md", "cd /ro" + "ot/here\n", "a path of one machine"),
    ("words", "catalog/sync/x.cc", "// TO" + "DO later\n", "unfinished mark"),
    ("words", "events/x.py", "# FIX" + "ME\n", "unfinished mark"),
    ("words", "tests/unit/x_test.cc", "GTEST_" + "SKIP();\n", "does not run"),
    ("format", "catalog/sync/x.cc", "int  x ;\n", "catalog/sync/x.cc: run clang-format"),
    ("generated idl", "tools/idl/generate.py", "raise SystemExit('x.thrift differs')\n", "differs"),
]


@pytest.mark.parametrize("check, path, text, finding", FAULTS,
                         ids=[f"{f[0]}-{number}" for number, f in enumerate(FAULTS)])
def test_a_broken_rule_is_found(tree, check, path, text, finding):
    before = tree.check(check)
    assert before.returncode == 0, before.stdout
    tree.write(path, text)
    after = tree.check(check)
    assert after.returncode == 1
    assert f"FAIL {check}" in after.stdout
    assert finding in after.stdout


ALLOWED = [
    ("layers", "catalog/daemon/x.cc", include("catalog/web/page.h") + include("catalog/ddl/x.h")),
    ("layers", "tests/unit/x_test.cc", include("catalog/ddl/x.h") + include("tests/support/x.h")),
    ("layers", "catalog/endpoint/x.cc", include("catalog/ddl/x.h") + include("thrift/server/x.h")),
    ("layers", "hms_client/embedded/x.cc", include("hms_idl/hive_metastore_types.h")),
    ("banned calls", "catalog/base/slot.cc", "std::mutex m;\n"),
    ("banned calls", "tests/unit/x_test.cc", "std::thread t;\n"),
    ("banned calls", "hms_client/embedded/x.cc", "try {\n} catch (...) {\n}\n"),
    ("banned calls", "catalog/sync/x.cc", "// a std::mutex would be wrong here; sleep(1)\n"),
    ("banned calls", "catalog/sync/x.cc", 'auto text = "std::mutex";\n'),
    ("sizes", "catalog/sync/x.cc", long_function(70)),
    # A namespace or a class may be longer than any function in it.
    ("sizes", "catalog/sync/x.cc", "namespace n {\n" + "int F() { return 1; }\n" * 80 + "}\n"),
    ("sizes", "catalog/sync/x.cc", "class C : public B<int> {\n" + "int x;\n" * 80 + "};\n"),
    ("readmes", "catalog/sync/locks.cc", "int x;\n"),
]


@pytest.mark.parametrize("check, path, text", ALLOWED,
                         ids=[f"{a[0]}-{number}" for number, a in enumerate(ALLOWED)])
def test_what_is_allowed_passes(tree, check, path, text):
    tree.write(path, text)
    after = tree.check(check)
    assert after.returncode == 0, after.stdout
    assert f"PASS {check}" in after.stdout


def test_the_table_of_scenarios_is_held_against_scripts_and_tests(tree):
    tree.write("tests/unit/x_test.cc", "TEST(A, Known) {}\n")
    tree.write("tests/scenario/scripts/a/b.txt", "# Shows b.\n# Source: HIVE-1.\nstart\n----\nok\n")
    tree.write("tests/scenario/COVERAGE.md",
               "| S-1 | x | `x_test.cc::Known`, `x_test.cc::Gone` |\n")
    found = tree.check("scenarios").stdout
    assert "no test Gone in x_test.cc" in found
    assert "Known in" not in found
    assert "does not name tests/scenario/scripts/a/b.txt" in found


def test_long_functions_are_found_inside_classes_and_constructors(tree):
    body = "  Base();\n" * 71
    tree.write("catalog/sync/x.cc", "namespace n {\nstruct C {\n  C() : a(1) {\n" + body + "  }\n"
               "  void G() const override {\n" + body + "  }\n};\n}\n")
    found = tree.check("sizes").stdout
    assert "function C has 73 lines" in found
    assert "function G has 73 lines" in found
