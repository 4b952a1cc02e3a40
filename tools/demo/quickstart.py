"""A short life of a table on a running catalogd: each step is checked and shown."""
import argparse
import sys
import tempfile
from pathlib import Path

from daemon_process import BIN, DaemonProcess, Failed, is_free, quoted
from objects import (PARTITION_PARAMETERS, STORAGE_COLUMNS, TABLE_PARAMETERS, TABLE_STORAGE, column,
                     database, partition, table)
from stop_signals import Ended, StopSignals
from thrift_binary import I16, List, STRUCT, Struct
from thrift_connection import ApplicationError, Connection, DeclaredError

DB, TABLE = "quickstart", "sales"
NAME = f"{DB}.{TABLE}"
ALL = I16(-1)


def check(condition, text):
    if not condition:
        raise Failed(text)


class Demonstration:
    """One connection writes, another one reads: what the second sees it can only have from the
    daemon's cache or the metastore."""

    def __init__(self, daemon):
        self.daemon = daemon
        self.writer = Connection(daemon.port)
        self.reader = Connection(daemon.port)
        self.version = 0

    def close(self):
        self.writer.close()
        self.reader.close()

    def step(self, title, write, event_type, read, name=NAME):
        """Writes, reads on the other connection at once, and shows which events the cache saw."""
        print(f"\n* {title}")
        before = self.writer.call("get_current_notificationEventId")[1]
        write()
        after = self.writer.call("get_current_notificationEventId")[1]
        check(after > before, f"{title}: no event was logged")
        print(f"    another client reads at once: {read()}")
        info = self.daemon.ctl_json("get", name)
        check(info["effective_event_id"] >= after,
              f"{title}: {name} reflects event {info['effective_event_id']} and not {after}")
        check(info["catalog_version"] >= self.version,
              f"{title}: the catalog version went back to {info['catalog_version']}")
        self.version = info["catalog_version"]
        self._show_events(title, before, event_type)
        print(f"    catalogctl get {name}: {info['state']}, synced to event "
              f"{info['synced_event_id']}, catalog version {info['catalog_version']}")
        return info

    def _show_events(self, title, before, event_type):
        # Each event comes by twice: the write brings it in, and the follower finds it known.
        seen = [event for event in self.daemon.ctl_json("events")
                if event["event_id"] > before and event["action"] != "skip-old"]
        for event in reversed(seen):
            reason = f" ({event['reason']})" if event["reason"] else ""
            print(f"    event {event['event_id']} {event['type']} {event['name']}: "
                  f"{event['action']}, by {event['by']}{reason}")
        check(any(event["type"] == event_type for event in seen),
              f"{title}: catalogctl events does not show a {event_type}")

    # What another client sees.

    def table(self):
        return self.reader.call("get_table", DB, TABLE)

    def columns(self):
        return [one[1] for one in self.table()[TABLE_STORAGE][STORAGE_COLUMNS]]

    def partitions(self):
        return list(self.reader.call("get_partition_names", DB, TABLE, ALL))

    def expect(self, found, expected, what):
        check(found == expected, f"another client reads {what} {found} instead of {expected}")
        return f"{what} {found}"


def run(demo):
    write = demo.writer.call
    if DB in write("get_all_databases"):
        write("drop_database", DB, True, True)

    demo.step("Create a database",
              lambda: write("create_database", database(DB, "made by tools/quickstart")),
              "CREATE_DATABASE",
              lambda: demo.expect(demo.reader.call("get_database", DB)[1], DB, "database"), DB)

    new = table(DB, TABLE, [column("id", "bigint"), column("amount", "decimal(10,2)")],
                [column("day", "string")])
    info = demo.step("Create a partitioned table", lambda: write("create_table", new),
                     "CREATE_TABLE",
                     lambda: demo.expect(demo.columns(), ["id", "amount"], "columns"))
    check(info["state"] == "present", f"the new table is {info['state']} in the cache")

    days = ["2026-01-01", "2026-01-02", "2026-01-03"]
    made = List([partition(demo.table(), [day]) for day in days], STRUCT)
    demo.step("Add three partitions in one call", lambda: write("add_partitions", made),
              "ADD_PARTITION",
              lambda: demo.expect(demo.partitions(), [f"day={day}" for day in days], "partitions"))

    def add_column():
        changed = demo.table()
        changed[TABLE_STORAGE][STORAGE_COLUMNS].append(column("note", "string", "new"))
        changed[TABLE_PARAMETERS]["changed.by"] = "quickstart"
        write("alter_table", DB, TABLE, changed)

    demo.step("Alter the table: one more column and a parameter", add_column, "ALTER_TABLE",
              lambda: demo.expect(demo.columns(), ["id", "amount", "note"], "columns"))

    def mark_partition():
        changed = demo.reader.call("get_partition", DB, TABLE, List([days[0]]))
        changed[PARTITION_PARAMETERS]["checked"] = "yes"
        write("alter_partition", DB, TABLE, changed)

    demo.step("Alter one partition", mark_partition, "ALTER_PARTITION",
              lambda: demo.expect(
                  demo.reader.call("get_partition", DB, TABLE, List([days[0]]))
                  [PARTITION_PARAMETERS].get("checked"), "yes", "its parameter"))

    demo.step("Drop one partition",
              lambda: write("drop_partition", DB, TABLE, List([days[1]]), False),
              "DROP_PARTITION",
              lambda: demo.expect(demo.partitions(), [f"day={days[0]}", f"day={days[2]}"],
                                  "partitions"))

    status = demo.daemon.ctl_json("status")
    check(status["ready"], f"the daemon is not ready: {status['reason']}")
    check(status["lag_events"] == 0, f"the daemon is {status['lag_events']} events behind")
    print("\n* catalogctl status\n" +
          "\n".join("    " + line for line in demo.daemon.ctl("status").splitlines()))


