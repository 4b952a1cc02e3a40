"""tools/quickstart's demonstration: what it prints, refuses, and leaves behind when it is stopped.

What goes wrong otherwise: a closed terminal leaves a daemon that nobody knows of, and its files.
"""
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from support.daemon import ENVIRONMENT

ROOT = Path(__file__).resolve().parents[2]
COMMAND = ROOT / "tools" / "quickstart"
SCRIPT = ROOT / "tools" / "demo" / "quickstart.py"
SIGNALS = [signal.SIGHUP, signal.SIGINT, signal.SIGTERM]
STEPS = 6


def once(state_dir):
    return subprocess.run([str(COMMAND), "--once", "--state-dir", str(state_dir)], text=True,
                          capture_output=True, env=ENVIRONMENT, check=False)


def test_once_shows_every_step_and_ends(tmp_path):
    ran = once(tmp_path)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert len(re.findall(r"another client reads at once", ran.stdout)) == STEPS
    for event in ("CREATE_DATABASE", "CREATE_TABLE", "ADD_PARTITION", "ALTER_TABLE",
                  "ALTER_PARTITION", "DROP_PARTITION"):
        assert re.search(rf"event \d+ {event} ", ran.stdout)
    # The same folder again: what is left over from the first time is no obstacle.
    again = once(tmp_path)
    assert again.returncode == 0, again.stdout + again.stderr


def test_a_step_that_fails_is_an_exit_code(tmp_path):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    ran = once(in_the_way)
    assert ran.returncode == 1
    assert "quickstart failed" in ran.stderr


def test_the_page_that_is_printed_is_there_until_it_is_interrupted():
    with subprocess.Popen([str(COMMAND), "--port", "0", "--web-port", "0"], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=ENVIRONMENT) as running:
        shown = ""
        for line in running.stdout:
            shown += line
            if "Press Ctrl-C" in line:
                break
        page = re.search(r"web page +(http://\S+)", shown).group(1)
        with urllib.request.urlopen(page, timeout=30) as answer:
            assert "catalogd" in answer.read().decode()
        running.send_signal(signal.SIGINT)
        rest = running.stdout.read()
        assert running.wait(60) == 0, rest
        assert "has stopped" in rest


class Quickstart:
    def __init__(self, temporary, *arguments):
        self.temporary = temporary
        self.process = subprocess.Popen(
            [sys.executable, "-B", str(SCRIPT), "--port", "0", "--web-port", "0", *arguments],
            env={**os.environ, "TMPDIR": str(temporary), "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def read_until(self, text):
        for line in self.process.stdout:
            if text in line:
                return
        raise AssertionError(f"'{text}' never came: {self.process.stderr.read()}")

    def end_by(self, number):
        """Sends the signal; what was printed to standard error until the end."""
        self.process.send_signal(number)
        return self.process.communicate(timeout=120)[1]

    def daemons(self):
        """Processes whose command line names the directory of this run."""
        found = []
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                if str(self.temporary).encode() in path.read_bytes():
                    found.append(path)
            except OSError:
                pass  # It has just ended.
        return found

    def assert_nothing_left(self):
        assert self.daemons() == []
        assert list(self.temporary.iterdir()) == []


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_while_the_daemon_starts_leaves_nothing_behind(tmp_path, number):
    run = Quickstart(tmp_path)
    while not run.daemons():
        assert run.process.poll() is None
        time.sleep(0.001)
    errors = run.end_by(number)
    assert run.process.returncode == 128 + number
    assert "Traceback" not in errors
    run.assert_nothing_left()


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_during_the_demonstration_leaves_nothing_behind(tmp_path, number):
    run = Quickstart(tmp_path)
    run.read_until("* Create a database")
    errors = run.end_by(number)
    assert run.process.returncode == 128 + number
    assert "Traceback" not in errors
    assert number == signal.SIGHUP or f"ended by {number.name}" in errors
    run.assert_nothing_left()


@pytest.mark.parametrize("number", SIGNALS)
def test_a_signal_is_how_serving_ends(tmp_path, number):
    run = Quickstart(tmp_path)
    run.read_until("Press Ctrl-C")
    assert run.daemons()
    assert run.end_by(number) == ""
    assert run.process.returncode == 0
    run.assert_nothing_left()


def demonstrate(tmp_path, *arguments):
    return subprocess.run([sys.executable, "-B", str(SCRIPT), *arguments], text=True, check=False,
                          env={**os.environ, "TMPDIR": str(tmp_path)}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


def test_once_names_no_address_of_what_has_ended(tmp_path):
    ran = demonstrate(tmp_path, "--once", "--port", "0", "--web-port", "0")
    assert ran.returncode == 0, ran.stdout
    assert "Every step did what it says" in ran.stdout
    assert "catalogd is running" not in ran.stdout


def test_paths_are_printed_as_a_shell_takes_them(tmp_path):
    run = Quickstart(tmp_path, "--state-dir", str(tmp_path / "two words"))
    run.read_until(f"'{tmp_path}/two words'")
    run.read_until("Press Ctrl-C")
    run.end_by(signal.SIGINT)
    assert run.process.returncode == 0 and run.daemons() == []


def test_a_port_that_was_named_and_is_taken_is_refused(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        for option in ("--port", "--web-port"):
            ran = demonstrate(tmp_path, option, port, "--once")
            assert ran.returncode == 1
            assert f"port {port} is taken; name another one with {option}" in ran.stdout
            ran = demonstrate(tmp_path, option, port, "--check-arguments")
            assert ran.returncode == 1 and f"port {port} is taken" in ran.stdout


def test_instead_of_a_default_port_another_one_is_used_and_said(tmp_path):
    try:
        other = socket.create_server(("127.0.0.1", 9083))
    except OSError:
        other = None  # Somebody else's: taken all the same.
    ran = demonstrate(tmp_path, "--once", "--web-port", "0")
    if other is not None:
        other.close()
    assert ran.returncode == 0, ran.stdout
    assert "Port 9083 is taken; using another one (--port chooses it)" in ran.stdout


@pytest.mark.parametrize("arguments, text", [
    (["--port", "99999"], "'99999' is no port: expected a number from 0 to 65535"),
    (["--web-port", "x"], "'x' is no port"),
    (["--onec"], "unrecognized arguments: --onec"),
])
def test_a_mistake_in_the_arguments_is_told_before_anything_is_built(arguments, text):
    ran = subprocess.run([ROOT / "tools" / "quickstart", *arguments], stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, check=False)
    assert ran.returncode == 2
    assert text in ran.stdout
    assert "Building" not in ran.stdout
