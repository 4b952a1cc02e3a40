"""clang-format 14 over every C++ file."""
import re
import shutil
import subprocess


def find_tool(name):
    """The pinned release of a clang tool; a newer one formats and warns differently."""
    return shutil.which(f"{name}-14") or shutil.which(name)


def check(tree):
    sources = tree.sources()
    if not sources:
        return []
    tool = find_tool("clang-format")
    if tool is None:
        return ["clang-format-14 is not installed; run tools/install-packages check"]
    ran = subprocess.run([tool, "--dry-run", "-Werror", *sources], cwd=tree.root,
                         capture_output=True, text=True, check=False)
    files = re.findall(r"^([^\s:]+):\d+:\d+: error: code should be clang-formatted", ran.stderr,
                       re.MULTILINE)
    findings = [f"{path}: run {tool.split('/')[-1]} -i on it" for path in dict.fromkeys(files)]
    return findings or ([ran.stderr.strip()] if ran.returncode else [])
