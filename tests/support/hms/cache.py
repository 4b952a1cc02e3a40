"""The folder that outlives a test run: Maven repository, class paths, schemas, a Java."""
import contextlib
import fcntl
import os
from pathlib import Path


def cache_root() -> Path:
    chosen = os.environ.get("CATALOGD_HMS_CACHE")
    root = Path(chosen) if chosen else Path.home() / ".cache" / "catalogd-hms"
    root.mkdir(parents=True, exist_ok=True)
    return root.resolve()


@contextlib.contextmanager
def locked(name: str):
    """Holds one lock of the cache, so that parallel starts make each thing once."""
    with open(cache_root() / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
