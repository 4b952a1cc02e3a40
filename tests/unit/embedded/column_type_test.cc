#include "hms_client/embedded/column_type.h"

#include <gtest/gtest.h>

namespace catalogd::hms {

namespace {

// Only the first word counts.
TEST(ColumnTypeTest, TypesOfHive) {
  for (const char* type : {"int",
                           "int ",
                           "bigint",
                           "decimal(10,2)",
                           "decimal( 10, 2)",
                           "decimal(10",
                           "varchar(20)",
                           "char",
                           "datetime",
                           "timestamp with local time zone",
                           "timestamp with time zone",
                           "double precision",
                           "array<string>",
                           "array<int , struct<>",
                           "array<nosuch>",
                           "array<INT>",
                           "array",
                           "map<int>",
                           "struct<>",
                           "struct<größe:int>",
                           "uniontype<>",
                           "variant",
                           "int int",
                           "array<int>x",
                           "interval_day_time",
                           "<derived from deserializer>"}) {
    EXPECT_TRUE(IsColumnType(type)) << type;
  }
}

TEST(ColumnTypeTest, NoTypes) {
  for (const char* type :
       {"",        " ",        "INT",     "Int",      "BIGINT", " int",
        "nosuch",  "foo<int>", "<int>",   "()",       "dec",    "numeric",
        "integer", "real",     "unknown", "geometry", "x.y",    "timestamplocaltz",
        "list",    "long",     "bool"}) {
    EXPECT_FALSE(IsColumnType(type)) << type;
  }
}

TEST(ColumnTypeTest, WhatMayBecomeWhat) {
  EXPECT_TRUE(ColumnTypeMayBecome("int", "INT"));
  EXPECT_TRUE(ColumnTypeMayBecome("int", "bigint"));
  EXPECT_FALSE(ColumnTypeMayBecome("bigint", "int"));
  EXPECT_TRUE(ColumnTypeMayBecome("int", "string"));
  EXPECT_TRUE(ColumnTypeMayBecome("date", "string"));
  EXPECT_TRUE(ColumnTypeMayBecome("timestamp", "string"));
  EXPECT_FALSE(ColumnTypeMayBecome("string", "int"));
  EXPECT_TRUE(ColumnTypeMayBecome("string", "double"));
  EXPECT_TRUE(ColumnTypeMayBecome("varchar(10)", "varchar(20)"));
  EXPECT_TRUE(ColumnTypeMayBecome("void", "timestamp"));
  EXPECT_FALSE(ColumnTypeMayBecome("struct<a:int>", "struct<a:int,b:int>"));
  EXPECT_TRUE(ColumnTypeMayBecome("struct<a:int>", "STRUCT<a:int>"));
}

}  // namespace

}  // namespace catalogd::hms
