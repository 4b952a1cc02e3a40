"""Programs in Go, Node and Rust: built where they were not yet, in the cache."""
import hashlib
import os
import shutil
import subprocess
from pathlib import Path

from support.hms.cache import cache_root, locked

HERE = Path(__file__).resolve().parent
IDL = HERE.parents[1] / "thrift" / "idl"


def _run(command, folder, **environment):
    ran = subprocess.run([str(part) for part in command], cwd=folder, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, check=False,
                         env={**os.environ, **environment})
    if ran.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}:\n{ran.stdout[-4000:]}")


def _folder(*sources):
    text = b"".join(path.read_bytes() for path in sources)
    return cache_root() / "clients-build" / hashlib.sha256(text).hexdigest()[:16]


def go_program(source):
    """The program of a Go module."""
    program = _folder(*sorted(path for path in source.iterdir() if path.is_file())) / source.name
    with locked("compile"):
        if not program.exists():
            _run(["go", "build", "-o", program, "."], source)
    return program


def rust_program(source, name):
    """The program of a crate; what it is made of stays beside it, for the next build."""
    target = cache_root() / "clients-build" / "rust"
    with locked("compile"):
        _run(["cargo", "build", "--quiet"], source, CARGO_TARGET_DIR=str(target))
    return target / "debug" / name


def node_folder():
    """A folder with the Node client, its packages and the code made from our own IDL."""
    source = HERE / "node"
    files = [source / name for name in ("client.js", "package.json", "package-lock.json")]
    folder = _folder(*files, IDL / "hive_metastore.thrift")
    with locked("compile"):
        if not (folder / "done").exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            for path in files:
                shutil.copyfile(path, folder / path.name)
            _run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
            _run(["thrift", "-r", "--gen", "js:node,es6", "-out", folder,
                  IDL / "hive_metastore.thrift"], folder)
            (folder / "done").touch()
    return folder
