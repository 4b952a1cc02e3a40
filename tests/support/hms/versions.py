"""What differs between the metastore releases that the fixture can start.

The schema scripts that the artifacts bring are older than some releases; `schema_changes` holds the
statements that lead from the newest script to the schema that the release checks for.
"""
from dataclasses import dataclass, field

LISTENER = "hive.metastore.transactional.event.listeners"
LISTENER_CLASS = "org.apache.hive.hcatalog.listener.DbNotificationListener"
LOG_AUTH = "hive.metastore.event.db.notification.api.auth"

# Property sets for tests; None takes a property away.
NO_LISTENER = {LISTENER: None}
REFUSED_LOG = {LOG_AUTH: "true"}
# A 4.x server that writes json-0.2 messages as 3.1 does, instead of gzip(json-2.0).
JSON_MESSAGES = {
    "hive.metastore.event.message.factory":
        "org.apache.hadoop.hive.metastore.messaging.json.JSONMessageEncoder"}


def cleaned_log(time_to_live: str, interval: str = "5s") -> dict:
    """Properties of a 4.x server that cuts the old end of its log off while a test looks."""
    prefix = "hive.metastore.event.db.listener."
    return {prefix + "timetolive": time_to_live, prefix + "clean.interval": interval,
            prefix + "clean.startup.wait.interval": "0s"}


@dataclass(frozen=True)
class Version:
    name: str
    oldest_java: int
    schema_scripts: tuple
    schema_changes: tuple = ()
    properties: dict = field(default_factory=dict)
    # Jars of the unpacked distribution belong on the class path, except those with this prefix.
    uses_distribution_jars: bool = False
    replaced_jar_prefix: str = "derby-"
    # The old method names (get_table and its like) are still answered.
    has_old_methods: bool = True
    # Catalogs, an id of the metastore itself, `metastore.` names of settings, and events of altered
    # databases: all came with 3.0.
    is_before_catalogs: bool = False


def _statistics_without_names(release: str) -> tuple:
    """4.1 took the object names out of the statistics tables; the ids stayed."""
    return (
        "DROP INDEX APP.TAB_COL_STATS_IDX;",
        "DROP INDEX APP.PCS_STATS_IDX;",
        *(f"ALTER TABLE APP.TAB_COL_STATS DROP COLUMN {column};"
          for column in ("CAT_NAME", "DB_NAME", "TABLE_NAME")),
        *(f"ALTER TABLE APP.PART_COL_STATS DROP COLUMN {column};"
          for column in ("CAT_NAME", "DB_NAME", "TABLE_NAME", "PARTITION_NAME")),
        "CREATE INDEX APP.TAB_COL_STATS_IDX ON APP.TAB_COL_STATS (TBL_ID, COLUMN_NAME);",
        "CREATE INDEX APP.PCS_STATS_IDX ON APP.PART_COL_STATS (PART_ID, COLUMN_NAME);",
        f"UPDATE APP.VERSION SET SCHEMA_VERSION='{release}', "
        f"VERSION_COMMENT='Hive release version {release}';",
    )


_CATALOG_PARAMETERS = (
    "CREATE TABLE APP.CATALOG_PARAMS (CTLG_ID BIGINT NOT NULL REFERENCES APP.CTLGS ON DELETE "
    "CASCADE, PARAM_KEY VARCHAR(180) NOT NULL, PARAM_VALUE VARCHAR(4000), "
    "PRIMARY KEY (CTLG_ID, PARAM_KEY));",
)

_METASTORE = "org.apache.hadoop.hive.metastore."
# The defaults name Iceberg classes, which are in jars of their own; without them the housekeeping
# and compactor threads would not start.
_PROPERTIES_4 = {
    LOG_AUTH: "false",
    "metastore.thrift.bind.host": "127.0.0.1",
    "metastore.task.threads.remote": ",".join(_METASTORE + task for task in (
        "txn.service.AcidHouseKeeperService", "txn.service.CompactionHouseKeeperService",
        "txn.service.AcidTxnCleanerService", "txn.service.AcidOpenTxnsCounterService",
        "MaterializationsRebuildLockCleanerTask", "PartitionManagementTask")),
    "compactor.table.optimizers":
        "org.apache.hadoop.hive.ql.txn.compactor.AcidTableOptimizer",
}

VERSIONS = {version.name: version for version in (
    Version(
        name="4.2.0", oldest_java=21, schema_scripts=("hive-schema-4.0.0.derby.sql",),
        schema_changes=_statistics_without_names("4.2.0") + _CATALOG_PARAMETERS,
        properties=_PROPERTIES_4, has_old_methods=False),
    Version(
        name="4.1.0", oldest_java=21, schema_scripts=("hive-schema-4.0.0.derby.sql",),
        schema_changes=_statistics_without_names("4.1.0"),
        properties=_PROPERTIES_4, has_old_methods=False),
    Version(
        name="3.1.3", oldest_java=11, schema_scripts=("hive-schema-3.1.0.derby.sql",),
        # The task and proxy classes are those of the distribution's own site file: the defaults
        # name classes that only a full Hive has.
        properties={
            LOG_AUTH: "false",
            "metastore.expression.proxy": _METASTORE + "DefaultPartitionExpressionProxy",
            "metastore.task.threads.always": _METASTORE + "events.EventCleanerTask"},
        uses_distribution_jars=True),
    Version(
        name="2.3.10", oldest_java=11,
        schema_scripts=(
            "hive-schema-1.2.0.derby.sql", "upgrade-1.2.0-to-2.0.0.derby.sql",
            "upgrade-2.0.0-to-2.1.0.derby.sql", "upgrade-2.1.0-to-2.2.0.derby.sql",
            "upgrade-2.2.0-to-2.3.0.derby.sql"),
        # Its default pool, BoneCP, is not on the class path.
        properties={"datanucleus.connectionPoolingType": "HikariCP"}, is_before_catalogs=True),
)}
