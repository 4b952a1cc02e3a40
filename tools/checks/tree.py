"""The files that are ours, and C++ text without comments and strings."""
import re
import subprocess

SOURCE_FOLDERS = ("thrift", "hms_client", "events", "catalog", "tests", "tools")

_NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"([^(\s]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'
    r"(?<![0-9a-fA-F])'(?:\\.[^'\n]*|[^'\\\n])'", re.DOTALL)


def blank_out(text):
    """The same text with comments and literals replaced by spaces; line breaks stay."""
    def blanks(match):
        found = match.group(0)
        if found.startswith(("//", "/*")):
            return re.sub(r"[^\n]", " ", found)
        return '"' + re.sub(r"[^\n]", " ", found[1:-1]) + '"'
    return _NOT_CODE.sub(blanks, text)


class Tree:
    """All files that Git would commit below `root`, tracked or new; paths are relative."""

    def __init__(self, root):
        self.root = root
        listed = subprocess.run(
            ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others",
             "--exclude-standard"], capture_output=True, check=True).stdout.decode()
        self.files = sorted(path for path in set(listed.split("\0"))
                            if path and (root / path).is_file())

    def sources(self):
        """Every C++ file of ours."""
        return [path for path in self.files
                if path.endswith((".h", ".cc")) and path.split("/")[0] in SOURCE_FOLDERS]

    def read(self, path):
        return (self.root / path).read_text(errors="replace")

    def code(self, path):
        return blank_out(self.read(path))
