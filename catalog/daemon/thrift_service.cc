#include "catalog/daemon/thrift_service.h"

#include "catalog/daemon/object_names.h"
#include "catalog/daemon/thrift_method.h"
#include "catalogd_idl/Catalogd.h"
#include "thrift/wire/scan.h"
#include "thrift/wire/write.h"

namespace catalogd::api {

// Found by its argument (thrift_method.h), which does not look into unnamed namespaces.
static void FillException(const Error& error, CatalogdError* out) {
  out->code = ErrorCodeName(error.code);
  out->message = error.message;
}

}  // namespace catalogd::api

namespace catalogd::daemon {

ThriftService::ThriftService(const ViewSources* sources, Operations* operations)
    : sources_(sources), operations_(operations) {
  AddLooks();
  AddActs();
}

void ThriftService::AddLooks() {
  using api::Catalogd_catalogd_config_args;
  const ViewSources& sources = *sources_;
  methods_["catalogd_status"] =
      Now<api::Catalogd_catalogd_status_args, api::Catalogd_catalogd_status_result>(
          [&sources](const auto&) -> Result<api::DaemonStatus> { return MakeStatus(sources); });
  methods_["catalogd_get"] =
      Now<api::Catalogd_catalogd_get_args, api::Catalogd_catalogd_get_result>(
          [&sources](const auto& args) -> Result<api::ObjectInfo> {
            ASSIGN_OR_RETURN(const ObjectName name, ResolveName(sources.core, args.name));
            return MakeObject(sources, name);
          });
  methods_["catalogd_list"] =
      Now<api::Catalogd_catalogd_list_args, api::Catalogd_catalogd_list_result>(
          [&sources](const auto& args) { return ListObjects(sources, args.request); });
  methods_["catalogd_dump"] =
      Now<api::Catalogd_catalogd_dump_args, api::Catalogd_catalogd_dump_result>(
          [&sources](const auto& args) { return MakeDump(sources, args.request); });
  methods_["catalogd_locks"] =
      Now<api::Catalogd_catalogd_locks_args, api::Catalogd_catalogd_locks_result>(
          [&sources](const auto&) -> Result<std::vector<api::LockInfo>> {
            return ListLocks(sources);
          });
  methods_["catalogd_config"] =
      Now<Catalogd_catalogd_config_args, api::Catalogd_catalogd_config_result>(
          [&sources](const auto&) -> Result<std::vector<api::ConfigEntry>> {
            return ListConfiguration(sources.configuration);
          });
}

void ThriftService::AddActs() {
  Operations* operations = operations_;
  methods_["catalogd_wait"] =
      Later<api::Catalogd_catalogd_wait_args, api::Catalogd_catalogd_wait_result>(
          [operations](const auto& args, const auto& done) {
            operations->Wait(args.request, done);
          });
  methods_["catalogd_sync"] =
      Later<api::Catalogd_catalogd_sync_args, api::Catalogd_catalogd_sync_result>(
          [operations](const auto& args, const auto& done) {
            operations->Sync(args.request, done);
          });
  methods_["catalogd_diff"] =
      Later<api::Catalogd_catalogd_diff_args, api::Catalogd_catalogd_diff_result>(
          [operations](const auto& args, const auto& done) {
            operations->Diff(args.request, done);
          });
  methods_["catalogd_deltas"] =
      Later<api::Catalogd_catalogd_deltas_args, api::Catalogd_catalogd_deltas_result>(
          [operations](const auto& args, const auto& done) {
            operations->Deltas(args.request, done);
          });
  methods_["catalogd_events"] =
      Later<api::Catalogd_catalogd_events_args, api::Catalogd_catalogd_events_result>(
          [operations](const auto& args, const auto& done) {
            operations->Events(args.request, done);
          });
  methods_["catalogd_doctor"] =
      Later<api::Catalogd_catalogd_doctor_args, api::Catalogd_catalogd_doctor_result>(
          [operations](const auto&, const auto& done) { operations->Doctor(done); });
  methods_["catalogd_set_read_mode"] =
      Now<api::Catalogd_catalogd_set_read_mode_args, api::Catalogd_catalogd_set_read_mode_result>(
          [operations](const auto& args) { return operations->SetReadMode(args.request); });
  methods_["catalogd_reset"] =
      Now<api::Catalogd_catalogd_reset_args, api::Catalogd_catalogd_reset_result>(
          [operations](const auto& args) { return operations->Reset(args.reason); });
  methods_["catalogd_pause"] =
      Now<api::Catalogd_catalogd_pause_args, api::Catalogd_catalogd_pause_result>(
          [operations](const auto& args) { return operations->Pause(args.paused); });
}

std::vector<std::string> ThriftService::methods() const {
  std::vector<std::string> names;
  for (const auto& [name, method] : methods_) names.push_back(name);
  return names;
}

void ThriftService::Handle(std::string_view message, Reply reply) const {
  const auto header = wire::ParseMessageHeader(message);
  if (!header) return reply("");
  const auto method = methods_.find(header->method);
  if (method == methods_.end()) {
    return reply(wire::EncodeApplicationError(
        header->method, header->sequence_id, wire::ApplicationError::kUnknownMethod,
        "Invalid method name: '" + std::string(header->method) + "'"));
  }
  ThriftCall call;
  call.method = std::string(header->method);
  call.sequence_id = header->sequence_id;
  call.arguments = std::string(message.substr(header->body));
  call.reply = std::move(reply);
  method->second(std::move(call));
}

}  // namespace catalogd::daemon
