"""Which folder may include which: the arrows of the house, checked on every #include."""
import re

_BASE = ("catalog/base",)
_WIRE = ("thrift/wire",)
# Plain constants, usable wherever messages are looked at.
_IDL = ("thrift/idl",)
_CLIENT = _BASE + _WIRE + _IDL + ("hms_client",)
_EVENTS = _CLIENT + ("events",)
_CACHE = _BASE + _WIRE + _IDL + ("catalog/cache",)
_SYNC = _EVENTS + _CACHE + ("catalog/sync",)
_DDL = _SYNC + ("catalog/ddl",)

# Folder -> folders it may include from, beside itself. Headers of a subfolder do not count as the
# folder's: hms_client does not stand for hms_client/embedded.
ALLOWED = {
    "catalog/base": (),
    # Only for Result: a scanner of foreign bytes has errors to tell.
    "thrift/wire": _BASE,
    "thrift/idl": (),
    "thrift/server": _BASE + _WIRE,
    "hms_client": _BASE + _WIRE + _IDL,
    # The language of filters knows names only.
    "hms_client/filter": _BASE,
    "hms_client/embedded": _CLIENT + ("hms_client/filter", "catalog/sqlite"),
    "events": _CLIENT,
    "catalog/cache": _CACHE,
    "catalog/sync": _SYNC,
    "catalog/ddl": _DDL,
    # Pure: names, ids and errors are all it needs.
    "catalog/coord": _BASE,
    "catalog/coord/store": _BASE + ("catalog/coord", "catalog/sqlite"),
    "catalog/coord/service": _BASE + ("catalog/coord", "catalog/coord/store"),
    "catalog/sqlite": _BASE,
    # How the daemon's own structs look as JSON: pages and the command line share it.
    "catalog/api": _BASE,
    "catalog/endpoint": _DDL + ("thrift/server", "catalog/api", "hms_client/filter"),
    "catalog/web": _BASE + ("catalog/api",),
    "tools/catalogctl": _BASE + _WIRE + _IDL + ("catalog/api",),
}
# May include everything but tests; and everything.
UNLIMITED = ("catalog/daemon",)
TESTS = "tests"

# Headers made by the Thrift compiler at build time, by the folder they are written to.
GENERATED = {
    "hms_idl": ("hms_client/embedded",),
    "catalogd_idl": ("catalog/api", "catalog/daemon", "tools/catalogctl"),
    # The structs are what the service takes and answers, so that nothing is said twice.
    "catalogd_coord_idl": ("catalog/api", "catalog/coord/service", "catalog/daemon",
                           "tools/catalogctl"),
}
# Thrift's own library and Asio are heavy and throw: each has its doors.
LIBRARIES = {
    "thrift/": ("hms_client/embedded", "catalog/endpoint", "tools/catalogctl"),
    "boost/asio": ("thrift/server", "catalog/web"),
    "boost/beast": ("catalog/web",),
    "re2/": ("hms_client/filter",),
    "SQLiteCpp/": ("catalog/sqlite",),
    "sqlite3.h": ("catalog/sqlite",),
}

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)


def folder_of(path):
    """The deepest known folder that holds the path; its own folder if none is known."""
    parts = path.split("/")[:-1]
    for length in range(len(parts), 0, -1):
        folder = "/".join(parts[:length])
        if folder in ALLOWED or folder in UNLIMITED:
            return folder
    return TESTS if parts and parts[0] == TESTS else "/".join(parts)


def _quoted_problem(folder, included):
    top = included.split("/")[0]
    if top in GENERATED:
        allowed = GENERATED[top]
        return None if folder in allowed else f"generated code belongs to {' and '.join(allowed)}"
    target = folder_of(included)
    if target == folder:
        return None
    if target == TESTS:
        return "nothing includes tests"
    if folder in UNLIMITED:
        return None
    if folder not in ALLOWED:
        return f"{folder} is not a folder of the house; add it to tools/checks/layers.py"
    if target in ALLOWED[folder]:
        return None
    return f"{folder} may include only {', '.join(ALLOWED[folder]) or 'itself'}"


def _library_problem(folder, included):
    for prefix, doors in LIBRARIES.items():
        if included.startswith(prefix) and folder not in doors + UNLIMITED:
            return f"{prefix} belongs to {', '.join(doors)}"
    return None


def check(tree):
    findings = []
    for path in tree.sources():
        folder = folder_of(path)
        if folder == TESTS:
            continue
        for match in _INCLUDE.finditer(tree.read(path)):
            quoted, angled = match.groups()
            if quoted and "/" in quoted:
                problem = _quoted_problem(folder, quoted)
            else:
                problem = _library_problem(folder, quoted or angled)
            if problem:
                line = tree.read(path).count("\n", 0, match.start()) + 1
                findings.append(f"{path}:{line}: includes {quoted or angled}; {problem}")
    return findings
