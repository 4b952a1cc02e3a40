"""FaultyProxy: stands between a daemon and a metastore, looks on, and fails on demand."""
import contextlib
import re
import socket
import threading
import time
from collections import Counter

_CALL = re.compile(rb"\x80\x01\x00[\x01\x04]\x00\x00\x00[\x01-\x40]([a-zA-Z_][\w]*)")


class FaultyProxy:
    """Passes bytes on in both directions. Faults hold for all connections until recovered."""

    def __init__(self, target_port):
        self.calls = Counter()
        self._target = target_port
        self._listener = None
        self._connections = set()
        self._lock = threading.Lock()
        self._answers_may_pass = threading.Event()
        self._answers_may_pass.set()
        self._cut_method = None
        self._cut_after = 0
        self._delay_method = None
        self._delay_seconds = 0.0
        self.port = 0
        self.open()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self._answers_may_pass.set()
        self.close()

    @property
    def uri(self):
        return f"thrift://127.0.0.1:{self.port}"

    # Faults.

    def close(self):
        """The server is down: its port refuses, its connections are gone."""
        listener, self._listener = self._listener, None
        if listener is not None:
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)
            listener.close()
        self.drop_connections()

    def open(self):
        """The server is up again, on the same port."""
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(64)
        self.port = listener.getsockname()[1]
        self._listener = listener
        threading.Thread(target=self._accept, args=(listener,), daemon=True).start()

    def drop_connections(self):
        with self._lock:
            connections, self._connections = self._connections, set()
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def stall(self):
        """The server takes requests and answers none."""
        self._answers_may_pass.clear()

    def go_on(self):
        self._answers_may_pass.set()

    def cut_answer_of(self, method, after=10):
        """The next answer of a method ends after some bytes, and its connection with it."""
        self._cut_after = after
        self._cut_method = method

    def delay_answers_of(self, method, seconds):
        """Answers of a method come late, until asked for with 0 seconds."""
        self._delay_method, self._delay_seconds = method, seconds

    # Traffic.

    def _accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self._target), timeout=10)
                server.settimeout(None)
            except OSError:
                client.close()
                continue
            with self._lock:
                self._connections |= {client, server}
            asked = []
            for source, sink, look in ((client, server, self._on_request),
                                       (server, client, self._on_answer)):
                threading.Thread(target=self._pump, args=(source, sink, look, asked),
                                 daemon=True).start()

    def _pump(self, source, sink, look, asked):
        with contextlib.suppress(OSError):
            while True:
                data = source.recv(1 << 20)
                if not data:
                    break
                passed = look(data, asked)
                sink.sendall(passed)
                if len(passed) != len(data):
                    break
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        with self._lock:
            self._connections -= {source, sink}

    def _on_request(self, data, asked):
        for name in _CALL.findall(data):
            asked[:] = [name.decode()]
            self.calls[asked[0]] += 1
        return data

    def _on_answer(self, data, asked):
        method = asked[0] if asked else None
        self._answers_may_pass.wait()
        if method is not None and method == self._delay_method:
            time.sleep(self._delay_seconds)
        if method is not None and method == self._cut_method:
            self._cut_method = None
            return data[:self._cut_after]
        return data
