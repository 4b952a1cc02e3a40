// iceberg-go's Hive catalog in the words of a life, see ../../program.py.
// Arguments: metastore URI, warehouse.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/hive"
	"github.com/apache/iceberg-go/table"
)

var (
	ctx    = context.Background()
	schema = iceberg.NewSchema(0,
		iceberg.NestedField{ID: 1, Name: "id", Type: iceberg.PrimitiveTypes.Int64},
		iceberg.NestedField{ID: 2, Name: "name", Type: iceberg.PrimitiveTypes.String})
)

type life struct {
	catalog   *hive.Catalog
	warehouse string
}

func main() {
	opened, err := hive.NewCatalog(iceberg.Properties{
		hive.URI:       os.Args[1],
		hive.Warehouse: os.Args[2],
	})
	if err != nil {
		panic(err)
	}
	defer opened.Close()
	l := life{opened, os.Args[2]}
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
	case "create_namespace":
		return nil, l.catalog.CreateNamespace(ctx, hive.DatabaseIdentifier(w[0]),
			iceberg.Properties{"location": l.warehouse + "/" + w[0]})
	case "namespaces":
		names, err := l.catalog.ListNamespaces(ctx, nil)
		return lastParts(names), err
	case "drop_namespace":
		return nil, l.catalog.DropNamespace(ctx, hive.DatabaseIdentifier(w[0]))
	case "tables":
		var names []table.Identifier
		for name, err := range l.catalog.ListTables(ctx, hive.DatabaseIdentifier(w[0])) {
			if err != nil {
				return nil, err
			}
			names = append(names, name)
		}
		return lastParts(names), nil
	case "create_table":
		_, err := l.catalog.CreateTable(ctx, hive.TableIdentifier(w[0], w[1]), schema,
			catalog.WithLocation(l.warehouse+"/"+w[0]+"/"+w[1]))
		return nil, err
	case "rename_table":
		_, err := l.catalog.RenameTable(ctx, hive.TableIdentifier(w[0], w[1]),
			hive.TableIdentifier(w[0], w[2]))
		return nil, err
	case "drop_table":
		return nil, l.catalog.DropTable(ctx, hive.TableIdentifier(w[0], w[1]))
	}
	loaded, err := l.catalog.LoadTable(ctx, hive.TableIdentifier(w[0], w[1]))
	if err != nil {
		return nil, err
	}
	return runLoaded(loaded, command, w)
}

func runLoaded(loaded *table.Table, command string, w []string) ([]string, error) {
	change := loaded.NewTransaction()
	switch command {
	case "columns":
		var names []string
		for _, field := range loaded.Schema().Fields() {
			names = append(names, field.Name)
		}
		return names, nil
	case "snapshots":
		return []string{strconv.Itoa(len(loaded.Metadata().Snapshots()))}, nil
	case "append":
		return nil, appendRow(loaded)
	case "set_property":
		if err := change.SetProperties(iceberg.Properties{w[2]: w[3]}); err != nil {
			return nil, err
		}
	case "add_column":
		err := change.UpdateSchema(true, false).
			AddColumn([]string{w[2]}, iceberg.PrimitiveTypes.String, "", false, nil).Commit()
		if err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("unknown command %s", command)
	}
	_, err := change.Commit(ctx)
	return nil, err
}

// One row without a value.
func appendRow(loaded *table.Table) error {
	fields, err := table.SchemaToArrowSchema(loaded.Schema(), nil, true, false)
	if err != nil {
		return err
	}
	builder := array.NewRecordBuilder(memory.DefaultAllocator, fields)
	defer builder.Release()
	for _, field := range builder.Fields() {
		field.AppendNull()
	}
	batch := builder.NewRecordBatch()
	defer batch.Release()
	rows, err := array.NewRecordReader(fields, []arrow.RecordBatch{batch})
	if err != nil {
		return err
	}
	defer rows.Release()
	_, err = loaded.Append(ctx, rows, nil)
	return err
}

func lastParts(names []table.Identifier) []string {
	var parts []string
	for _, name := range names {
		parts = append(parts, name[len(name)-1])
	}
	return parts
}
