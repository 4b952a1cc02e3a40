// gohive's metastore client in the words of a life, see ../../program.py.
// Arguments: host, port, folder for tables, "old" or "new" calls.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"

	"github.com/beltran/gohive"
	"github.com/beltran/gohive/hive_metastore"
)

type life struct {
	client   *hive_metastore.ThriftHiveMetastoreClient
	folder   string
	newCalls bool
}

var ctx = context.Background()

func main() {
	port, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	connection, err := gohive.ConnectToMetastore(
		os.Args[1], port, "NOSASL", gohive.NewMetastoreConnectConfiguration())
	if err != nil {
		panic(err)
	}
	defer connection.Close()
	l := life{connection.Client, os.Args[3], os.Args[4] == "new"}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := strings.Split(lines.Text(), "\t")
		answer, err := l.run(words[0], words[1:])
		if err != nil {
			fmt.Println("error\t" + strings.Join(strings.Fields(err.Error()), " "))
		} else {
			fmt.Println(strings.Join(append([]string{"ok"}, answer...), "\t"))
		}
	}
}

func (l *life) run(command string, w []string) ([]string, error) {
	switch command {
	case "create_database":
		return nil, l.client.CreateDatabase(ctx, &hive_metastore.Database{
			Name: w[0], Description: "a life", LocationUri: l.folder + "/" + w[0],
			Parameters: map[string]string{}})
	case "databases":
		return l.client.GetAllDatabases(ctx)
	case "set_database_parameter":
		database, err := l.client.GetDatabase(ctx, w[0])
		if err != nil {
			return nil, err
		}
		if database.Parameters == nil {
			database.Parameters = map[string]string{}
		}
		database.Parameters[w[1]] = w[2]
		return nil, l.client.AlterDatabase(ctx, w[0], database)
	case "database_parameter":
		database, err := l.client.GetDatabase(ctx, w[0])
		if err != nil {
			return nil, err
		}
		return oneOrNone(database.Parameters, w[1]), nil
	case "drop_database":
		return nil, l.client.DropDatabase(ctx, w[0], true, false)
	}
	if strings.Contains(command, "partition") || command == "pruned" {
		return l.runPartition(command, w)
	}
	return l.runTable(command, w)
}

func (l *life) runTable(command string, w []string) ([]string, error) {
	switch command {
	case "create_table":
		return nil, l.createTable(w[0], w[1])
	case "tables":
		pattern := "*"
		if len(w) > 1 {
			pattern = w[1]
		}
		names, err := l.client.GetTables(ctx, w[0], pattern)
		sort.Strings(names)
		return names, err
	case "columns":
		table, err := l.table(w[0], w[1])
		if err != nil {
			return nil, err
		}
		var found []string
		for _, column := range table.Sd.Cols {
			found = append(found, column.Name+":"+column.Type)
		}
		return found, nil
	case "parameter":
		table, err := l.table(w[0], w[1])
		if err != nil {
			return nil, err
		}
		return oneOrNone(table.Parameters, w[2]), nil
	case "set_parameter":
		return nil, l.change(w, func(t *hive_metastore.Table) { t.Parameters[w[2]] = w[3] })
	case "add_column":
		return nil, l.change(w, func(t *hive_metastore.Table) {
			t.Sd.Cols = append(t.Sd.Cols, &hive_metastore.FieldSchema{Name: w[2], Type: w[3]})
		})
	case "rename_table":
		return nil, l.change(w, func(t *hive_metastore.Table) { t.TableName = w[2] })
	case "drop_table":
		return nil, l.client.DropTable(ctx, w[0], w[1], true)
	case "lock_table":
		answer, err := l.client.Lock(ctx, &hive_metastore.LockRequest{
			Component: []*hive_metastore.LockComponent{{Type: hive_metastore.LockType_EXCLUSIVE,
				Level: hive_metastore.LockLevel_TABLE, Dbname: w[0], Tablename: &w[1],
				OperationType: hive_metastore.DataOperationType_UNSET}},
			User: "life", Hostname: "localhost", AgentInfo: "life"})
		if err != nil {
			return nil, err
		}
		return []string{strconv.FormatInt(answer.Lockid, 10),
			strings.ToLower(answer.State.String())}, nil
	case "unlock":
		lock, err := strconv.ParseInt(w[0], 10, 64)
		if err != nil {
			return nil, err
		}
		return nil, l.client.Unlock(ctx, &hive_metastore.UnlockRequest{Lockid: lock})
	}
	return nil, fmt.Errorf("unknown command %s", command)
}

