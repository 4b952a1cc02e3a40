"""One connection that speaks strict Thrift binary, buffered or framed, without a schema."""
import socket
import struct

from thrift_binary import CALL, EXCEPTION, ONEWAY, VERSION_1, Reader, Struct, message


class ApplicationError(Exception):
    """The server's own exception (message kind 3): an unknown method, a broken message."""

    def __init__(self, text, kind):
        super().__init__(text)
        self.text = text
        self.kind = kind


class DeclaredError(Exception):
    """An exception that the method declares; `field` is its id in the result."""

    def __init__(self, field, content):
        super().__init__(content.get(1, "") if isinstance(content, Struct) else content)
        self.field = field
        self.content = content


class _SocketReader(Reader):
    """Reads from the socket as a value needs it: an unframed message does not tell its length."""

    def __init__(self, connection):
        super().__init__(bytearray())
        self._connection = connection

    def _need(self, count):
        while len(self.data) - self.position < count:
            more = self._connection.recv(65536)
            if not more:
                raise ConnectionError("the server closed the connection"
                                      + (" in the middle of an answer" if self.data else ""))
            self.data += more

    def unpack(self, layout):
        self._need(struct.calcsize(layout))
        return super().unpack(layout)

    def raw(self):
        length, = self.unpack(">i")
        self.position -= 4
        self._need(4 + length)
        return super().raw()


class Connection:
    """Calls are made one after the other. Not for several threads."""

    def __init__(self, port, host="127.0.0.1", framed=False, timeout=60.0):
        self.socket = socket.create_connection((host, port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.framed = framed
        self._sequence = 0

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, name, arguments=None, kind=CALL):
        self._sequence += 1
        sent = message(name, arguments or Struct(), kind, self._sequence)
        if self.framed:
            sent = struct.pack(">i", len(sent)) + sent
        self.socket.sendall(sent)

    def send_oneway(self, name, arguments=None):
        self.send(name, arguments, ONEWAY)

    def receive(self):
        """(name, kind, content) of the next answer."""
        reader = _SocketReader(self.socket)
        if self.framed:
            reader.unpack(">i")
        head, = reader.unpack(">I")
        if head & 0xFFFF0000 != VERSION_1:
            raise ConnectionError(f"not a strict Thrift message: it starts with {head:#x}")
        name = reader.raw().decode()
        sequence, = reader.unpack(">i")
        if sequence != self._sequence:
            raise ConnectionError(f"answer {sequence} to call {self._sequence}")
        return name, head & 0xFF, reader.struct()

    def result(self, name, arguments=None):
        """The whole result struct of a call; raises ApplicationError."""
        self.send(name, arguments)
        answered, kind, content = self.receive()
        if kind == EXCEPTION:
            raise ApplicationError(content.get(1, ""), int(content.get(2, 0)))
        if answered != name:
            raise ConnectionError(f"asked {name}, answered {answered}")
        return content

    def call(self, name, *arguments):
        """The answer of a method whose arguments are numbered 1, 2, ...; raises DeclaredError."""
        numbered = Struct((i, value) for i, value in enumerate(arguments, 1) if value is not None)
        result = self.result(name, numbered)
        if 0 in result or not result:
            return result.get(0)
        field, content = next(iter(result.items()))
        raise DeclaredError(field, content)
