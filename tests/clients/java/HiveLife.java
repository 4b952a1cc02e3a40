import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.metastore.HiveMetaStoreClient;
import org.apache.hadoop.hive.metastore.IMetaStoreClient;
import org.apache.hadoop.hive.metastore.api.Database;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.metastore.api.LockComponent;
import org.apache.hadoop.hive.metastore.api.LockLevel;
import org.apache.hadoop.hive.metastore.api.LockRequest;
import org.apache.hadoop.hive.metastore.api.LockResponse;
import org.apache.hadoop.hive.metastore.api.LockType;
import org.apache.hadoop.hive.metastore.api.Partition;
import org.apache.hadoop.hive.metastore.api.SerDeInfo;
import org.apache.hadoop.hive.metastore.api.StorageDescriptor;
import org.apache.hadoop.hive.metastore.api.Table;

/** Hive's own client in the words of a life. Written to what 2.3, 3.1 and 4.2 have in common. */
public final class HiveLife {
    private static final short ALL = -1;

    private final IMetaStoreClient client;

    private HiveLife(IMetaStoreClient client) {
        this.client = client;
    }

    public static void main(String[] arguments) throws Exception {
        HiveLife life = new HiveLife(connect(arguments[0]));
        Commands commands = new Commands();
        life.addDatabases(commands);
        life.addTables(commands);
        life.addPartitions(commands);
        life.addLocks(commands);
        life.addTransactions(commands);
        commands.serve();
        life.client.close();
    }

    /** 2.3 wants a HiveConf, which 3.1's stand-alone jar lacks. */
    private static IMetaStoreClient connect(String uri) throws Exception {
        Configuration configuration;
        try {
            configuration = (Configuration) Class.forName("org.apache.hadoop.hive.conf.HiveConf")
                    .getDeclaredConstructor().newInstance();
        } catch (ClassNotFoundException none) {
            configuration = new Configuration();
        }
        configuration.set("hive.metastore.uris", uri);
        configuration.set("hive.metastore.client.socket.timeout", "60s");
        for (var constructor : HiveMetaStoreClient.class.getConstructors()) {
            if (constructor.getParameterCount() == 1) {
                return (IMetaStoreClient) constructor.newInstance(configuration);
            }
        }
        throw new IllegalStateException("no constructor takes just a configuration");
    }

    private void addDatabases(Commands commands) {
        commands.write("create_database", w ->
                client.createDatabase(new Database(w[0], "a life", null, new HashMap<>())));
        commands.read("databases", w -> client.getAllDatabases());
        commands.write("set_database_parameter", w -> {
            Database database = client.getDatabase(w[0]);
            Map<String, String> parameters = new HashMap<>();
            if (database.getParameters() != null) {
                parameters.putAll(database.getParameters());
            }
            parameters.put(w[1], w[2]);
            database.setParameters(parameters);
            client.alterDatabase(w[0], database);
        });
        commands.read("database_parameter", w ->
                oneOrNone(client.getDatabase(w[0]).getParameters(), w[1]));
        commands.write("drop_database", w -> client.dropDatabase(w[0], true, false));
    }

    private void addTables(Commands commands) {
        commands.write("create_table", w -> createTable(w[0], w[1]));
        commands.read("tables", w -> {
            List<String> names = w.length > 1
                    ? client.getTables(w[0], w[1]) : client.getAllTables(w[0]);
            return names.stream().sorted().collect(Collectors.toList());
        });
        commands.read("columns", w -> client.getTable(w[0], w[1]).getSd().getCols().stream()
                .map(column -> column.getName() + ":" + column.getType())
                .collect(Collectors.toList()));
        commands.read("parameter", w ->
                oneOrNone(client.getTable(w[0], w[1]).getParameters(), w[2]));
        commands.write("set_parameter", w -> {
            Table table = client.getTable(w[0], w[1]);
            table.getParameters().put(w[2], w[3]);
            client.alter_table(w[0], w[1], table);
        });
        commands.write("add_column", w -> {
            Table table = client.getTable(w[0], w[1]);
            table.getSd().addToCols(new FieldSchema(w[2], w[3], null));
            client.alter_table(w[0], w[1], table);
        });
        commands.write("rename_table", w -> {
            Table table = client.getTable(w[0], w[1]);
            table.setTableName(w[2]);
            client.alter_table(w[0], w[1], table);
        });
        commands.write("drop_table", w -> client.dropTable(w[0], w[1], true, false));
    }

