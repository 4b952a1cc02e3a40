"""Class paths from Maven, and small Java programs compiled against them; both stay in the cache.

Every artefact is pinned and brings nothing of its own: a list here is the whole class path. The
compiler is Eclipse's, itself an artefact: a Java runtime is enough.
"""
import hashlib
import os
import shlex
import shutil
import subprocess
from pathlib import Path

from support.hms.cache import cache_root, locked
from support.hms.java import find_java, java_options

FOLDER = Path(__file__).with_name("java")
COMPILER = ("org.eclipse.jdt:ecj:3.38.0",)
# The whole file system of a client; no Hadoop distribution is needed.
_HADOOP = ("org.apache.hadoop:hadoop-client-api:3.5.0",
           "org.apache.hadoop:hadoop-client-runtime:3.5.0")
_LOGGING = ("org.slf4j:slf4j-api:1.7.36", "org.apache.logging.log4j:log4j-slf4j-impl:2.24.3",
            "org.apache.logging.log4j:log4j-api:2.24.3",
            "org.apache.logging.log4j:log4j-core:2.24.3",
            "org.apache.logging.log4j:log4j-1.2-api:2.24.3",
            "commons-logging:commons-logging:1.2")
_OLD_THRIFT = ("org.apache.thrift:libthrift:0.9.3", "org.apache.thrift:libfb303:0.9.3")
_JACKSON = tuple(f"com.fasterxml.jackson.core:jackson-{part}:2.12.0"
                 for part in ("core", "databind", "annotations"))
_HIVE_3_PARTS = (*_OLD_THRIFT, *_JACKSON, "org.apache.hive:hive-storage-api:2.7.0",
                 "com.google.guava:guava:19.0", "commons-lang:commons-lang:2.6",
                 "org.apache.commons:commons-lang3:3.2",
                 "io.dropwizard.metrics:metrics-core:3.1.0")
_HTTP = ("org.apache.httpcomponents:httpclient:4.5.13",
         "org.apache.httpcomponents:httpcore:4.4.13")

# The order is that of the class path.
HIVE = {
    "2.3.10": ("org.apache.hive:hive-exec:2.3.10", *_HADOOP, *_LOGGING),
    "3.1.3": ("org.apache.hive:hive-standalone-metastore:3.1.3", *_HIVE_3_PARTS, *_HADOOP,
              *_LOGGING),
    "4.2.0": ("org.apache.hive:hive-exec:4.2.0", *_HTTP, *_HADOOP, *_LOGGING),
}
# An archive of 800 MB; the small ones lack the Hadoop file system.
TRINO = "io.trino:trino-server:476"
_OLDEST_JAVA = {"2.3.10": 17, "3.1.3": 17, "4.2.0": 21}

_ICEBERG = (*(f"org.apache.iceberg:iceberg-{part}:1.11.0" for part in (
    "hive-metastore", "api", "core", "common", "bundled-guava")),
    "org.apache.avro:avro:1.12.1", "commons-codec:commons-codec:1.19.0",
    "org.apache.commons:commons-compress:1.28.0", "commons-io:commons-io:2.20.0",
    "io.airlift:aircompressor:2.0.3", "com.fasterxml.jackson.core:jackson-core:2.21.3",
    "com.fasterxml.jackson.core:jackson-databind:2.21.3",
    "com.fasterxml.jackson.core:jackson-annotations:2.21",
    "org.roaringbitmap:RoaringBitmap:1.6.14", "com.github.ben-manes.caffeine:caffeine:2.9.3",
    "org.apache.commons:commons-lang3:3.18.0", "commons-lang:commons-lang:2.6")
ICEBERG_VERSION = "1.11.0"
# By the Hive client below it. 4.2.0 renamed a setting that Iceberg names, so the older class of the
# settings stands before it.
ICEBERG = {
    "2.3.10": (*_ICEBERG, "org.apache.hive:hive-exec:2.3.10", *_HADOOP, *_LOGGING),
    "3.1.3": (*_ICEBERG, "org.apache.hive:hive-exec:3.1.3", *_OLD_THRIFT,
              "org.apache.hive:hive-storage-api:2.7.0", "com.google.guava:guava:19.0",
              "io.dropwizard.metrics:metrics-core:3.1.0", *_HADOOP, *_LOGGING),
    "4.2.0": (*_ICEBERG, "org.apache.hive:hive-common:3.1.3", "org.apache.hive:hive-exec:4.2.0",
              "com.google.guava:guava:22.0", *_HTTP, *_HADOOP, *_LOGGING),
}

