import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.iceberg.CatalogProperties;
import org.apache.iceberg.Schema;
import org.apache.iceberg.Snapshot;
import org.apache.iceberg.Table;
import org.apache.iceberg.TableProperties;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;
import org.apache.iceberg.hive.HiveCatalog;
import org.apache.iceberg.types.Types;

/** Iceberg's HiveCatalog in the words of a life. Arguments: metastore URI, warehouse, lock mode. */
public final class IcebergLife {
    private static final Schema SCHEMA = new Schema(
            Types.NestedField.optional(1, "id", Types.LongType.get()),
            Types.NestedField.optional(2, "name", Types.StringType.get()));

    private final HiveCatalog catalog;

    private IcebergLife(HiveCatalog catalog) {
        this.catalog = catalog;
    }

    public static void main(String[] arguments) throws Exception {
        IcebergLife life = new IcebergLife(
                open(arguments[0], arguments[1], arguments[2].equals("lock")));
        Commands commands = new Commands();
        life.addNamespaces(commands);
        life.addTables(commands);
        life.addCommits(commands);
        commands.serve();
        System.exit(0);
    }

    private static HiveCatalog open(String uri, String warehouse, boolean locks) {
        Configuration configuration = new Configuration();
        configuration.setBoolean("iceberg.engine.hive.lock-enabled", locks);
        HiveCatalog catalog = new HiveCatalog();
        catalog.setConf(configuration);
        catalog.initialize("hive", Map.of(CatalogProperties.URI, uri,
                CatalogProperties.WAREHOUSE_LOCATION, warehouse));
        return catalog;
    }

    private void addNamespaces(Commands commands) {
        commands.write("create_namespace", w -> catalog.createNamespace(Namespace.of(w[0])));
        commands.read("namespaces", w -> catalog.listNamespaces().stream()
                .map(Namespace::toString).collect(Collectors.toList()));
        commands.write("drop_namespace", w -> expect(catalog.dropNamespace(Namespace.of(w[0]))));
    }

    private void addTables(Commands commands) {
        commands.read("tables", w -> catalog.listTables(Namespace.of(w[0])).stream()
                .map(TableIdentifier::name).collect(Collectors.toList()));
        commands.write("create_table", w -> catalog.buildTable(TableIdentifier.of(w[0], w[1]),
                SCHEMA).withProperty(TableProperties.COMMIT_NUM_RETRIES, "100")
                .withProperty(TableProperties.COMMIT_TOTAL_RETRY_TIME_MS, "600000").create());
        commands.read("columns", w -> load(w).schema().columns().stream()
                .map(Types.NestedField::name).collect(Collectors.toList()));
        commands.read("snapshots", w -> {
            int count = 0;
            for (Snapshot ignored : load(w).snapshots()) {
                ++count;
            }
            return List.of(String.valueOf(count));
        });
        commands.write("rename_table", w -> catalog.renameTable(
                TableIdentifier.of(w[0], w[1]), TableIdentifier.of(w[0], w[2])));
        commands.write("drop_table", w -> expect(
                catalog.dropTable(TableIdentifier.of(w[0], w[1]), true)));
    }

    private void addCommits(Commands commands) {
        commands.write("append", w -> load(w).newAppend().commit());
        commands.write("set_property", w ->
                load(w).updateProperties().set(w[2], w[3]).commit());
        commands.write("add_column", w ->
                load(w).updateSchema().addColumn(w[2], Types.StringType.get()).commit());
        // race DB TABLE WRITER THREADS COMMITS: the ids of the commits that were reported as done.
        commands.read("race", w ->
                race(w, Integer.parseInt(w[3]), Integer.parseInt(w[4])));
        commands.read("commit_ids", w -> {
            List<String> ids = new ArrayList<>();
            for (Snapshot snapshot : load(w).snapshots()) {
                ids.add(snapshot.summary().get("commit-id"));
            }
            return ids;
        });
    }

    private List<String> race(String[] w, int threads, int commits) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        List<Future<List<String>>> running = new ArrayList<>();
        for (int thread = 0; thread < threads; ++thread) {
            String writer = w[2] + "." + thread;
            running.add(pool.submit(() -> {
                List<String> done = new ArrayList<>();
                for (int number = 0; number < commits; ++number) {
                    String id = writer + "." + number;
                    load(w).newAppend().set("commit-id", id).commit();
                    done.add(id);
                }
                return done;
            }));
        }
        List<String> done = new ArrayList<>();
        for (Future<List<String>> thread : running) {
            done.addAll(thread.get());
        }
        pool.shutdown();
        return done;
    }

    private Table load(String[] w) {
        return catalog.loadTable(TableIdentifier.of(w[0], w[1]));
    }

    private static void expect(boolean done) {
        if (!done) {
            throw new IllegalStateException("the catalog says that nothing was done");
        }
    }
}
