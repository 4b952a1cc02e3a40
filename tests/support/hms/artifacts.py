"""Fetches the jars and the schema scripts of one release through Maven, once."""
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .cache import cache_root, locked
from .versions import Version


@dataclass(frozen=True)
class Artifacts:
    jars: tuple
    scripts: Path


def _fetch(pom: Path, out: Path):
    command = [*shlex.split(os.environ.get("CATALOGD_HMS_MVN", "mvn")), "-q", "-B", "-ntp",
               "-f", str(pom), f"-Dhms.out={out}",
               f"-Dmaven.repo.local={cache_root() / 'repository'}", "validate"]
    for attempt in (1, 2, 3):
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             check=False)
        (out / "maven.log").write_text(ran.stdout)
        if ran.returncode == 0:
            return
    raise RuntimeError(f"Maven could not fetch what {pom.name} lists ({attempt} attempts); "
                       f"see {out / 'maven.log'}:\n{ran.stdout[-3000:]}")


def artifacts_of(version: Version) -> Artifacts:
    pom = Path(__file__).with_name(f"pom-{version.name}.xml")
    out = cache_root() / version.name
    used = out / "pom.xml"
    with locked("maven"):
        if not used.exists() or used.read_bytes() != pom.read_bytes():
            shutil.rmtree(out, ignore_errors=True)
            out.mkdir()
            _fetch(pom, out)
            shutil.copyfile(pom, used)
    jars = (out / "classpath").read_text().strip().split(":")
    distribution = next((out / "dist").iterdir())
    if version.uses_distribution_jars:
        jars += sorted(str(jar) for jar in (distribution / "lib").glob("*.jar")
                       if not jar.name.startswith(version.replaced_jar_prefix))
    return Artifacts(tuple(jars), distribution / "scripts" / "metastore" / "upgrade" / "derby")
