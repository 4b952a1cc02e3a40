"""Starts the daemon for the demonstration and asks its command line."""
import json
import re
import signal
import socket
import subprocess
import time
from pathlib import Path

BIN = Path(__file__).resolve().parents[2] / "build" / "release" / "bin"
READY = re.compile(r"catalogd ready endpoint=[^ ]*:(\d+) web=[^ ]*:(\d+)")


class Failed(Exception):
    """A step did not do what it says."""


def free_or_any(port):
    """The port if nothing listens there, else 0: any free one."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
            return port
        except OSError:
            return 0


class DaemonProcess:
    def __init__(self, state_dir, port, web_port):
        self.log = state_dir / "quickstart.log"
        state_dir.mkdir(parents=True, exist_ok=True)
        with open(self.log, "w", encoding="utf-8") as log:
            # A session of its own: Ctrl-C is for this program, which then stops the daemon.
            self.process = subprocess.Popen(
                [str(BIN / "catalogd"), "--state-dir", str(state_dir), "--port", str(port),
                 "--web-port", str(web_port)],
                stdout=subprocess.PIPE, stderr=log, stdin=subprocess.DEVNULL, text=True,
                start_new_session=True)
        line = self.process.stdout.readline()
        found = READY.search(line)
        if not found:
            self.stop()
            raise Failed(f"the daemon did not start: {line}{self.log.read_text()[-2000:]}")
        self.port, self.web_port = int(found.group(1)), int(found.group(2))

    def wait_until_ready(self, seconds=30):
        """Until answers come from the cache: the first look at the metastore is over."""
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
        return self.process.wait(60)

    def ctl(self, *arguments):
        """The text that catalogctl prints."""
        ran = subprocess.run([str(BIN / "catalogctl"), "--port", str(self.port), *arguments],
                             capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            raise Failed(f"catalogctl {' '.join(arguments)}: {ran.stderr.strip()}")
        return ran.stdout

    def ctl_json(self, *arguments):
        return json.loads(self.ctl(*arguments, "--json"))
