"""The committed IDL files are those that the generator writes."""
import subprocess
import sys

GENERATOR = "tools/idl/generate.py"


def check(tree):
    if GENERATOR not in tree.files:
        return []
    ran = subprocess.run([sys.executable, "-B", str(tree.root / GENERATOR), "--check"],
                         capture_output=True, text=True, check=False)
    return [(ran.stdout + ran.stderr).strip()] if ran.returncode else []
