#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catalog/base/result.h"
#include "hms_client/metastore.h"

namespace catalogd::scenario {

using Bend = std::function<void(hms::NotificationEvent*)>;

// How a row of the log differs from what the metastore would have written. Words:
//   gzip              the message packed as Hive's gzip(json-2.0), and labelled so
//   format=TEXT       only the label; "none": no label
//   without=KEY       the message lacks this key
//   with=KEY:JSON     this key has that value
//   cut=N             only the first N bytes of the message
//   message=TEXT      another message altogether
//   type=T time=N id=N catalog=C db=D table=T     other columns of the row; "none": absent
//   capitals          the names of the row and of the message in capitals
// kInvalidArgument: another word.
Result<Bend> MakeBend(const std::vector<std::string>& words);

}  // namespace catalogd::scenario
