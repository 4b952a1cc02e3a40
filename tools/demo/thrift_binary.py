"""Thrift binary protocol without a schema, in plain Python: messages in, messages out.

Values carry their wire type in their Python type, so that a decoded value can be changed and sent
again with nothing lost, fields of unknown meaning included:

    Struct  field id -> value        I16 I32 I64 Byte  int        str  string that is UTF-8
    List, Set  items of one type     float             double     bytes  any other string
    Map     key -> value             bool
"""
import struct

STOP, BOOL, BYTE, DOUBLE, I16_TYPE, I32_TYPE, I64_TYPE = 0, 2, 3, 4, 6, 8, 10
STRING, STRUCT, MAP, SET, LIST = 11, 12, 13, 14, 15
CALL, REPLY, EXCEPTION, ONEWAY = 1, 2, 3, 4
VERSION_1 = 0x80010000


class Byte(int):
    pass


class I16(int):
    pass


class I32(int):
    pass


class I64(int):
    pass


class Struct(dict):
    """A Thrift struct: field id -> value."""


class Map(dict):
    """A Thrift map. The types count only while it is empty."""

    def __init__(self, items=(), key_type=STRING, value_type=STRING):
        super().__init__(items)
        self.types = (key_type, value_type)


class List(list):
    """A Thrift list. The type counts only while it is empty."""

    def __init__(self, items=(), item_type=STRING):
        super().__init__(items)
        self.type = item_type


class Set(List):
    """A Thrift set, in wire order."""


_FIXED = {Byte: (BYTE, ">b"), I16: (I16_TYPE, ">h"), I32: (I32_TYPE, ">i"), I64: (I64_TYPE, ">q"),
          float: (DOUBLE, ">d")}
_PYTHON = {code: (python, layout) for python, (code, layout) in _FIXED.items()}


def type_of(value):
    if isinstance(value, bool):
        return BOOL
    if type(value) in _FIXED:
        return _FIXED[type(value)][0]
    for python, code in ((str, STRING), (bytes, STRING), (Struct, STRUCT), (Map, MAP), (Set, SET),
                         (List, LIST)):
        if isinstance(value, python):
            return code
    raise TypeError(f"{value!r} has no Thrift type; wrap numbers in I32, I64, I16 or Byte")


def _encode_items(items, item_type):
    code = type_of(items[0]) if items else item_type
    return struct.pack(">bi", code, len(items)) + b"".join(encode(item) for item in items)


def _encode_map(value):
    key_type, value_type = value.types
    for key, item in value.items():
        key_type, value_type = type_of(key), type_of(item)
    head = struct.pack(">bbi", key_type, value_type, len(value))
    return head + b"".join(encode(key) + encode(item) for key, item in value.items())


def encode(value):
    if isinstance(value, bool):
        return b"\x01" if value else b"\x00"
    if type(value) in _FIXED:
        return struct.pack(_FIXED[type(value)][1], value)
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return struct.pack(">i", len(value)) + value
    if isinstance(value, Struct):
        fields = (struct.pack(">bh", type_of(item), number) + encode(item)
                  for number, item in value.items() if item is not None)
        return b"".join(fields) + b"\x00"
    if isinstance(value, Map):
        return _encode_map(value)
    return _encode_items(value, value.type)


class Reader:
    """Decodes from bytes; raises struct.error or IndexError when they end too early."""

    def __init__(self, data, position=0):
        self.data = data
        self.position = position

    def unpack(self, layout):
        values = struct.unpack_from(layout, self.data, self.position)
        self.position += struct.calcsize(layout)
        return values

    def raw(self):
        length, = self.unpack(">i")
        taken = bytes(self.data[self.position:self.position + length])
        if len(taken) != length:
            raise IndexError(f"a string of {length} bytes is cut off")
        self.position += length
        return taken

    def value(self, code):
        if code in _PYTHON:
            python, layout = _PYTHON[code]
            return python(self.unpack(layout)[0])
        if code == BOOL:
            return self.unpack(">b")[0] != 0
        if code == STRING:
            return self._string()
        if code == STRUCT:
            return self.struct()
        if code == MAP:
            return self._map()
        if code in (LIST, SET):
            return self._items(List if code == LIST else Set)
        raise ValueError(f"type {code} at byte {self.position} does not exist")

    def struct(self):
        fields = Struct()
        while True:
            code, = self.unpack(">b")
            if code == STOP:
                return fields
            number, = self.unpack(">h")
            fields[number] = self.value(code)

    def _string(self):
        taken = self.raw()
        try:
            return taken.decode()
        except UnicodeDecodeError:
            return taken

    def _items(self, python):
        code, count = self.unpack(">bi")
        return python((self.value(code) for _ in range(count)), code)

    def _map(self):
        key_type, value_type, count = self.unpack(">bbi")
        pairs = []
        for _ in range(count):
            key = self.value(key_type)
            pairs.append((as_key(key), self.value(value_type)))
        return Map(pairs, key_type, value_type)


def as_key(value):
    """A container can't be a key in Python; its canonical form can."""
    return canonical(value) if isinstance(value, (dict, list)) else value


def canonical(value):
    """A hashable form that is equal for equal Thrift values: types count, map order does not."""
    if isinstance(value, Struct):
        return ("struct",) + tuple(sorted((number, canonical(item))
                                          for number, item in value.items()))
    if isinstance(value, Map):
        return ("map",) + tuple(sorted(((canonical(key), canonical(item))
                                        for key, item in value.items()), key=repr))
    if isinstance(value, Set):
        return ("set",) + tuple(sorted((canonical(item) for item in value), key=repr))
    if isinstance(value, List):
        return ("list",) + tuple(canonical(item) for item in value)
    if isinstance(value, tuple):
        return value
    return (type(value).__name__, value)


def message(name, arguments, kind=CALL, sequence=1):
    encoded = name.encode()
    return (struct.pack(">Ii", VERSION_1 | kind, len(encoded)) + encoded +
            struct.pack(">i", sequence) + encode(arguments))
