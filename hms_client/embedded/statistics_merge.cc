#include <algorithm>

#include "hms_client/embedded/statistics.h"

namespace catalogd::hms::ops {

namespace {

// Sketches of distinct values and histograms cannot be put together here; one that tells of half
// the rows would mislead.
template <class Data>
void DropSketches(Data* data) {
  data->bitVectors.clear();
  data->__isset.bitVectors = false;
}

// Decimals are two's complement with a scale.
double AsDouble(const api::Decimal& decimal) {
  double value = 0;
  for (size_t i = 0; i < decimal.unscaled.size(); ++i) {
    const auto byte = static_cast<unsigned char>(decimal.unscaled[i]);
    value = value * 256 + (i == 0 && byte >= 128U ? static_cast<double>(byte) - 256 : byte);
  }
  for (int i = 0; i < decimal.scale; ++i) value /= 10;
  return value;
}

bool Less(const api::Decimal& a, const api::Decimal& b) { return AsDouble(a) < AsDouble(b); }
bool Less(const api::Date& a, const api::Date& b) { return a.daysSinceEpoch < b.daysSinceEpoch; }
bool Less(const api::Timestamp& a, const api::Timestamp& b) {
  return a.secondsSinceEpoch < b.secondsSinceEpoch;
}
bool Less(double a, double b) { return a < b; }
bool Less(int64_t a, int64_t b) { return a < b; }

// Data with bounds, nulls and distinct values.
template <class Data>
void MergeBounds(const Data& old, Data* next) {
  if (old.__isset.lowValue && (!next->__isset.lowValue || Less(old.lowValue, next->lowValue))) {
    next->__set_lowValue(old.lowValue);
  }
  if (old.__isset.highValue && (!next->__isset.highValue || Less(next->highValue, old.highValue))) {
    next->__set_highValue(old.highValue);
  }
  next->numNulls += old.numNulls;
  next->numDVs = std::max(next->numDVs, old.numDVs);
  DropSketches(next);
  next->histogram.clear();
  next->__isset.histogram = false;
}

template <class Data>
void MergeLengths(const Data& old, Data* next) {
  next->maxColLen = std::max(next->maxColLen, old.maxColLen);
  next->avgColLen = std::max(next->avgColLen, old.avgColLen);
  next->numNulls += old.numNulls;
  DropSketches(next);
}

}  // namespace

api::ColumnStatisticsObj Merged(const api::ColumnStatisticsObj& old,
                                const api::ColumnStatisticsObj& next) {
  api::ColumnStatisticsObj merged = next;
  const api::ColumnStatisticsData& from = old.statsData;
  api::ColumnStatisticsData& to = merged.statsData;
  if (from.__isset.longStats && to.__isset.longStats) MergeBounds(from.longStats, &to.longStats);
  if (from.__isset.doubleStats && to.__isset.doubleStats) {
    MergeBounds(from.doubleStats, &to.doubleStats);
  }
  if (from.__isset.decimalStats && to.__isset.decimalStats) {
    MergeBounds(from.decimalStats, &to.decimalStats);
  }
  if (from.__isset.dateStats && to.__isset.dateStats) MergeBounds(from.dateStats, &to.dateStats);
  if (from.__isset.timestampStats && to.__isset.timestampStats) {
    MergeBounds(from.timestampStats, &to.timestampStats);
  }
  if (from.__isset.stringStats && to.__isset.stringStats) {
    MergeLengths(from.stringStats, &to.stringStats);
    to.stringStats.numDVs = std::max(to.stringStats.numDVs, from.stringStats.numDVs);
  }
  if (from.__isset.binaryStats && to.__isset.binaryStats) {
    MergeLengths(from.binaryStats, &to.binaryStats);
  }
  if (from.__isset.booleanStats && to.__isset.booleanStats) {
    to.booleanStats.numTrues += from.booleanStats.numTrues;
    to.booleanStats.numFalses += from.booleanStats.numFalses;
    to.booleanStats.numNulls += from.booleanStats.numNulls;
    DropSketches(&to.booleanStats);
  }
  return merged;
}

}  // namespace catalogd::hms::ops
