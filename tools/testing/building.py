"""Where things are, and how a preset is configured and built."""
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
JOBS = "2"


def build_dir(preset):
    return ROOT / "build" / preset


def run(command, **options):
    """Runs a command with its whole output as text."""
    return subprocess.run([str(part) for part in command], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", cwd=ROOT,
                          check=False, **options)


def first_error(output):
    """A build's output from its first failure on: other jobs go on for a while after it."""
    lines = output.splitlines()
    for number, line in enumerate(lines):
        if line.startswith(("FAILED:", "CMake Error")):
            return "\n".join(lines[number:number + 50])
    return output


def build(preset, report):
    """Configures and builds; False, with the failure reported, when that was not possible."""
    started = time.monotonic()
    report.note(f"building {preset}")
    for command in (["cmake", "--preset", preset],
                    ["cmake", "--build", "--preset", preset, "--parallel", JOBS]):
        # On a terminal the build shows its own progress; elsewhere only a failure is worth reading.
        if sys.stdout.isatty():
            ran = subprocess.run(command, cwd=ROOT, check=False)
        else:
            ran = run(command)
        if ran.returncode != 0:
            report.fail(f"build of {preset}", first_error(ran.stdout or "see the output above"))
            return False
    report.note(f"{preset} is built ({time.monotonic() - started:.0f} s)")
    return True
