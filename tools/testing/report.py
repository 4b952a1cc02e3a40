"""Counts results over all kinds, shows failures as they come and ends with one line."""
import sys
import time

# Of one failure. A longer text is shown from its begin, which names the place, and its end.
MOST_LINES = 120


def shortened(output):
    lines = output.rstrip().splitlines()
    if len(lines) <= MOST_LINES:
        return lines
    half = MOST_LINES // 2
    return lines[:half] + [f"... {len(lines) - 2 * half} lines more ..."] + lines[-half:]


class Report:
    def __init__(self):
        self.passed = 0
        self.failures = []
        self._kind = ""
        self._started = time.monotonic()
        self._kind_started = self._started

    @property
    def ran(self):
        return self.passed + len(self.failures)

    def heading(self, kind):
        self._kind = kind
        self._kind_started = time.monotonic()
        self.note("start")

    def note(self, text):
        print(f"[{self._kind or 'build'}] {text}", flush=True)

    def pass_(self, count=1):
        self.passed += count

    def count(self, name, passed):
        """One line for a program or file that ran several tests."""
        self.passed += passed
        seconds = time.monotonic() - self._kind_started
        self.note(f"{name}: {passed} passed ({seconds:.0f} s into this kind)")

    def fail(self, name, output, count=1):
        """`count` tests failed under one name; their output is shown once."""
        self.failures += [f"{self._kind or 'build'}: {name}"] * count
        print("\n".join([f"[{self._kind or 'build'}] FAILED: {name}"] +
                        ["    " + line for line in shortened(output)]), flush=True)

    def finish(self):
        sys.stdout.flush()
        if self.failures:
            print("\nFailed:")
            for name in dict.fromkeys(self.failures):
                print(f"  {name}")
        print(f"\nTook {time.monotonic() - self._started:.0f} s")
        print(f"{self.passed} passed, {len(self.failures)} failed", flush=True)
        return 1 if self.failures or not self.passed else 0
