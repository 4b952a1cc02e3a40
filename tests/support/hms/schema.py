"""A Derby database with the metastore schema of a release, made once and then copied.

The template holds no rows that a server writes at its first start: two servers made from it have
different metastore uuids.
"""
import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from .artifacts import Artifacts
from .cache import cache_root, locked
from .versions import Version


def _run_script(java: str, artifacts: Artifacts, database: Path, script: Path):
    """Runs one SQL file. Derby's tool ends with 0 whatever happened, so its output decides."""
    derby = ":".join(jar for jar in artifacts.jars if "/derby" in jar)
    ran = subprocess.run(
        [java, "-cp", derby, "-Xmx256m", "-Dderby.system.durability=test",
         f"-Dderby.stream.error.file={database.parent / 'derby.log'}",
         f"-Dij.database=jdbc:derby:{database};create=true", "org.apache.derby.tools.ij",
         str(script)],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    errors = [line for line in ran.stdout.splitlines() if line.startswith("ERROR")]
    if ran.returncode != 0 or errors:
        raise RuntimeError(f"schema script {script.name} failed: "
                           f"{errors[:3] or ran.stdout[-1000:]}")


def _fingerprint(version: Version) -> str:
    text = repr((version.schema_scripts, version.schema_changes))
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _template(version: Version, java: str, artifacts: Artifacts) -> Path:
    template = cache_root() / f"schema-{version.name}-{_fingerprint(version)}"
    with locked(f"schema-{version.name}"):
        if template.exists():
            return template
        making = Path(tempfile.mkdtemp(prefix="making-", dir=cache_root()))
        try:
            for name in version.schema_scripts:
                _run_script(java, artifacts, making / "db", artifacts.scripts / name)
            if version.schema_changes:
                changes = making / "changes.sql"
                changes.write_text("\n".join(version.schema_changes) + "\n")
                _run_script(java, artifacts, making / "db", changes)
            (making / "db").rename(template)
        finally:
            shutil.rmtree(making, ignore_errors=True)
    return template


def make_database(version: Version, java: str, artifacts: Artifacts, database: Path):
    """Puts a fresh database at `database`; keeps one that is there."""
    if not database.exists():
        shutil.copytree(_template(version, java, artifacts), database)
