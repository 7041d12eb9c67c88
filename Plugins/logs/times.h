// Timestamps of logs, in nanoseconds since 1970.

#ifndef LOGS_TIMES_H
#define LOGS_TIMES_H

#include <cstdint>
#include <string>
#include <string_view>

namespace logs {

constexpr int64_t noTime = INT64_MIN;

/// Rules for times without a zone or a year.
struct TimeContext {
  /// The offset from UTC in seconds of times without a zone, unless `isLocal`.
  int32_t offset = 0;
  /// Whether times without a zone are of the machine's time zone.
  bool isLocal = true;
  /// The year and month (1 to 12) in which the file was last written, for times without a year.
  int year = 1970, month = 1;

  /// Reads a `zone` setting: `local`, `UTC` or an offset such as `+02:00`.
  bool setZone(std::string_view zone);
  /// Sets year and month from a file's time in seconds since 1970.
  void setWritten(int64_t seconds);
};

/// Reads `2026-11-21T11:49:10.123Z` at the beginning of a text: a blank or `T` in the middle, a
/// fraction after a point or a comma, and a zone or none. Sets `length` to the bytes read.
int64_t readISO(std::string_view text, const TimeContext &context, size_t &length);

/// Reads `Nov 21 11:49:10`, of no year.
int64_t readBSD(std::string_view text, const TimeContext &context, size_t &length);

/// Reads `21/Nov/2026:11:49:10 +0000`.
int64_t readCommon(std::string_view text, const TimeContext &context, size_t &length);

/// Reads a number since 1970: seconds, milliseconds, microseconds or nanoseconds by its size.
int64_t readEpoch(std::string_view digits);

}  // namespace logs

#endif
