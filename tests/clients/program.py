"""Program: a client in another language, driven over its standard input and output.

A command is a line of words with tabs between them, `append<TAB>db<TAB>table`. The answer is a line
`ok` with the words of the result, or `error` with the client's own text; other lines are the
client's log. So the life that a client leads, and what is expected of it, stands in one place, and
the second client can read between any two steps.
"""
import os
import subprocess


class ClientError(Exception):
    """What the client under test said."""


class Program:
    def __init__(self, command, log, environment=None):
        self._log = open(log, "w+", encoding="utf-8", errors="replace")
        self._process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self._log, text=True, encoding="utf-8", errors="replace",
            env={**os.environ, **(environment or {})})

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        try:
            self._process.stdin.close()
            self._process.wait(60)
        finally:
            self._process.kill()
            self._process.wait()
            self._process.stdout.close()
            self._log.close()

    def call(self, *words):
        """The words of the answer to one command."""
        self.send(*words)
        return self.answer(*words)

    def send(self, *words):
        self._process.stdin.write("\t".join(map(str, words)) + "\n")
        self._process.stdin.flush()

    def answer(self, *words):
        for line in self._process.stdout:
            first, *found = line.rstrip("\n").split("\t")
            if first == "ok":
                return found
            if first == "error":
                raise ClientError(" ".join(found))
        self._log.seek(0)
        raise RuntimeError(f"the client ended at {words}:\n{self._log.read()[-4000:]}")

    def __getattr__(self, command):
        return lambda *words: self.call(command, *words)
