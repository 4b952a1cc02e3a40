"""Starts the daemon for the demonstration and asks its command line."""
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import time
from pathlib import Path

BIN = Path(os.environ.get("CATALOGD_BIN") or
           Path(__file__).resolve().parents[2] / "build" / "release" / "bin")
READY = re.compile(r"catalogd ready endpoint=[^ ]*:(\d+) web=[^ ]*:(\d+)")


class Failed(Exception):
    """A step did not do what it says."""


def is_free(port):
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            return True
        except OSError:
            return False


def quoted(path):
    """As a shell takes it."""
    return shlex.quote(str(path))


class DaemonProcess:
    def __init__(self, state_dir, port, web_port):
        self.log = state_dir / "quickstart.log"
        self.port, self.web_port = port, web_port
        state_dir.mkdir(parents=True, exist_ok=True)
        with open(self.log, "w", encoding="utf-8") as log:
            # A session of its own: Ctrl-C is for this program, which then stops the daemon.
            self.process = subprocess.Popen(
                [str(BIN / "catalogd"), "--state-dir", str(state_dir), "--port", str(port),
                 "--web-port", str(web_port)],
                stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, text=True,
                start_new_session=True)

    def wait_until_ready(self, seconds=30):
        """Until answers come from the cache: the first look at the metastore is over."""
        line = self.process.stdout.readline()
        found = READY.search(line)
        if not found:
            raise Failed(f"the daemon did not start: {line}{self.log.read_text()[-2000:]}")
        self.port, self.web_port = int(found.group(1)), int(found.group(2))
        status = self.ctl_json("status")
        for _ in range(seconds * 20):
            if status["ready"]:
                return
            time.sleep(0.05)
            status = self.ctl_json("status")
        raise Failed(f"the daemon is not ready after {seconds} s: {status['reason']}")

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()

    def ctl(self, *arguments):
        """The text that catalogctl prints."""
        ran = subprocess.run([str(BIN / "catalogctl"), "--port", str(self.port), *arguments],
                             capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            raise Failed(f"catalogctl {' '.join(arguments)}: {ran.stderr.strip()}")
        return ran.stdout

    def ctl_json(self, *arguments):
        return json.loads(self.ctl(*arguments, "--json"))
