"""The first command that a newcomer runs."""
import re
import signal
import socket
import subprocess
import urllib.request
from pathlib import Path

from support.daemon import ENVIRONMENT

QUICKSTART = Path(__file__).resolve().parents[2] / "tools" / "quickstart"
STEPS = 6


def test_once_shows_every_step_and_ends(tmp_path):
    ran = subprocess.run([str(QUICKSTART), "--once", "--state-dir", str(tmp_path)],
                         capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert len(re.findall(r"another client reads at once", ran.stdout)) == STEPS
    for event in ("CREATE_DATABASE", "CREATE_TABLE", "ADD_PARTITION", "ALTER_TABLE",
                  "ALTER_PARTITION", "DROP_PARTITION"):
        assert re.search(rf"event \d+ {event} ", ran.stdout)
    # The same folder again: what is left over from the first time is no obstacle.
    again = subprocess.run([str(QUICKSTART), "--once", "--state-dir", str(tmp_path)],
                           capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert again.returncode == 0, again.stdout + again.stderr


def test_a_step_that_fails_is_an_exit_code(tmp_path):
    in_the_way = tmp_path / "file"
    in_the_way.write_text("not a folder")
    ran = subprocess.run([str(QUICKSTART), "--once", "--state-dir", str(in_the_way)],
                         capture_output=True, text=True, env=ENVIRONMENT, check=False)
    assert ran.returncode == 1
    assert "quickstart failed" in ran.stderr


def test_it_serves_until_interrupted():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with subprocess.Popen([str(QUICKSTART), "--port", str(taken.getsockname()[1])],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=ENVIRONMENT) as running:
            shown = ""
            for line in running.stdout:
                shown += line
                if "Press Ctrl-C" in line:
                    break
            page = re.search(r"web page +(http://\S+)", shown).group(1)
            # The port was taken, so another one is served and named.
            assert f":{taken.getsockname()[1]}" not in shown
            with urllib.request.urlopen(page, timeout=30) as answer:
                assert "catalogd" in answer.read().decode()
            running.send_signal(signal.SIGINT)
            rest = running.stdout.read()
            assert running.wait(60) == 0, rest
            assert "has stopped" in rest
