"""Daemon: one catalogd process of a test, its command line and its pages."""
import json
import os
import re
import signal
import subprocess
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

BIN = Path(os.environ.get("CATALOGD_BIN") or
           Path(__file__).resolve().parents[2] / "build" / "release" / "bin")
_READY = re.compile(r"catalogd ready endpoint=[\d.]+:(\d+) web=[\d.]+:(\d+)")
# Variables of the tests themselves start like options of the daemon.
ENVIRONMENT = {name: value for name, value in os.environ.items()
               if not name.startswith("CATALOGD_")}
_SAMPLE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)(?: \d+)?$")


class CommandFailed(Exception):
    def __init__(self, arguments, ran):
        super().__init__(f"catalogctl {' '.join(arguments)} ended with {ran.returncode}: "
                         f"{ran.stderr.strip()}")
        self.code = ran.returncode
        self.text = ran.stderr


class Daemon:
    """Started on free ports; `options` are added to those of every test daemon."""

    def __init__(self, options, state_dir, poll_interval="50ms"):
        self.state_dir = Path(state_dir)
        given = {option for option in options if option.startswith("--")}
        defaults = {"--port": "0", "--web-port": "0", "--state-dir": str(self.state_dir),
                    "--poll-interval": poll_interval}
        added = [part for pair in defaults.items() if pair[0] not in given for part in pair]
        self.command = [str(BIN / "catalogd"), *options, *added]
        self.process = None
        self.port = self.web_port = 0
        self.log = self.state_dir.parent / f"{self.state_dir.name}.log"
        self.output = []

    def __enter__(self):
        return self.start()

    def __exit__(self, *unused):
        code = self.stop()
        assert code == 0, f"the daemon ended with {code}:\n{self.log_tail()}"

    def start(self, timeout=60.0):
        self.state_dir.mkdir(parents=True, exist_ok=True)
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=log,
                                            stdin=subprocess.DEVNULL, text=True,
                                            env=ENVIRONMENT)
        ready = threading.Event()
        threading.Thread(target=self._follow_output, args=(ready,), daemon=True).start()
        deadline = time.monotonic() + timeout
        while not ready.wait(0.05):
            if self.process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise RuntimeError(f"no ready line from {' '.join(self.command)}:\n"
                                   f"{''.join(self.output)}{self.log_tail()}")
        return self

    def _follow_output(self, ready):
        for line in self.process.stdout:
            self.output.append(line)
            found = _READY.search(line)
            if found:
                self.port, self.web_port = int(found.group(1)), int(found.group(2))
                ready.set()

    def log_tail(self):
        return self.log.read_text(errors="replace")[-4000:] if self.log.exists() else ""

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def stop(self, timeout=30.0):
        """Asks it to end and returns its exit code."""
        if self.process.poll() is None:
            self.terminate()
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise RuntimeError(f"the daemon did not end in {timeout} s:\n{self.log_tail()}")

    def kill(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()

    def ctl_text(self, *arguments, timeout=60.0):
        """Output of catalogctl as people see it; raises CommandFailed."""
        ran = subprocess.run([str(BIN / "catalogctl"), "--port", str(self.port), *arguments],
                             capture_output=True, text=True, timeout=timeout, check=False,
                             env=ENVIRONMENT)
        if ran.returncode != 0:
            raise CommandFailed(arguments, ran)
        return ran.stdout

    def ctl(self, *arguments, **options):
        return json.loads(self.ctl_text(*arguments, "--json", **options))

    def status(self):
        return self.ctl("status")

    def wait(self, *names):
        """Until all names, or these, reflect the metastore's current event."""
        return self.ctl("wait", *names)

    def get(self, name):
        """What the daemon knows about one database or table."""
        return self.ctl("get", name)

    def state_of(self, name):
        """Its state; "absent" also once it is forgotten that there was such an object, which
        happens as soon as every event up to its drop is applied."""
        try:
            return self.get(name)["state"]
        except CommandFailed as failure:
            if "no such" not in failure.text:
                raise
            return "absent"

    def page(self, path):
        """(HTTP status, body) of a web page."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.web_port}{path}",
                                        timeout=30) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def metrics(self):
        """{(name, labels as text): value} of every sample."""
        samples = {}
        for line in self.page("/metrics")[1].splitlines():
            found = _SAMPLE.match(line)
            if found:
                name, labels, value = found.groups()
                samples[name, labels or ""] = float(value)
        return samples

    def metric(self, name, labels=""):
        """Sum over the samples of a metric whose labels contain this text."""
        return sum(value for (sample, found), value in self.metrics().items()
                   if sample == name and labels in found)

    def eventually(self, condition, timeout=30.0):
        """Waits until the status fulfils a condition, and returns that status."""
        deadline = time.monotonic() + timeout
        while True:
            status = self.status()
            if condition(status):
                return status
            assert time.monotonic() < deadline, f"not in {timeout} s: {status}"
            time.sleep(0.05)
