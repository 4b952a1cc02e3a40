"""Runs a clang tool over many files in parallel, skipping what is known to be clean."""
import subprocess
from concurrent.futures import ThreadPoolExecutor

from compile_database import CleanResults, CompileDatabase

JOBS = 2


def run_over(tree, name, tool_text, command_of, chosen=None):
    """command_of(path, arguments) gives the command; returns the output of those that failed."""
    database = CompileDatabase(tree)
    if not database.files:
        return [f"no {database.folder}/compile_commands.json; run cmake --preset release first"]
    wanted = [path for path in database.files if chosen is None or path in chosen]
    clean = CleanResults(tree.root / "build" / f"clean-{name}")

    def look_at(path):
        fingerprint = database.fingerprint(path, name, tool_text)
        if fingerprint in clean:
            return None
        ran = subprocess.run(command_of(path, database.arguments(path)), cwd=tree.root,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             errors="replace", check=False)
        if ran.returncode == 0:
            clean.add(fingerprint)
            return None
        return f"{path}:\n" + "\n".join("    " + line for line in ran.stdout.splitlines())

    with ThreadPoolExecutor(JOBS) as pool:
        return [finding for finding in pool.map(look_at, wanted) if finding]
