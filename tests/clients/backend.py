"""Backend: one daemon and the metastore that it fronts, or the embedded one inside it."""
from support.daemon import Daemon
from support.hms import Hms

EMBEDDED = "embedded"

# Racing writers make the server try again; by default it waits 2 s first. Iceberg and Spark change
# column types in ways that a Hive table would not survive.
_PROPERTIES = {"hive.metastore.disallow.incompatible.col.type.changes": "false",
               "hive.hmshandler.retry.interval": "50ms",
               "metastore.hmshandler.retry.interval": "50ms"}


class Backend:
    """`port` is where clients go; `foreign_port` where one goes who does not know the daemon."""

    def __init__(self, name, state_dir):
        self.name = name
        self.hms = None if name == EMBEDDED else Hms(name, _PROPERTIES)
        self._state_dir = state_dir
        self.daemon = None

    def __enter__(self):
        if self.hms is not None:
            self.hms.start()
        try:
            options = [] if self.hms is None else ["--metastore", self.hms.uri]
            self.daemon = Daemon(options, self._state_dir).start()
        except BaseException:
            self._stop_metastore()
            raise
        return self

    def __exit__(self, *unused):
        try:
            code = self.daemon.stop()
            assert code == 0, f"the daemon ended with {code}:\n{self.daemon.log_tail()}"
        finally:
            self._stop_metastore()

    def _stop_metastore(self):
        if self.hms is not None:
            self.hms.stop()

    @property
    def port(self):
        return self.daemon.port

    @property
    def foreign_port(self):
        return self.daemon.port if self.hms is None else self.hms.port

    def wait(self):
        """Until the daemon has seen what others did directly in the metastore."""
        if self.hms is not None:
            self.daemon.wait()
