"""Typed metastore calls for tests: what to create, and a client that closes itself."""
import contextlib

from pymetastore.hive_metastore import ThriftHiveMetastore
from pymetastore.hive_metastore import ttypes as t
from thrift.protocol import TBinaryProtocol
from thrift.transport import TSocket, TTransport


class Connect:
    """with connect(port) as client: a typed client on a connection of its own.

    Not a generator: leaving one by an exception sets its traceback, and the stubs' are immutable.
    """

    def __init__(self, port, timeout=60.0):
        socket = TSocket.TSocket("127.0.0.1", port)
        socket.setTimeout(timeout * 1000)
        self._transport = TTransport.TBufferedTransport(socket)

    def __enter__(self):
        self._transport.open()
        return ThriftHiveMetastore.Client(TBinaryProtocol.TBinaryProtocol(self._transport))

    def __exit__(self, *unused):
        self._transport.close()


def connect(port, timeout=60.0):
    return Connect(port, timeout)


def over(connected):
    """A typed client on a socket that is open already, and stays its owner's."""
    socket = TSocket.TSocket()
    socket.setHandle(connected)
    return ThriftHiveMetastore.Client(
        TBinaryProtocol.TBinaryProtocol(TTransport.TBufferedTransport(socket)))


def columns(*pairs):
    return [t.FieldSchema(name, kind, None) for name, kind in pairs]


def storage(fields, location=None):
    return t.StorageDescriptor(
        cols=fields, location=location,
        inputFormat="org.apache.hadoop.mapred.TextInputFormat",
        outputFormat="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        compressed=False, numBuckets=-1, bucketCols=[], sortCols=[], parameters={},
        serdeInfo=t.SerDeInfo(
            "s", "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
            {"serialization.format": "1"}))


def database(name, **more):
    return t.Database(name=name, description="made by a test", parameters={"kind": "test"}, **more)


def table(db, name, partition_keys=(), parameters=None, fields=None):
    return t.Table(
        tableName=name, dbName=db, owner="tester", createTime=0, lastAccessTime=0, retention=0,
        sd=storage(fields or columns(("id", "bigint"), ("name", "string"))),
        partitionKeys=columns(*partition_keys),
        parameters={"EXTERNAL": "TRUE", **(parameters or {})}, tableType="EXTERNAL_TABLE")


def get_table(client, db, name):
    """The method that every server since 2.3 knows."""
    return client.get_table_req(t.GetTableRequest(dbName=db, tblName=name)).table


def change_table(client, db, name, **changes):
    """Reads, changes and writes a table; `parameters` are added to those it has."""
    changed = get_table(client, db, name)
    parameters = changes.pop("parameters", {})
    changed.parameters = {**(changed.parameters or {}), **parameters}
    for field, value in changes.items():
        setattr(changed, field, value)
    client.alter_table(db, name, changed)


def partition(client, db, table_name, values, parameters=None):
    owner = get_table(client, db, table_name)
    keys = [key.name for key in owner.partitionKeys]
    path = "/".join(f"{key}={value}" for key, value in zip(keys, values))
    return t.Partition(
        values=list(values), dbName=db, tableName=table_name, createTime=0, lastAccessTime=0,
        sd=storage(owner.sd.cols, f"{owner.sd.location}/{path}"), parameters=parameters or {})


def drop_database(client, name):
    with contextlib.suppress(t.NoSuchObjectException):
        client.drop_database(name, True, True)


def current_event(client):
    return client.get_current_notificationEventId().eventId


def events_after(client, event_id):
    """The whole log after an id, however long it is."""
    found = []
    while True:
        page = client.get_next_notification(
            t.NotificationEventRequest(lastEvent=event_id, maxEvents=1000)).events
        if not page:
            return found
        found += page
        event_id = page[-1].eventId
