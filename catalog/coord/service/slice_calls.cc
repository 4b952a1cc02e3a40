#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "catalog/coord/service/coordinator.h"
#include "catalog/coord/service/read_pins.h"
#include "catalog/coord/service/read_points.h"
#include "catalog/coord/service/slice_infos.h"
#include "catalog/coord/service/slice_token.h"

namespace catalogd::coord {
namespace {

constexpr int32_t kDefaultGroups = 1000;
constexpr int32_t kMostGroups = 10'000;
// Under the mutex at a time: commits and beats of the table go on between the steps of a page.
constexpr size_t kGroupsInAStep = 64;

// A page while it is read.
class PageReader {
 public:
  PageReader(const api::GetFileSlicesRequest& request, ManagedTablePtr table,
             SliceContexts* contexts)
      : request_(request),
        table_(std::move(table)),
        contexts_(*contexts),
        wanted_(request.partitions.begin(), request.partitions.end()) {}

  CoordResult<api::FileSlicePage> Read() {
    if (request_.limit < 0 || request_.limit > kMostGroups) {
      return Fail(CoordCode::kInvalidArgument,
                  fmt::format("{} groups in a page; allowed: 0 (that is {}) to {}", request_.limit,
                              kDefaultGroups, kMostGroups));
    }
    COORD_ASSIGN_OR_RETURN(const SliceForm form, ParseSliceForm(request_.form));
    COORD_RETURN_IF_FAILED(Begin());
    const auto limit = static_cast<size_t>(request_.limit == 0 ? kDefaultGroups : request_.limit);
    for (size_t groups = 0; groups < limit && next_;) {
      COORD_ASSIGN_OR_RETURN(Step step, Copy(std::min(kGroupsInAStep, limit - groups)));
      groups += step.histories.groups.size();
      AppendSlices(std::move(step.histories), *step.context, position_.at, form, &page_.slices);
    }
    return std::move(page_);
  }

  [[nodiscard]] const ReadPosition& position() const { return position_; }
  // Where the next page begins; none: that was all.
  [[nodiscard]] const std::optional<FileGroup>& next() const { return next_; }

 private:
  struct Step {
    GroupHistories histories;
    std::shared_ptr<const SliceContext> context;
  };

  CoordStatus Begin() {
    const MutexLock lock(table_->mutex);
    TableState& state = table_->state;
    COORD_RETURN_IF_FAILED(MayRead(state));
    FileGroup from;
    if (request_.page_token.empty()) {
      COORD_ASSIGN_OR_RETURN(position_, Resolve(state, request_.read_point));
    } else {
      COORD_ASSIGN_OR_RETURN(const SlicePlace place, ParsePageToken(request_.page_token));
      if (place.table_id != state.id()) {
        return Fail(CoordCode::kInvalidArgument,
                    "the page token is of another table, or of one that was dropped since; begin "
                    "again without one");
      }
      COORD_RETURN_IF_FAILED(CheckReadable(state, place.position.version));
      position_ = place.position;
      from = place.from;
    }
    page_.id_version = position_.version.value();
    page_.completed = state.CompletedAt(position_.version).text();
    next_ = WantedFrom(state, std::move(from));
    return {};
  }

  // The first group from there on that is asked for.
  [[nodiscard]] std::optional<FileGroup> WantedFrom(const TableState& state, FileGroup from) const {
    for (;;) {
      std::optional<FileGroup> group = state.files().GroupFrom(from);
      if (!group || wanted_.empty() || wanted_.contains(group->partition)) return group;
      const auto partition = wanted_.upper_bound(group->partition);
      if (partition == wanted_.end()) return std::nullopt;
      from = {*partition, ""};
    }
  }

  CoordResult<Step> Copy(size_t at_most) {
    const MutexLock lock(table_->mutex);
    TableState& state = table_->state;
    COORD_RETURN_IF_FAILED(MayRead(state));
    COORD_RETURN_IF_FAILED(CheckReadable(state, position_.version));
    Step step;
    step.context = contexts_.Get(state, position_.version);
    std::vector<FileGroup> groups;
    while (groups.size() < at_most && next_) {
      groups.push_back(std::move(*next_));
      // Nothing comes between a text and itself with a NUL behind it.
      FileGroup behind = groups.back();
      behind.file_id += '\0';
      next_ = WantedFrom(state, std::move(behind));
    }
    step.histories = MakeGroupHistories(state, groups, {step.context->plans, step.context->times},
                                        position_.version);
    return step;
  }

  const api::GetFileSlicesRequest& request_;
  const ManagedTablePtr table_;
  SliceContexts& contexts_;
  const std::set<std::string> wanted_;  // Partitions; empty: all.
  ReadPosition position_;
  std::optional<FileGroup> next_;
  api::FileSlicePage page_;
};

}  // namespace

void ReadCalls::Slices(const api::GetFileSlicesRequest& request, Done<api::FileSlicePage> done) {
  const auto found = context_->tables.Find(request.caller.table);
  if (!found) return done(AsFailure(found.error()));
  const ManagedTablePtr& table = *found;
  PageReader reader(request, table, &slice_contexts_);
  CoordResult<api::FileSlicePage> page = reader.Read();
  if (!page || !reader.next()) return done(std::move(page));
  page->page_token = ToPageToken({table->id(), reader.position(), *reader.next()});
  {
    const MutexLock lock(table->mutex);
    TableState& state = table->state;
    // A table that is held forgets nothing either.
    StoreBatch batch = state.MayChange() ? PinForPages(state, reader.position().version,
                                                       WallMillis(*context_->clock))
                                         : StoreBatch();
    if (!batch.empty()) {
      const auto tell = [done = std::move(done), page](CoordStatus stored) {
        if (!stored) return done(AsFailure(std::move(stored).error()));
        done(page);
      };
      return table->Store(std::move(batch), tell);
    }
  }
  done(std::move(page));
}

}  // namespace catalogd::coord
