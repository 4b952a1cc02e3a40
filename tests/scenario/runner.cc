#include "tests/scenario/runner.h"

#include <sstream>
#include <utility>

#include "tests/scenario/bend.h"

namespace catalogd::scenario {
namespace {

using Strings = std::vector<std::string>;

Strings Rest(const Strings& words, size_t from) {
  return from >= words.size() ? Strings()
                              : Strings(words.begin() + static_cast<int64_t>(from), words.end());
}

Error Bad(const std::string& text) { return {ErrorCode::kInvalidArgument, text}; }

// "#5" or "5"
Result<EventId> ParseId(const std::string& word) {
  const std::string digits = word.empty() || word[0] != '#' ? word : word.substr(1);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) {
    return AsError(Bad("not an event id: " + word));
  }
  return EventId(std::stoll(digits));
}

// "10s", "500ms", "5m", with or without a plus.
Result<Duration> ParseDuration(const std::string& word) {
  const std::string text = word.empty() || word[0] != '+' ? word : word.substr(1);
  const size_t unit = text.find_first_not_of("0123456789");
  if (unit == 0 || unit == std::string::npos) return AsError(Bad("not a duration: " + word));
  const int64_t count = std::stoll(text.substr(0, unit));
  if (text.substr(unit) == "ms") return Duration(std::chrono::milliseconds(count));
  if (text.substr(unit) == "s") return Duration(std::chrono::seconds(count));
  if (text.substr(unit) == "m") return Duration(std::chrono::minutes(count));
  return AsError(Bad("not a duration: " + word));
}

// Words that name a call, up to one of the words that may follow.
std::string CallIn(const Strings& words, size_t* index) {
  std::string call = words[*index];
  ++*index;
  if (call == "client" && *index < words.size()) call += " " + words[(*index)++];
  return call;
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

std::string Runner::Run(const Block& block) {
  output_.clear();
  for (const Command& command : block.commands) RunCommand(command);
  return output_.empty() ? "ok\n" : output_;
}

void Runner::Print(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) output_ += indent_ + line + "\n";
}

void Runner::PrintNewRows() {
  for (const auto& row : world_.metastore.TakeNewRows()) {
    if (row.db) {
      world_.Mention(row.table
                         ? ObjectName::Table(row.catalog.value_or("hive"), *row.db, *row.table)
                         : ObjectName::Database(row.catalog.value_or("hive"), *row.db));
    }
    Print(Show::Row(row));
  }
}

void Runner::PrintAnswers() {
  for (const auto& [name, session] : world_.sessions) {
    if (!session->open || !session->answer) continue;
    std::string text = name == "local" ? "" : name + ": ";
    text += DescribeReply(*session->open, *session->answer);
    if (session->open->method.rfind("get_", 0) == 0) {
      const bool forwarded = world_.metastore.Forwarded(session->open->sequence_id);
      const bool refused = text.find("MetaException") != std::string::npos;
      text += forwarded ? " (metastore)" : refused ? " (daemon)" : " (cache)";
    }
    session->open.reset();
    Print(FirstLine(text));
  }
}

void Runner::RunCommand(const Command& command) {
  const Strings words = catalogd::scenario::Words(command.text);
  const Status status = Dispatch(words, command);
  if (!status) {
    const std::string text =
        "BAD COMMAND in line " + std::to_string(command.line) + ": " + status.error().message;
    faults_.push_back(text);
    Print(text);
  }
  PrintNewRows();
  PrintAnswers();
}

Status Runner::Dispatch(const Strings& words, const Command& command) {
  const std::string& verb = words[0];
  if (verb == "external") return External(words);
  if (verb == "raw") return Raw(words, command);
  if (verb == "bend") return BendNext(words);
  if (verb == "log") return ChangeLog(words);
  if (verb == "fail") return Fail(words);
  if (verb == "during") return During(words, command);
  if (verb == "option") return SetOption(words);
  if (verb == "server") return Server(words);
  if (verb == "start") return Start();
  if (verb == "not-compared") {
    not_compared_ = command.text;
    return Ok();
  }
  if (verb == "show") {
    ASSIGN_OR_RETURN(const std::string text, show_.Print(words));
    Print(text);
    return Ok();
  }
  if (!world_.is_open()) return AsError(Bad(verb + ": no daemon yet; start one"));
  if (verb == "events") return Events(words);
  if (verb == "restart") return Restart();
  if (verb == "load") return Load(words);
  if (verb == "wait") return Wait(words);
  if (verb == "check") return Check();
  const size_t dot = verb.find('.');
  if (verb.substr(0, dot) == "local" || verb.substr(0, dot) == "read") {
    return Local(dot == std::string::npos ? "local" : verb.substr(dot + 1), Rest(words, 1));
  }
  return Admin(words);
}

Status Runner::External(const Strings& words) {
  const bool silently = words.size() > 1 && words[1] == "silently";
  ASSIGN_OR_RETURN(const ClientCall call,
                   MakeClientCall(Rest(words, silently ? 2 : 1), world_.metastore.truth()));
  const std::string reply = world_.metastore.CallDirectly(call.message, silently);
  const std::string text = DescribeReply(call, reply);
  PrintNewRows();
  if (text != "ok" || silently) Print(text);
  return Ok();
}

Status Runner::Local(const std::string& session, const Strings& words) {
  ASSIGN_OR_RETURN(const ClientCall call, MakeClientCall(words, world_.metastore.truth()));
  if (words.size() > 1 && words[0] != "level") {
    const auto name = ParseObjectName(words[1]);
    if (name) world_.Mention(*name);
  }
  const auto it = world_.sessions.find(session);
  if (it != world_.sessions.end() && it->second->open) {
    return AsError(Bad("session " + session + " still waits; use another: local.NAME"));
  }
  world_.Send(session, call);
  PrintNewRows();
  PrintAnswers();
  if (!world_.sessions[session]->open) return Ok();
  // Whoever waits makes the log be polled.
  const Status polled = world_.Poll();
  static_cast<void>(polled);
  PrintNewRows();
  PrintAnswers();
  if (world_.sessions[session]->open) Print(session == "local" ? "waits" : session + ": waits");
  return Ok();
}

// raw TYPE NAME|- [MESSAGE]
Status Runner::Raw(const Strings& words, const Command& command) {
  if (words.size() < 3) return AsError(Bad("raw TYPE NAME [MESSAGE]"));
  ObjectName name;
  if (words[2] != "-") {
    ASSIGN_OR_RETURN(name, ParseObjectName(words[2]));
  }
  std::string message = R"({"timestamp":1})";
  if (name.is_table()) {
    message = R"({"db":")" + name.db() + R"(","table":")" + name.table() + R"(","timestamp":1})";
  }
  const size_t brace = command.text.find_first_of("{[");
  if (brace != std::string::npos) message = command.text.substr(brace);
  world_.metastore.Append(testing::FakeLog::MakeRow(words[1], name, message));
  return Ok();
}

Status Runner::BendNext(const Strings& words) {
  if (words.size() < 3 || words[1] != "next") return AsError(Bad("bend next WORD..."));
  ASSIGN_OR_RETURN(Bend bend, MakeBend(Rest(words, 2)));
  world_.metastore.BendNext(std::move(bend));
  return Ok();
}

Status Runner::ChangeLog(const Strings& words) {
  if (words.size() < 3) return AsError(Bad("log WHAT ID"));
  testing::FakeLog& log = world_.metastore.log();
  ASSIGN_OR_RETURN(const EventId id, ParseId(words[2]));
  if (words[1] == "clean") {
    log.Clean(id);
  } else if (words[1] == "restore") {
    log.RestoreTo(id);
  } else if (words[1] == "current") {
    log.SetCurrentId(id);
  } else if (words[1] == "shuffle") {
    world_.metastore.ReverseReplyWith(id);
  } else if (words[1] == "reveal") {
    log.Insert(hidden_rows_.at(id));
  } else {
    hms::NotificationEvent row;
    for (const auto& each : log.log()) {
      if (each.id == id) row = each;
    }
    if (row.id != id) return AsError(Bad("the log has no row " + words[2]));
    if (words[1] == "hide" || words[1] == "erase") {
      hidden_rows_[id] = row;
      log.Erase(id);
      return Ok();
    }
    ASSIGN_OR_RETURN(const Bend bend, MakeBend(Rest(words, 3)));
    bend(&row);
    if (words[1] == "repeat") {
      log.Insert(row);
    } else if (words[1] == "copy") {
      world_.metastore.Append(row);
    } else {
      return AsError(Bad("log " + words[1]));
    }
  }
  return Ok();
}

// fail next CALL [after] [xN] [down|timeout|lost|forbidden|missing|exception]
Status Runner::Fail(const Strings& words) {
  if (words.size() < 3 || words[1] != "next") return AsError(Bad("fail next CALL ..."));
  ScriptedMetastore::Fault fault;
  fault.error = {ErrorCode::kUnavailable, "connection refused"};
  size_t index = 2;
  fault.call = CallIn(words, &index);
  for (; index < words.size(); ++index) {
    const std::string& word = words[index];
    if (word == "after") {
      fault.when = ScriptedMetastore::When::kAfter;
    } else if (word[0] == 'x') {
      fault.times = std::stoi(word.substr(1));
    } else if (word == "down") {
      fault.error = {ErrorCode::kUnavailable, "connection refused"};
    } else if (word == "timeout") {
      fault.error = {ErrorCode::kTimedOut, "no answer in time"};
    } else if (word == "lost") {
      fault.error = {ErrorCode::kUnknownOutcome, "connection reset"};
    } else if (word == "forbidden") {
      fault.error = {ErrorCode::kPermission, "not allowed"};
    } else if (word == "missing") {
      fault.error = {ErrorCode::kNotFound, "does not exist"};
    } else if (word == "exception") {
      fault.error = {ErrorCode::kInternal, "the metastore stumbled"};
      fault.as_answer = fault.call.rfind("client ", 0) == 0;
    } else {
      return AsError(Bad("fail next ... " + word));
    }
  }
  world_.metastore.AddFault(std::move(fault));
  return Ok();
}

// during CALL before|after: and commands below it.
Status Runner::During(const Strings& words, const Command& command) {
  ScriptedMetastore::Hook hook;
  size_t index = 1;
  if (words.size() < 3) return AsError(Bad("during CALL before|after:"));
  hook.call = CallIn(words, &index);
  const std::string when = index < words.size() ? words[index] : "";
  if (when != "before:" && when != "after:") return AsError(Bad("during CALL before|after:"));
  if (when == "after:") hook.when = ScriptedMetastore::When::kAfter;
  hook.run = [this, command] {
    PrintNewRows();
    const std::string outer = std::exchange(indent_, indent_ + "  ");
    for (const Command& nested : command.nested) RunCommand(nested);
    indent_ = outer;
  };
  world_.metastore.AddHook(std::move(hook));
  return Ok();
}

// events run | events step N
Status Runner::Events(const Strings& words) {
  Status polled = Ok();
  if (words.size() == 2 && words[1] == "run") {
    polled = world_.Poll();
  } else if (words.size() == 3 && words[1] == "step") {
    polled = world_.Step(std::stoll(words[2]));
  } else {
    return AsError(Bad("events run, or events step N"));
  }
  if (!polled) Print("not polled: " + polled.error().message);
  return Ok();
}

Status Runner::Start() {
  if (world_.is_open()) return AsError(Bad("started already; use restart"));
  world_.Open();
  world_.Supervise();
  const Status polled = world_.Poll();
  static_cast<void>(polled);
  world_.Supervise();
  show_.StartOver();
  const sync::FollowStatus status = world_.core->status();
  if (!status.ready) {
    Print(show_.Status());
    return Ok();
  }
  std::string text = "ready at #" + std::to_string(status.watermark.value());
  if (status.epoch > LogEpoch(1)) text += ", epoch " + std::to_string(status.epoch.value());
  Print(text);
  return Ok();
}

Status Runner::Restart() {
  PrintAnswers();
  world_.Close();
  return Start();
}

Status Runner::Load(const Strings& words) {
  if (words.size() < 2) return AsError(Bad("load NAME"));
  for (const std::string& word : Rest(words, 1)) {
    ASSIGN_OR_RETURN(const ObjectName name, ParseObjectName(word));
    world_.Mention(name);
    world_.core->loader().Load(name, [this, word](const Status& status) {
      if (!status) Print("load " + word + ": " + status.error().message);
    });
    world_.Drain();
  }
  return Ok();
}

// wait ID [within DURATION] [NAME...]
Status Runner::Wait(const Strings& words) {
  if (words.size() < 2) return AsError(Bad("wait ID [within DURATION] [NAME...]"));
  ASSIGN_OR_RETURN(const EventId id, ParseId(words[1]));
  Duration within = std::chrono::seconds(10);
  size_t index = 2;
  if (words.size() > 3 && words[2] == "within") {
    ASSIGN_OR_RETURN(within, ParseDuration(words[3]));
    index = 4;
  }
  std::vector<ObjectName> names;
  for (const std::string& word : Rest(words, index)) {
    ASSIGN_OR_RETURN(const ObjectName name, ParseObjectName(word));
    names.push_back(name);
  }
  std::string label = "wait";
  for (const std::string& word : Rest(words, 1)) label += " " + word;
  const auto answered = std::make_shared<bool>(false);
  world_.core->waiter().Wait(names, id, world_.clock.Now() + within,
                             [this, label, answered](const Status& status) {
                               *answered = true;
                               Print(label + ": " + (status ? "done" : status.error().message));
                             });
  world_.Drain();
  if (!*answered) Print(label + ": waits");
  return Ok();
}

Status Runner::SetOption(const Strings& words) {
  if (words.size() != 3) return AsError(Bad("option NAME VALUE"));
  sync::SyncOptions& options = world_.options;
  const std::string& value = words[2];
  if (words[1] == "payload") {
    options.payload = value == "stub"     ? sync::PayloadMode::kStub
                      : value == "verify" ? sync::PayloadMode::kVerify
                                          : sync::PayloadMode::kTrust;
    options.verify.every = 1;
  } else if (words[1] == "batch") {
    options.log.batch = std::stoi(value);
  } else if (words[1] == "reread-window") {
    options.log.reread_window = std::stoi(value);
  } else if (words[1] == "tail-events") {
    options.log.max_events = std::stoul(value);
  } else if (words[1] == "sync-disabled") {
    options.sync_disabled = {value};
  } else if (words[1] == "max-deltas") {
    options.max_deltas = std::stoul(value);
  } else if (words[1] == "lock-timeout") {
    ASSIGN_OR_RETURN(options.ddl_lock_timeout, ParseDuration(value));
  } else {
    return AsError(Bad("option " + words[1]));
  }
  return Ok();
}

// server hive2|hive3|hive4 | server config KEY VALUE | server down | server up | server hides DB
Status Runner::Server(const Strings& words) {
  const std::string what = words.size() > 1 ? words[1] : "";
  ScriptedMetastore& metastore = world_.metastore;
  if (what == "down" || what == "up") {
    metastore.SetDown(what == "down");
  } else if (what == "config" && words.size() == 4) {
    metastore.SetConfig(words[2], words[3]);
  } else if (what == "hides" && words.size() == 3) {
    metastore.Hide(ObjectName::Database("hive", words[2]));
  } else if (what == "uuid" && words.size() == 3) {
    metastore.SetUuid(words[2]);
  } else if (what == "hive2" || what == "hive3" || what == "hive4") {
    metastore.SetGeneration(what == "hive2"   ? hms::Generation::kHive2
                            : what == "hive3" ? hms::Generation::kHive3
                                              : hms::Generation::kHive4);
  } else {
    return AsError(Bad("server " + what));
  }
  return Ok();
}

Status Runner::Admin(const Strings& words) {
  const std::string& verb = words[0];
  if (verb == "clock" && words.size() == 2) {
    ASSIGN_OR_RETURN(const Duration by, ParseDuration(words[1]));
    world_.Advance(by);
  } else if (verb == "supervise") {
    world_.Supervise();
  } else if (verb == "pause" || verb == "resume") {
    world_.core->Pause(verb == "pause");
  } else if (verb == "reconcile") {
    Reconcile();
  } else if (verb == "resync") {
    world_.core->RequestResync("asked for");
  } else if (verb == "read-mode" && words.size() == 3) {
    ASSIGN_OR_RETURN(const ObjectName name, ParseObjectName(words[1]));
    std::optional<sync::ReadMode> mode;
    if (words[2] == "passthrough") mode = sync::ReadMode::kPassthrough;
    if (words[2] == "cached") mode = sync::ReadMode::kCached;
    world_.core->SetReadMode(name, mode);
  } else {
    return AsError(Bad(verb));
  }
  return Ok();
}

// A whole pass of databases and of tables, however long it takes.
void Runner::Reconcile() {
  constexpr int kMostSlices = 100;
  sync::SyncCore& core = *world_.core;
  const sync::Reconciler::Status before = core.reconciler().status();
  const uint64_t differences = core.counters().differences.load();
  for (int i = 0; i < kMostSlices; ++i) {
    const Duration wait = core.ReconcileOnce();
    world_.Drain();
    const sync::Reconciler::Status now = core.reconciler().status();
    if (now.passes > before.passes && now.database_passes > before.database_passes) break;
    world_.Advance(wait);
  }
  const uint64_t found = core.counters().differences.load() - differences;
  Print("differences: " + std::to_string(found));
  if (found > 0) Print("the last: " + core.reconciler().status().last_difference);
}

Status Runner::Check() {
  const std::string text = CompareWithTruth(&world_);
  Print(text.empty() ? "cache equals metastore" : text);
  return Ok();
}

std::string Runner::Finish() {
  if (!world_.is_open() || !not_compared_.empty()) return "";
  output_.clear();
  for (int i = 0; i < 2; ++i) {
    world_.Supervise();
    const Status polled = world_.Poll();
    if (!polled) return "the last poll failed: " + polled.error().message;
  }
  if (!world_.core->status().ready) {
    return "not ready at the end: " + world_.core->status().reason;
  }
  // First what is held, as it is; then what is not loaded.
  std::string text = CompareWithTruth(&world_);
  for (const ObjectName& name : world_.names()) {
    const cache::SlotView slot = world_.core->cache().Lookup(name);
    if (slot.state == cache::SlotState::kAbsent) continue;
    if (slot.snapshot != nullptr && (name.is_database() || slot.snapshot->partitions != nullptr)) {
      continue;
    }
    world_.core->loader().Load(name, nullptr);
    world_.Drain();
    if (world_.core->cache().Lookup(name).state == cache::SlotState::kUnknown) {
      text += name.ToString() + ": still unknown\n";
    }
  }
  return text + CompareWithTruth(&world_);
}

}  // namespace catalogd::scenario
