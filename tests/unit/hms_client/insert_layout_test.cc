#include "hms_client/insert_layout.h"

#include <gtest/gtest.h>

#include "thrift/wire/write.h"

namespace catalogd::hms {
namespace {

using wire::TType;

// The arguments of fire_listener_event; the test writes what is said of the INSERT.
template <typename Write>
std::string Arguments(const Write& write) {
  std::string arguments;
  wire::Writer out(&arguments);
  out.Field(TType::kStruct, 1);
  out.BoolField(1, true);
  out.Field(TType::kStruct, 2);
  out.Field(TType::kStruct, 1);
  write(&out);
  out.Stop();
  out.Stop();
  out.StringField(3, "sales");
  out.Stop();
  out.Stop();
  return arguments;
}

std::string In(InsertLayout layout, const std::string& arguments) {
  return InsertEventIn(layout, wire::StructView(arguments)).value_or("as it is");
}

TEST(InsertLayout, NumbersMoveByOne) {
  const std::string hive2 = Arguments([](wire::Writer* out) {
    out->StringListField(1, {"f"});
    out->StringListField(2, {"c"});
  });
  const std::string later = Arguments([](wire::Writer* out) {
    out->StringListField(2, {"f"});
    out->StringListField(3, {"c"});
  });
  EXPECT_EQ(In(InsertLayout::kLater, hive2), later);
  EXPECT_EQ(In(InsertLayout::kHive2, later), hive2);
  EXPECT_EQ(In(InsertLayout::kLater, later), "as it is");
  EXPECT_EQ(In(InsertLayout::kHive2, hive2), "as it is");
}

// What could go wrong: something is left out, or becomes something else.
TEST(InsertLayout, WhatHasNoPlaceThereStays) {
  const auto with = [](bool replace) {
    return Arguments([=](wire::Writer* out) {
      out->BoolField(1, replace);
      out->StringListField(2, {"f"});
    });
  };
  EXPECT_EQ(In(InsertLayout::kHive2, with(true)), "as it is");
  EXPECT_EQ(In(InsertLayout::kHive2, with(false)),
            Arguments([](wire::Writer* out) { out->StringListField(1, {"f"}); }));
  const std::string more = Arguments([](wire::Writer* out) {
    out->StringListField(1, {"f"});
    out->StringListField(3, {"of the future"});
  });
  EXPECT_EQ(In(InsertLayout::kLater, more), "as it is");
  EXPECT_EQ(In(InsertLayout::kLater, std::string(1, '\0')), "as it is");
}

}  // namespace
}  // namespace catalogd::hms
