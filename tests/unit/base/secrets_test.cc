#include "catalog/base/secrets.h"

#include <gtest/gtest.h>

// What could go wrong: a page or a log tells what a parameter keeps from everybody else, or hides
// what is harmless (StarRocks#78518, Gravitino#12119, iceberg#17804, quickwit#1672).
namespace catalogd {
namespace {

TEST(LooksSecret, NamesOfSecretsInEverySpelling) {
  for (const char* name :
       {"fs.s3a.secret.key", "fs.s3a.access.key", "javax.jdo.option.ConnectionPassword", "TOKEN",
        "fs.azure.account.key.acc.blob.core.windows.net", "gcs.oauth2.token",
        "aws_secret_access_key", "ssl.keystore.passwd", "private-key", "my.Credentials", "api_key",
        "SharedKey"}) {
    EXPECT_TRUE(LooksSecret(name)) << name;
  }
  for (const char* name : {"", "key", "primary.key", "metadata_location", "owner", "key.columns",
                           "numFiles", "transient_lastDdlTime", "comment"}) {
    EXPECT_FALSE(LooksSecret(name)) << name;
  }
}

TEST(WithoutUserInfo, HidesUsersWithPasswordsInAddresses) {
  EXPECT_EQ(WithoutUserInfo("thrift://u:p@host:9083"), "thrift://(hidden)@host:9083");
  EXPECT_EQ(WithoutUserInfo("s3a://id:a@b@bucket/x s3://i:s@c"),
            "s3a://(hidden)@bucket/x s3://(hidden)@c");
  EXPECT_EQ(WithoutUserInfo("jdbc:x://u:p@h/db?a=b"), "jdbc:x://(hidden)@h/db?a=b");
}

TEST(WithoutUserInfo, LeavesEverythingElse) {
  for (const char* text : {"", "://", "file:/a:b@c", "hdfs://nn:8020/a@b:c", "abfs://box@acc.net/x",
                           "a@b:c", "http://h/u:p@x", "x://", "x://:"}) {
    EXPECT_EQ(WithoutUserInfo(text), text);
  }
}

}  // namespace
}  // namespace catalogd
