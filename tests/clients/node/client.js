// Apache Thrift's client for Node in the words of a life, see ../program.py.
// Arguments: port, "old" or "new" calls, "buffered" or "framed".
'use strict';

const readline = require('readline');
const thrift = require('thrift');
const Metastore = require('./ThriftHiveMetastore');
const types = require('./hive_metastore_types');

const [port, calls, transport] = process.argv.slice(2);
const connection = thrift.createConnection('127.0.0.1', Number(port), {
  transport: transport === 'framed' ? thrift.TFramedTransport : thrift.TBufferedTransport,
  protocol: thrift.TBinaryProtocol,
});
const client = thrift.createClient(Metastore, connection);

const columns = (...pairs) =>
  pairs.map(([name, type]) => new types.FieldSchema({name, type}));

const storage = (cols, location) => new types.StorageDescriptor({
  cols, location, numBuckets: -1, bucketCols: [], sortCols: [], parameters: {},
  inputFormat: 'org.apache.hadoop.mapred.TextInputFormat',
  outputFormat: 'org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat',
  serdeInfo: new types.SerDeInfo({
    name: 's', serializationLib: 'org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe',
    parameters: {'serialization.format': '1'}}),
});

const oneOrNone = (parameters, key) =>
  parameters && key in parameters ? [parameters[key]] : [];

async function getTable(db, name) {
  if (calls === 'old') return client.get_table(db, name);
  const request = new types.GetTableRequest({dbName: db, tblName: name});
  return (await client.get_table_req(request)).table;
}

async function changeTable(db, name, change) {
  const table = await getTable(db, name);
  change(table);
  if (calls === 'old') return client.alter_table(db, name, table);
  return client.alter_table_req(new types.AlterTableRequest({dbName: db, tableName: name, table}));
}

async function createTable(db, name) {
  const table = new types.Table({
    tableName: name, dbName: db, owner: 'life', tableType: 'EXTERNAL_TABLE',
    sd: storage(columns(['id', 'bigint'], ['name', 'string'])),
    partitionKeys: columns(['day', 'string'], ['n', 'int']), parameters: {EXTERNAL: 'TRUE'},
  });
  if (calls === 'old') return client.create_table(table);
  return client.create_table_req(new types.CreateTableRequest({table}));
}

async function addPartition(db, name, ...values) {
  const table = await getTable(db, name);
  const path = values.map((value, i) => `${table.partitionKeys[i].name}=${value}`).join('/');
  return client.add_partitions([new types.Partition({
    values, dbName: db, tableName: name, parameters: {},
    sd: storage(table.sd.cols, `${table.sd.location}/${path}`)})]);
}

async function changeParameters(read, write, key, value) {
  const object = await read();
  object.parameters = {...object.parameters, [key]: value};
  return write(object);
}

// Each answers with a list of words.
const READS = {
  databases: () => client.get_all_databases(),
  database_parameter: async (db, key) => oneOrNone((await client.get_database(db)).parameters, key),
  tables: async (db, pattern = '*') => (await client.get_tables(db, pattern)).sort(),
  columns: async (db, name) => (await getTable(db, name)).sd.cols.map(c => `${c.name}:${c.type}`),
  parameter: async (db, name, key) => oneOrNone((await getTable(db, name)).parameters, key),
  partitions: (db, name) => client.get_partition_names(db, name, -1),
  pruned: async (db, name, filter) =>
    (await client.get_partitions_by_filter(db, name, filter, -1))
      .map(partition => partition.values.join('/')).sort(),
  partition_parameter: async (db, name, key, ...values) =>
    oneOrNone((await client.get_partition(db, name, values)).parameters, key),
  lock_table: async (db, tablename) => {
    const part = new types.LockComponent({
      type: types.LockType.EXCLUSIVE, level: types.LockLevel.TABLE, dbname: db, tablename});
    const answer = await client.lock(
      new types.LockRequest({component: [part], user: 'life', hostname: 'localhost'}));
    return [String(answer.lockid),
            answer.state === types.LockState.ACQUIRED ? 'acquired' : 'waiting'];
  },
};

const WRITES = {
  create_database: name => client.create_database(
    new types.Database({name, description: 'a life', parameters: {}})),
  set_database_parameter: (db, key, value) => changeParameters(
    () => client.get_database(db), found => client.alter_database(db, found), key, value),
  drop_database: db => client.drop_database(db, true, false),
  create_table: createTable,
  set_parameter: (db, name, key, value) =>
    changeTable(db, name, table => { table.parameters[key] = value; }),
  add_column: (db, name, column, type) =>
    changeTable(db, name, table => table.sd.cols.push(...columns([column, type]))),
  rename_table: (db, name, to) => changeTable(db, name, table => { table.tableName = to; }),
  drop_table: (db, name) => client.drop_table(db, name, true),
  add_partition: addPartition,
  set_partition_parameter: (db, name, key, value, ...values) => changeParameters(
    () => client.get_partition(db, name, values),
    found => client.alter_partition(db, name, found), key, value),
  drop_partition: (db, name, ...values) => client.drop_partition(db, name, values, false),
  unlock: lockid => client.unlock(new types.UnlockRequest({lockid: Number(lockid)})),
};

async function answer(line) {
  const [command, ...words] = line.split('\t');
  try {
    if (command in READS) return ['ok', ...await READS[command](...words)];
    await WRITES[command](...words);
    return ['ok'];
  } catch (error) {
    return ['error', `${error.name}: ${error.message}`.replace(/\s+/g, ' ')];
  }
}

async function main() {
  for await (const line of readline.createInterface({input: process.stdin})) {
    console.log((await answer(line)).join('\t'));
  }
  connection.end();
}

connection.on('error', error => {
  console.error(error);
  process.exit(1);
});
main();
