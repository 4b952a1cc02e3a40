//! iceberg-rust's HMS catalog in the words of a life, see ../../program.py.
//!
//! Arguments: HOST:PORT, warehouse, "buffered" or "framed". The crate can't commit to a table.
use std::collections::HashMap;
use std::error::Error;
use std::io::BufRead;
use std::sync::Arc;

use iceberg::io::LocalFsStorageFactory;
use iceberg::spec::{NestedField, PrimitiveType, Schema, Type};
use iceberg::{Catalog, CatalogBuilder, NamespaceIdent, TableCreation, TableIdent};
use iceberg_catalog_hms::{
    HmsCatalog, HmsCatalogBuilder, HMS_CATALOG_PROP_THRIFT_TRANSPORT, HMS_CATALOG_PROP_URI,
    HMS_CATALOG_PROP_WAREHOUSE,
};

type Answer = Result<Vec<String>, Box<dyn Error>>;

async fn open(address: &str, warehouse: &str, transport: &str) -> iceberg::Result<HmsCatalog> {
    HmsCatalogBuilder::default()
        .with_storage_factory(Arc::new(LocalFsStorageFactory))
        .load(
            "hms",
            HashMap::from([
                (HMS_CATALOG_PROP_URI.to_string(), address.to_string()),
                (HMS_CATALOG_PROP_THRIFT_TRANSPORT.to_string(), transport.to_string()),
                (HMS_CATALOG_PROP_WAREHOUSE.to_string(), warehouse.to_string()),
            ]),
        )
        .await
}

fn schema() -> iceberg::Result<Schema> {
    let text = |kind| Type::Primitive(kind);
    Schema::builder()
        .with_fields(vec![
            NestedField::optional(1, "id", text(PrimitiveType::Long)).into(),
            NestedField::optional(2, "name", text(PrimitiveType::String)).into(),
        ])
        .build()
}

fn table(words: &[&str], index: usize) -> TableIdent {
    TableIdent::new(NamespaceIdent::new(words[0].to_string()), words[index].to_string())
}

async fn run(catalog: &HmsCatalog, warehouse: &str, command: &str, w: &[&str]) -> Answer {
    let namespace = NamespaceIdent::new(w.first().unwrap_or(&"none").to_string());
    let mut answer = Vec::new();
    match command {
        "create_namespace" => {
            let location = format!("{warehouse}/{}", w[0]);
            let properties = HashMap::from([("location".to_string(), location)]);
            catalog.create_namespace(&namespace, properties).await?;
        }
        "namespaces" => {
            for found in catalog.list_namespaces(None).await? {
                answer.push(found.to_url_string());
            }
        }
        "drop_namespace" => catalog.drop_namespace(&namespace).await?,
        "tables" => {
            for found in catalog.list_tables(&namespace).await? {
                answer.push(found.name().to_string());
            }
        }
        "create_table" => {
            let creation = TableCreation::builder()
                .name(w[1].to_string())
                .location(format!("{warehouse}/{}/{}", w[0], w[1]))
                .schema(schema()?)
                .build();
            catalog.create_table(&namespace, creation).await?;
        }
        "columns" => {
            let loaded = catalog.load_table(&table(w, 1)).await?;
            for field in loaded.metadata().current_schema().as_struct().fields() {
                answer.push(field.name.clone());
            }
        }
        "snapshots" => {
            let loaded = catalog.load_table(&table(w, 1)).await?;
            answer.push(loaded.metadata().snapshots().count().to_string());
        }
        "rename_table" => catalog.rename_table(&table(w, 1), &table(w, 2)).await?,
        "drop_table" => catalog.drop_table(&table(w, 1)).await?,
        _ => return Err(format!("unknown command {command}").into()),
    }
    Ok(answer)
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let catalog = open(&arguments[1], &arguments[2], &arguments[3]).await?;
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split('\t').collect();
        match run(&catalog, &arguments[2], words[0], &words[1..]).await {
            Ok(answer) => println!("{}", [vec!["ok".to_string()], answer].concat().join("\t")),
            Err(error) => {
                println!("error\t{}", error.to_string().split_whitespace().collect::<Vec<_>>().join(" "))
            }
        }
    }
    Ok(())
}
