"""Column statistics as a foreign client sets them."""
from pymetastore.hive_metastore import ttypes as t


def _statistics(description, column, values):
    data = t.ColumnStatisticsData(
        longStats=t.LongColumnStatsData(lowValue=1, highValue=values, numNulls=0, numDVs=values))
    return t.ColumnStatistics(
        statsDesc=description,
        statsObj=[t.ColumnStatisticsObj(colName=column, colType="bigint", statsData=data)])


def set_table_statistics(client, db, table, column, values):
    client.update_table_column_statistics(_statistics(
        t.ColumnStatisticsDesc(isTblLevel=True, dbName=db, tableName=table), column, values))


def set_partition_statistics(client, db, table, partition, column, values):
    client.update_partition_column_statistics(_statistics(
        t.ColumnStatisticsDesc(isTblLevel=False, dbName=db, tableName=table, partName=partition),
        column, values))
