"""Calls that would go around the seams: raw mutexes, threads, clocks, sleeping, catching."""
import re

_SEAMS = ("catalog/base/",)
# Tests may start threads of their own; they go through the seams for all the rest.
_THREADS = _SEAMS + ("tests/",)
# Exceptions end at the doors to the libraries that throw them.
CATCH_DOORS = ("hms_client/embedded/", "catalog/sqlite/", "thrift/server/", "catalog/web/",
               "tools/catalogctl/",
               "catalog/daemon/thrift_method.", "catalog/daemon/command_line.")

RULES = (
    (r"std::(?:recursive_|timed_|shared_|shared_timed_|recursive_timed_)?mutex\b",
     "use Mutex or SharedMutex of catalog/base", _SEAMS),
    (r"std::condition_variable(?:_any)?\b", "use CondVar of catalog/base", _SEAMS),
    (r"std::(?:lock_guard|unique_lock|shared_lock|scoped_lock)\b",
     "use MutexLock, ReaderLock or WriterLock of catalog/base", _SEAMS),
    (r"std::atomic<\s*std::shared_ptr\b",
     "the thread sanitizer reports libstdc++'s own code; guard a shared_ptr by a Mutex", ()),
    (r"std::j?thread\b(?!::id)|std::async\b|\bpthread_create\b",
     "use Executor of catalog/base", _THREADS),
    (r"\b\w*[cC]lock::now\s*\(|\b(?:gettimeofday|clock_gettime|time)\s*\(\s*(?:NULL|nullptr|0|&)",
     "ask a Clock of catalog/base", _SEAMS),
    (r"\bsleep_(?:for|until)\s*\(|\b(?:u|nano)?sleep\s*\(",
     "wait on a CondVar or a Timer of catalog/base", _SEAMS),
    # The simulator never meets these two folders; identities that they make must differ for ever.
    (r"\bstd::random_device\b", "use Random of catalog/base",
     _SEAMS + ("hms_client/embedded/", "catalog/daemon/")),
    (r"\bs?rand\s*\(\s*\)", "use Random of catalog/base", ()),
    (r"\bcatch\s*\(", "exceptions are caught only at the doors to Thrift, SQLite and Asio",
     CATCH_DOORS),
    (r"\busing\s+namespace\b(?!\s+std::(?:chrono_)?literals|\s+std::chrono_literals|"
     r"\s+std::string_view_literals|\s+std::string_literals)", "name what is used", ()),
)
_COMPILED = tuple((re.compile(pattern), advice, allowed) for pattern, advice, allowed in RULES)


def check(tree):
    findings = []
    for path in tree.sources():
        code = tree.code(path)
        for pattern, advice, allowed in _COMPILED:
            if path.startswith(allowed):
                continue
            for match in pattern.finditer(code):
                line = code.count("\n", 0, match.start()) + 1
                findings.append(f"{path}:{line}: {match.group(0).strip()}: {advice}")
    return findings
