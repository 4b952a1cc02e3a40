#include "hms_client/embedded/column_type.h"

#include <gtest/gtest.h>

#include <string>

namespace catalogd::hms {

namespace {

TEST(ColumnTypeTest, TypesOfHive) {
  for (const char* type :
       {"int", "BIGINT", "decimal(10,2)", "decimal", "varchar(20)", "char(3)", "timestamp",
        "timestamp with local time zone", "array<string>", "map<string,array<int>>",
        "struct<a:int,b:struct<c:string>>", "uniontype<int,string>", "map<string, int>",
        "struct<größe:int>", "interval_day_time"}) {
    EXPECT_TRUE(IsColumnType(type)) << type;
  }
}

TEST(ColumnTypeTest, NoTypes) {
  for (const char* type : {"", "nosuchtype", "array<", "array<int", "map<int>", "struct<a>",
                           "struct<:int>", "int>", "decimal(10", "array<int>>", "int int"}) {
    EXPECT_FALSE(IsColumnType(type)) << type;
  }
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "array<";
  EXPECT_FALSE(IsColumnType(deep));
}

TEST(ColumnTypeTest, WhatMayBecomeWhat) {
  EXPECT_TRUE(ColumnTypeMayBecome("int", "INT"));
  EXPECT_TRUE(ColumnTypeMayBecome("int", "bigint"));
  EXPECT_FALSE(ColumnTypeMayBecome("bigint", "int"));
  EXPECT_TRUE(ColumnTypeMayBecome("int", "string"));
  EXPECT_TRUE(ColumnTypeMayBecome("date", "string"));
  EXPECT_FALSE(ColumnTypeMayBecome("string", "int"));
  EXPECT_TRUE(ColumnTypeMayBecome("string", "double"));
  EXPECT_TRUE(ColumnTypeMayBecome("varchar(10)", "varchar(20)"));
  EXPECT_TRUE(ColumnTypeMayBecome("void", "timestamp"));
  EXPECT_FALSE(ColumnTypeMayBecome("struct<a:int>", "struct<a:int,b:int>"));
  EXPECT_TRUE(ColumnTypeMayBecome("struct<a:int>", "STRUCT<a:int>"));
}

}  // namespace

}  // namespace catalogd::hms
