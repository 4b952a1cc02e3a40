"""PlainClient: the words of a life, in the calls of Python stubs; also the second client."""
from pymetastore.hive_metastore import ttypes as t

from support import metastore


class PlainClient:
    """Answers are lists of text, as those of programs in other languages are."""

    def __init__(self, client, types=t, old_calls=False):
        self._client = client
        self._t = types
        self._old_calls = old_calls

    def _table(self, db, name):
        if self._old_calls:
            return self._client.get_table(db, name)
        return metastore.get_table(self._client, db, name)

    def _columns(self, *pairs):
        return [self._t.FieldSchema(name, kind, None) for name, kind in pairs]

    def _storage(self, columns, location=None):
        return self._t.StorageDescriptor(
            cols=columns, location=location,
            inputFormat="org.apache.hadoop.mapred.TextInputFormat",
            outputFormat="org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
            compressed=False, numBuckets=-1, bucketCols=[], sortCols=[], parameters={},
            serdeInfo=self._t.SerDeInfo(
                "s", "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
                {"serialization.format": "1"}))

    # Databases.

    def create_database(self, db):
        self._client.create_database(self._t.Database(name=db, description="a life"))

    def databases(self):
        return self._client.get_all_databases()

    def set_database_parameter(self, db, key, value):
        found = self._client.get_database(db)
        found.parameters = {**(found.parameters or {}), key: value}
        self._client.alter_database(db, found)

    def database_parameter(self, db, key):
        value = (self._client.get_database(db).parameters or {}).get(key)
        return [] if value is None else [value]

    def drop_database(self, db):
        self._client.drop_database(db, True, False)

    # Tables.

    def create_table(self, db, name):
        self._client.create_table(self._t.Table(
            tableName=name, dbName=db, owner="life", createTime=0, lastAccessTime=0, retention=0,
            sd=self._storage(self._columns(("id", "bigint"), ("name", "string"))),
            partitionKeys=self._columns(("day", "string"), ("n", "int")),
            parameters={"EXTERNAL": "TRUE"}, tableType="EXTERNAL_TABLE"))

    def tables(self, db, pattern="*"):
        return sorted(self._client.get_tables(db, pattern))

    def columns(self, db, name):
        return [f"{column.name}:{column.type}" for column in self._table(db, name).sd.cols]

    def parameter(self, db, name, key):
        value = self._table(db, name).parameters.get(key)
        return [] if value is None else [value]

    def set_parameter(self, db, name, key, value):
        found = self._table(db, name)
        found.parameters[key] = value
        self._client.alter_table(db, name, found)

    def add_column(self, db, name, column, kind):
        found = self._table(db, name)
        found.sd.cols += self._columns((column, kind))
        self._client.alter_table(db, name, found)

    def rename_table(self, db, name, new):
        found = self._table(db, name)
        found.tableName = new
        self._client.alter_table(db, name, found)

    def drop_table(self, db, name):
        self._client.drop_table(db, name, True)

    # Partitions: their values are words.

    def add_partition(self, db, name, *values):
        owner = self._table(db, name)
        path = "/".join(f"{key.name}={value}" for key, value in zip(owner.partitionKeys, values))
        self._client.add_partitions([self._t.Partition(
            values=list(values), dbName=db, tableName=name, createTime=0, lastAccessTime=0,
            sd=self._storage(owner.sd.cols, f"{owner.sd.location}/{path}"), parameters={})])

    def partitions(self, db, name):
        return sorted(self._client.get_partition_names(db, name, -1))

    def pruned(self, db, name, expression):
        found = self._client.get_partitions_by_filter(db, name, expression, -1)
        return sorted("/".join(partition.values) for partition in found)

    def partition_parameter(self, db, name, key, *values):
        found = self._client.get_partition(db, name, list(values)).parameters.get(key)
        return [] if found is None else [found]

    def set_partition_parameter(self, db, name, key, value, *values):
        found = self._client.get_partition(db, name, list(values))
        found.parameters[key] = value
        self._client.alter_partition(db, name, found)

    def drop_partition(self, db, name, *values):
        self._client.drop_partition(db, name, list(values), False)

    # Locks.

    def lock_table(self, db, name):
        part = self._t.LockComponent(type=self._t.LockType.EXCLUSIVE, level=self._t.LockLevel.TABLE,
                                     dbname=db, tablename=name)
        answer = self._client.lock(self._t.LockRequest(component=[part], user="life",
                                                       hostname="localhost"))
        return [str(answer.lockid), "acquired" if answer.state == self._t.LockState.ACQUIRED
                else "waiting"]

    def unlock(self, lock):
        self._client.unlock(self._t.UnlockRequest(lockid=int(lock)))
