"""Signals that end the demonstration, and what they must not leave behind."""
import os
import signal
from contextlib import contextmanager

ENDING = (signal.SIGHUP, signal.SIGINT, signal.SIGTERM)


class Ended(BaseException):
    """A signal asked for the end. No Exception: nobody on the way out may take it for a fault."""

    def __init__(self, number):
        super().__init__(f"ended by {signal.Signals(number).name}")
        self.number = number


class StopSignals:
    """Raises Ended, but only inside of `heard()`. Whatever starts and ends things stands outside:
    a signal that comes then is raised by the next `heard()`, or is late."""

    def __init__(self):
        self._pending = None
        self._heard = False
        for number in ENDING:
            signal.signal(number, self._on_signal)

    def _on_signal(self, number, _frame):
        if number == signal.SIGHUP:
            # The terminal is gone, and printing to it would fail.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, 1)
            os.dup2(nowhere, 2)
            os.close(nowhere)
        self._pending = self._pending or number
        self._raise_if_heard()

    def _raise_if_heard(self):
        if self._heard and self._pending:
            self._heard = False
            raise Ended(self._pending)

    @contextmanager
    def heard(self):
        self._heard = True
        try:
            self._raise_if_heard()
            yield
        finally:
            self._heard = False