    private void addPartitions(Commands commands) {
        commands.write("add_partition", w -> addPartition(w[0], w[1], from(w, 2)));
        commands.read("partitions", w -> client.listPartitionNames(w[0], w[1], ALL));
        commands.read("pruned", w -> client.listPartitionsByFilter(w[0], w[1], w[2], ALL).stream()
                .map(partition -> String.join("/", partition.getValues()))
                .sorted().collect(Collectors.toList()));
        commands.read("partition_parameter", w ->
                oneOrNone(client.getPartition(w[0], w[1], from(w, 3)).getParameters(), w[2]));
        commands.write("set_partition_parameter", w -> {
            Partition partition = client.getPartition(w[0], w[1], from(w, 4));
            partition.getParameters().put(w[2], w[3]);
            client.alter_partition(w[0], w[1], partition);
        });
        commands.write("drop_partition", w -> client.dropPartition(w[0], w[1], from(w, 2), false));
    }

    private void addLocks(Commands commands) {
        commands.read("lock_table", w -> {
            LockComponent part = new LockComponent(LockType.EXCLUSIVE, LockLevel.TABLE, w[0]);
            part.setTablename(w[1]);
            LockResponse answer =
                    client.lock(new LockRequest(List.of(part), "life", "localhost"));
            return List.of(String.valueOf(answer.getLockid()),
                    answer.getState().toString().toLowerCase());
        });
        commands.write("unlock", w -> client.unlock(Long.parseLong(w[0])));
    }

    private void addTransactions(Commands commands) {
        commands.read("open_transaction", w -> List.of(String.valueOf(client.openTxn("life"))));
        commands.read("is_committed", w -> List.of(
                String.valueOf(client.getValidTxns().isTxnValid(Long.parseLong(w[0])))));
        commands.write("roll_back", w -> client.rollbackTxn(Long.parseLong(w[0])));
    }

    private void createTable(String db, String name) throws Exception {
        Table table = new Table();
        table.setDbName(db);
        table.setTableName(name);
        table.setOwner("life");
        table.setSd(storage(new ArrayList<>(List.of(
                new FieldSchema("id", "bigint", null), new FieldSchema("name", "string", null))),
                null));
        table.setPartitionKeys(List.of(
                new FieldSchema("day", "string", null), new FieldSchema("n", "int", null)));
        table.setParameters(new HashMap<>(Map.of("EXTERNAL", "TRUE")));
        table.setTableType("EXTERNAL_TABLE");
        client.createTable(table);
    }

    private void addPartition(String db, String name, List<String> values) throws Exception {
        Table table = client.getTable(db, name);
        StringBuilder path = new StringBuilder(table.getSd().getLocation());
        for (int i = 0; i < values.size(); ++i) {
            path.append('/').append(table.getPartitionKeys().get(i).getName())
                    .append('=').append(values.get(i));
        }
        Partition partition = new Partition();
        partition.setDbName(db);
        partition.setTableName(name);
        partition.setValues(values);
        partition.setSd(storage(table.getSd().getCols(), path.toString()));
        partition.setParameters(new HashMap<>());
        client.add_partitions(new ArrayList<>(List.of(partition)));
    }

    private static StorageDescriptor storage(List<FieldSchema> columns, String location) {
        SerDeInfo serde = new SerDeInfo("s",
                "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
                new HashMap<>(Map.of("serialization.format", "1")));
        return new StorageDescriptor(columns, location,
                "org.apache.hadoop.mapred.TextInputFormat",
                "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat", false, -1, serde,
                new ArrayList<>(), new ArrayList<>(), new HashMap<>());
    }

    private static List<String> from(String[] words, int first) {
        return Arrays.asList(words).subList(first, words.length);
    }

    private static List<String> oneOrNone(Map<String, String> parameters, String key) {
        String value = parameters == null ? null : parameters.get(key);
        return value == null ? List.of() : List.of(value);
    }
}