def print_addresses(daemon, state_dir, is_temporary):
    kept = " (temporary: gone at the end)" if is_temporary else ""
    print(f"""
catalogd is running.
  endpoint      thrift://127.0.0.1:{daemon.port}   for Spark, Trino, Hive and any metastore client
  web page      http://127.0.0.1:{daemon.web_port}/
  command line  {quoted(BIN / 'catalogctl')} --port {daemon.port} status
  data          {quoted(state_dir)}{kept}
  log           {quoted(daemon.log)}
""", flush=True)


def serve(daemon, state_dir, is_temporary):
    """Whoever reads the first line of it may end it."""
    try:
        print_addresses(daemon, state_dir, is_temporary)
        print("Press Ctrl-C to stop it.", flush=True)
        daemon.process.wait()
    except Ended:
        return
    raise Failed(f"the daemon ended by itself; see {quoted(daemon.log)}")


def demonstrate_and_serve(options, state_dir, signals):
    ports = [port_of(options, "port"), port_of(options, "web_port")]
    daemon = DaemonProcess(state_dir, *ports)
    try:
        with signals.heard():
            daemon.wait_until_ready()
            demo = Demonstration(daemon)
            try:
                run(demo)
            finally:
                demo.close()
            if not options.once:
                serve(daemon, state_dir, options.state_dir is None)
    finally:
        code = daemon.stop()
    check(code == 0, f"the daemon ended with exit code {code}; see {quoted(daemon.log)}")


DEFAULT_PORTS = {"port": 9083, "web_port": 9084}


def port_of(options, name):
    """A port that was named must be free; instead of a default one any other will do."""
    named = getattr(options, name)
    port = DEFAULT_PORTS[name] if named is None else named
    if port == 0 or is_free(port):
        return port
    option = "--" + name.replace("_", "-")
    check(named is None, f"port {port} is taken; name another one with {option}, or 0 for any")
    print(f"Port {port} is taken; using another one ({option} chooses it).", flush=True)
    return 0


def port_number(text):
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: expected a number from 0 to 65535")
    return int(text)


def parse_arguments():
    parser = argparse.ArgumentParser(prog="tools/quickstart", description=__doc__,
                                     allow_abbrev=False)
    parser.add_argument("--once", action="store_true", help="stop after the demonstration")
    parser.add_argument("--state-dir", type=Path, help="keep the data there (default: temporary)")
    parser.add_argument("--port", type=port_number, help="default: 9083, or any if it is taken")
    parser.add_argument("--web-port", type=port_number, help="default: 9084, or any if it is taken")
    # For tools/quickstart: looks at the arguments, so that a mistake costs no build.
    parser.add_argument("--check-arguments", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def check_arguments(options):
    try:
        for name in DEFAULT_PORTS:
            if getattr(options, name) is not None:
                port_of(options, name)
    except Failed as error:
        print(f"quickstart: {error}", file=sys.stderr)
        return 1
    return 0


def main():
    options = parse_arguments()
    if options.check_arguments:
        return check_arguments(options)
    signals = StopSignals()
    try:
        if options.state_dir is not None:
            demonstrate_and_serve(options, options.state_dir.resolve(), signals)
        else:
            with tempfile.TemporaryDirectory(prefix="catalogd-quickstart-") as temporary:
                demonstrate_and_serve(options, Path(temporary), signals)
    except Ended as ended:
        print(f"\nquickstart {ended} before the demonstration was over; nothing is left running.",
              file=sys.stderr)
        return 128 + ended.number
    except (Failed, ApplicationError, DeclaredError, OSError) as error:
        print(f"\nquickstart failed: {error}", file=sys.stderr)
        return 1
    print("Every step did what it says. catalogd has stopped.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
