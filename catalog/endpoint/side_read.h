#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "catalog/base/names.h"
#include "catalog/endpoint/method_table.h"
#include "catalog/sync/side_answers.h"
#include "thrift/wire/view.h"

// What a read of functions, constraints or column statistics asks for, and what its answer depends
// on. Pure functions.
namespace catalogd::endpoint {

struct SideRequest {
  ObjectName target;  // As of ReadRequest.
  sync::SideAnswers::Question question;
};

// Absent when something in the request is missing or not understood: its answer is not kept.
// Requests that say the same in another order of fields have the same question.
std::optional<SideRequest> ParseSideRead(const MethodRow& row, const wire::StructView& arguments,
                                         hms::Generation generation);

// The tables that only an answer about foreign keys names. Absent: not an answer to be kept, be it
// an error or something that is not understood.
std::optional<std::vector<ObjectName>> OwnersInReply(const MethodRow& row, const ObjectName& target,
                                                     std::string_view reply);

}  // namespace catalogd::endpoint
