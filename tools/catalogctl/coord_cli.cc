#include "tools/catalogctl/coord_cli.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace catalogd::ctl {
namespace {

class Adder {
 public:
  Adder(CLI::App* coord, CoordArguments* arguments, std::function<void(CoordCommand)> chosen)
      : coord_(coord), arguments_(arguments), chosen_(std::move(chosen)) {}

  void Tables() {
    CoordArguments* const a = arguments_;
    Add("tables", "The coordinated tables", CoordTables);
    Table(Add("state", "One table: versions, what is open, what is wrong", CoordState));
    CLI::App* const add = Table(Add("register", "Coordinate a table from now on", CoordRegister));
    add->add_option("--type", a->type, "MOR, COW, PK_DELTA or APPEND_DELTA")->capture_default_str();
    add->add_option("--policy", a->policy, "maxcompute, hudi_nbcc or hudi_occ")
        ->capture_default_str();
    add->add_option("--base-path", a->base_path, "Default: the table's location");
    add->add_option("--option", a->settings, "NAME=VALUE, as often as needed")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    add->add_flag("--accept-no-cas", a->accept_no_cas,
                  "Also where the metastore does not compare before it alters");
    add->add_flag("--take-over", a->take_over, "Take it from another daemon");
    CLI::App* const end = Table(Add("unregister", "Coordinate it no more", CoordUnregister));
    end->add_flag("--force", a->force, "Also with open transactions and pending plans");
    CLI::App* const set = Table(Add("set", "Options of a table", CoordSet));
    set->add_option("settings", a->settings, "NAME=VALUE; without a value: back to the default");
    set->add_option("--resolve", a->resolve, "Of a CORRUPT table: override");
  }

  void Txns() {
    CoordArguments* const a = arguments_;
    CLI::App* const txns = Limit(Table(Add("txns", "Transactions of a table", CoordTxns)));
    txns->add_option("--state", a->state, "OPEN, PREPARED, COMMITTED, ABORTED or UNKNOWN");
    CLI::App* const abort = Table(Add("abort", "End a transaction without a commit", CoordAbort));
    abort->add_option("txn", a->txn_id)->required();
    abort->add_option("--fence", a->fence, "Of its begin; see txns")->required();
    abort->add_option("--reason", a->reason);
  }

  void Plans() {
    CoordArguments* const a = arguments_;
    CLI::App* const plans = Limit(Table(Add("plans", "Pending plans", CoordPlans), false));
    plans->add_option("--state", a->state, "ALL, or a state");
    plans->add_option("--type", a->plan_type, kTypes);
    CLI::App* const schedule = Table(Add("schedule", "Plan a service if it is due", CoordSchedule));
    schedule->add_option("type", a->plan_type, kTypes)->required();
    schedule->add_flag("--forced", a->forced, "Whether or not it is due");
    schedule->add_flag("--cancellable", a->cancellable, "An operator may end it while it runs");
    schedule->add_option("--reason", a->reason);
    CLI::App* const claim = Table(Add("claim", "Claim a plan, to execute it", CoordClaim), false);
    claim->add_option("--plan", a->plan_id, "Default: the next one");
    claim->add_option("--type", a->plan_types, kTypes);
    claim->add_option("--lease", a->lease_ms, "Milliseconds");
    claim->add_option("--wait", a->wait_ms, "Milliseconds to wait for a plan");
    claim->add_flag("--external-override", a->external_override, "A job outside is known dead");
    Plan(Add("cancel", "End a plan for good", CoordCancel));
    Plan(Add("reset", "Let a failed plan be tried again", CoordReset));
  }

  void Reads() {
    CoordArguments* const a = arguments_;
    CLI::App* const slices = Table(Add("slices", "What a reader reads", CoordSlices));
    slices->add_option("--partition", a->partitions, "Default: all");
    slices->add_option("--form", a->form, "MERGED, READ_OPTIMIZED or RAW")->capture_default_str();
    slices->add_option("--at", a->at, "As of this completion time");
    slices->add_option("--version", a->version, "As of this id version");
    CLI::App* const changes =
        Limit(Table(Add("incremental", "What changed in a range", CoordIncremental)));
    changes->add_option("--axis", a->axis, "ID, TIME or COMPLETION")->capture_default_str();
    changes->add_option("--from", a->from, "Exclusive; default: the beginning");
    changes->add_option("--to", a->to, "Inclusive; default: the newest");
    changes->add_flag("--services", a->services, "With compactions and the like");
    Limit(Table(Add("versions", "What was committed", CoordVersions)));
    CLI::App* const explain =
        Table(Add("explain", "Why a transaction failed, or who wins when two meet", CoordExplain));
    explain->add_option("--txn", a->txn_id);
    explain->add_option("--earlier", a->earlier, "OVERWRITE, INSERT, UPDATE, MINOR or MAJOR");
    explain->add_option("--later", a->later, "The same");
    Limit(
        Table(Add("conflicts", "Commits that were refused, newest first", CoordConflicts), false));
    Table(Add("fsck", "Compare the table's files with its folder", CoordFsck));
  }

 private:
  static constexpr const char* kTypes = "COMPACT, LOG_COMPACT, CLUSTER, CLEAN or ROLLBACK";

  CLI::App* Add(const char* name, const char* meaning, CoordCommand command) {
    CLI::App* const sub = coord_->add_subcommand(name, meaning);
    sub->fallthrough();
    sub->callback([this_chosen = chosen_, command] { this_chosen(command); });
    return sub;
  }
  CLI::App* Table(CLI::App* sub, bool required = true) {
    sub->add_option("table", arguments_->table, "DB.TABLE, CATALOG.DB.TABLE or a coordination id")
        ->required(required);
    return sub;
  }
  CLI::App* Limit(CLI::App* sub) {
    sub->add_option("--limit", arguments_->limit)->capture_default_str();
    return sub;
  }
  void Plan(CLI::App* sub) {
    Table(sub)->add_option("plan", arguments_->plan_id)->required();
    sub->add_option("--reason", arguments_->reason);
  }

  CLI::App* const coord_;
  CoordArguments* const arguments_;
  const std::function<void(CoordCommand)> chosen_;
};

}  // namespace

void AddCoordCommands(CLI::App* app, CoordArguments* arguments,
                      std::function<void(CoordCommand)> chosen) {
  CLI::App* const coord =
      app->add_subcommand("coord", "Table coordination: transactions, plans, versions");
  coord->fallthrough();
  coord->require_subcommand(1);
  coord->add_option("--user", arguments->user, "Who asks; default: nobody says (anonymous)");
  coord->add_option("--owner", arguments->owner, "Who is to hold what is claimed")
      ->default_val("catalogctl");
  Adder adder(coord, arguments, std::move(chosen));
  adder.Tables();
  adder.Txns();
  adder.Plans();
  adder.Reads();
}

}  // namespace catalogd::ctl