func (l *life) runPartition(command string, w []string) ([]string, error) {
	switch command {
	case "add_partition":
		table, err := l.table(w[0], w[1])
		if err != nil {
			return nil, err
		}
		path := table.Sd.Location
		for i, value := range w[2:] {
			path += "/" + table.PartitionKeys[i].Name + "=" + value
		}
		_, err = l.client.AddPartitions(ctx, []*hive_metastore.Partition{{
			Values: w[2:], DbName: w[0], TableName: w[1], Sd: storage(table.Sd.Cols, path),
			Parameters: map[string]string{}}})
		return nil, err
	case "partitions":
		return l.client.GetPartitionNames(ctx, w[0], w[1], -1)
	case "pruned":
		partitions, err := l.client.GetPartitionsByFilter(ctx, w[0], w[1], w[2], -1)
		var found []string
		for _, partition := range partitions {
			found = append(found, strings.Join(partition.Values, "/"))
		}
		sort.Strings(found)
		return found, err
	case "partition_parameter":
		partition, err := l.client.GetPartition(ctx, w[0], w[1], w[3:])
		if err != nil {
			return nil, err
		}
		return oneOrNone(partition.Parameters, w[2]), nil
	case "set_partition_parameter":
		partition, err := l.client.GetPartition(ctx, w[0], w[1], w[4:])
		if err != nil {
			return nil, err
		}
		partition.Parameters[w[2]] = w[3]
		return nil, l.client.AlterPartition(ctx, w[0], w[1], partition)
	case "drop_partition":
		_, err := l.client.DropPartition(ctx, w[0], w[1], w[2:], false)
		return nil, err
	}
	return nil, fmt.Errorf("unknown command %s", command)
}

func (l *life) table(db, name string) (*hive_metastore.Table, error) {
	if !l.newCalls {
		return l.client.GetTable(ctx, db, name)
	}
	request := hive_metastore.NewGetTableRequest()
	request.DbName, request.TblName = db, name
	answer, err := l.client.GetTableReq(ctx, request)
	if err != nil {
		return nil, err
	}
	return answer.Table, nil
}

func (l *life) change(w []string, how func(*hive_metastore.Table)) error {
	table, err := l.table(w[0], w[1])
	if err != nil {
		return err
	}
	how(table)
	if !l.newCalls {
		return l.client.AlterTable(ctx, w[0], w[1], table)
	}
	request := hive_metastore.NewAlterTableRequest()
	request.DbName, request.TableName, request.Table = w[0], w[1], table
	_, err = l.client.AlterTableReq(ctx, request)
	return err
}

func (l *life) createTable(db, name string) error {
	columns := []*hive_metastore.FieldSchema{
		{Name: "id", Type: "bigint"}, {Name: "name", Type: "string"}}
	table := &hive_metastore.Table{
		TableName: name, DbName: db, Owner: "life",
		Sd: storage(columns, l.folder+"/"+db+"/"+name),
		PartitionKeys: []*hive_metastore.FieldSchema{
			{Name: "day", Type: "string"}, {Name: "n", Type: "int"}},
		Parameters: map[string]string{"EXTERNAL": "TRUE"}, TableType: "EXTERNAL_TABLE"}
	if !l.newCalls {
		return l.client.CreateTable(ctx, table)
	}
	return l.client.CreateTableReq(ctx, &hive_metastore.CreateTableRequest{Table: table})
}

func storage(columns []*hive_metastore.FieldSchema, location string) *hive_metastore.StorageDescriptor {
	return &hive_metastore.StorageDescriptor{
		Cols: columns, Location: location, NumBuckets: -1,
		InputFormat:  "org.apache.hadoop.mapred.TextInputFormat",
		OutputFormat: "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
		SerdeInfo: &hive_metastore.SerDeInfo{
			Name: "s", SerializationLib: "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
			Parameters: map[string]string{"serialization.format": "1"}},
		BucketCols: []string{}, SortCols: []*hive_metastore.Order{},
		Parameters: map[string]string{}}
}

func oneOrNone(parameters map[string]string, key string) []string {
	if value, found := parameters[key]; found {
		return []string{value}
	}
	return nil
}