_SPARK = (*_HADOOP, "org.slf4j:slf4j-api:1.7.36", "commons-logging:commons-logging:1.2",
          "commons-codec:commons-codec:1.15", "commons-io:commons-io:2.11.0",
          "commons-lang:commons-lang:2.6", "org.apache.commons:commons-lang3:3.12.0",
          "commons-collections:commons-collections:3.2.2",
          "javax.servlet:javax.servlet-api:3.1.0", "javax.jdo:jdo-api:3.0.1",
          "com.google.guava:guava:22.0", "org.antlr:antlr-runtime:3.5.2", *_JACKSON)
# What Spark loads in place of its built-in Hive client.
SPARK_HIVE = {
    "3.1.3": ("org.apache.hive:hive-exec:3.1.3",
              "org.apache.hive:hive-standalone-metastore:3.1.3", *_OLD_THRIFT,
              *(f"org.apache.calcite:calcite-{part}:1.16.0"
                for part in ("core", "linq4j", "druid")),
              "org.apache.calcite.avatica:avatica-core:1.11.0", *_SPARK),
    "4.1.0": ("org.apache.hive:hive-exec:4.1.0", "org.antlr:antlr4-runtime:4.9.3",
              "com.github.ben-manes.caffeine:caffeine:2.8.4", "com.google.code.gson:gson:2.10.1",
              "javax.transaction:javax.transaction-api:1.3",
              "org.apache.hadoop:hadoop-hdfs:3.5.0", "org.apache.commons:commons-math3:3.6.1",
              *_HTTP, *_SPARK),
}


def oldest_java(hive):
    return _OLDEST_JAVA[hive]


_POM = """<project><modelVersion>4.0.0</modelVersion><groupId>clients</groupId>
<artifactId>clients</artifactId><version>1</version><packaging>pom</packaging><dependencies>
{dependencies}
</dependencies><build><plugins><plugin><groupId>org.apache.maven.plugins</groupId>
<artifactId>maven-dependency-plugin</artifactId><version>3.6.1</version><executions><execution>
<phase>validate</phase><goals><goal>build-classpath</goal></goals>
<configuration><outputFile>{out}</outputFile></configuration>
</execution></executions></plugin></plugins></build></project>
"""


def _dependency(coordinates, kind="jar"):
    group, artifact, version = coordinates.split(":")
    return (f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
            f"<version>{version}</version><type>{kind}</type><exclusions><exclusion>"
            "<groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency>")


def _maven(pom, goal):
    command = [*shlex.split(os.environ.get("CATALOGD_HMS_MVN", "mvn")), "-q", "-B", "-ntp",
               "-f", str(pom), f"-Dmaven.repo.local={cache_root() / 'repository'}", goal]
    ran = None
    for _ in range(3):  # A registry that answers slowly is asked again.
        ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             check=False)
        if ran.returncode == 0:
            return
    raise RuntimeError(f"Maven could not fetch what {pom} lists:\n{ran.stdout[-3000:]}")


def _folder(*parts):
    name = hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
    return cache_root() / "clients-build" / name


def _fetch(dependencies):
    """The files of these dependencies, as one class path."""
    folder = _folder(dependencies)
    found = folder / "classpath"
    with locked("maven"):
        if not found.exists():
            folder.mkdir(parents=True, exist_ok=True)
            pom = folder / "pom.xml"
            pom.write_text(_POM.format(out=folder / "fetched", dependencies=dependencies))
            _maven(pom, "validate")
            (folder / "fetched").rename(found)
    return found.read_text().strip()


def class_path(artefacts):
    """The jars of a list of artefacts, as one class path."""
    return _fetch("\n".join(map(_dependency, artefacts)))


def fetched(archive):
    """The file of an archive that is no jar."""
    return _fetch(_dependency(archive, "tar.gz"))


def compiled(source, artefacts, java):
    """The class path of a program of the folder `java`, compiled where it was not yet."""
    sources = [FOLDER / source, FOLDER / "Commands.java"]
    jars = class_path(artefacts)
    folder = _folder(*(path.read_text() for path in sources), jars, java)
    with locked("compile"):
        if not (folder / "done").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            ran = subprocess.run(
                [java, "-jar", class_path(COMPILER), "-17", "-nowarn", "-proc:none", "-cp", jars,
                 "-d", str(folder), *map(str, sources)],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if ran.returncode != 0:
                raise RuntimeError(f"{source} does not compile:\n{ran.stdout[-4000:]}")
            (folder / "done").touch()
    return f"{folder}:{jars}"


def java_command(source, artefacts, oldest, *options):
    """What starts a program of the folder `java`, up to its arguments."""
    java = find_java(oldest)
    return [java, "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", *java_options(java),
            f"-Dlog4j2.configurationFile={FOLDER / 'log4j2.properties'}", *options,
            "-cp", compiled(source, artefacts, java), Path(source).stem]
