#include "times.h"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace logs {

static constexpr int64_t second = 1'000'000'000;
/// Years outside this range do not fit 64 bits of nanoseconds.
static constexpr int firstYear = 1678, lastYear = 2261;

static int64_t days(int year, int month, int day) {
  year -= month <= 2;
  int era = (year >= 0 ? year : year - 399) / 400;
  int yearOfEra = year - era * 400;
  int dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return static_cast<int64_t>(era) * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468;
}

/// Reads exactly `count` digits, or returns -1.
static int digits(const char *at, int count) {
  int value = 0;
  for (int index = 0; index < count; ++index) {
    unsigned digit = static_cast<unsigned char>(at[index]) - '0';
    if (digit > 9) return -1;
    value = value * 10 + static_cast<int>(digit);
  }
  return value;
}

/// Returns the machine's offset from UTC in seconds for a local time, remembered by hour.
static int64_t localOffset(int64_t seconds) {
  thread_local int64_t knownHour = INT64_MIN, known = 0;
  int64_t hour = seconds >= 0 ? seconds / 3600 : (seconds - 3599) / 3600;
  if (hour == knownHour) return known;
  time_t clock = static_cast<time_t>(seconds);
  struct tm parts;
  gmtime_r(&clock, &parts);
  parts.tm_isdst = -1;
  time_t local = mktime(&parts);
  knownHour = hour;
  known = local == -1 ? 0 : seconds - static_cast<int64_t>(local);
  return known;
}

static int64_t zoned(int64_t seconds, const TimeContext &context) {
  return seconds - (context.isLocal ? localOffset(seconds) : context.offset);
}

/// Reads `+02:00` or `+0200` at the beginning of a text: seconds, and the length it took or 0.
static size_t readOffset(std::string_view text, int64_t &offset) {
  if (text.size() < 5 || (text[0] != '+' && text[0] != '-')) return 0;
  size_t minute = text[3] == ':' ? 4 : 3;
  if (text.size() < minute + 2) return 0;
  int hours = digits(text.data() + 1, 2), minutes = digits(text.data() + minute, 2);
  if (hours < 0 || minutes < 0 || hours > 18 || minutes > 59) return 0;
  offset = (hours * 3600 + minutes * 60) * (text[0] == '-' ? -1 : 1);
  return minute + 2;
}

bool TimeContext::setZone(std::string_view zone) {
  if (zone == "local") return isLocal = true;
  isLocal = false;
  offset = 0;
  if (zone == "UTC") return true;
  int64_t seconds = 0;
  if (readOffset(zone, seconds) != zone.size() || zone.empty()) return false;
  offset = static_cast<int32_t>(seconds);
  return true;
}

void TimeContext::setWritten(int64_t seconds) {
  // A clock that is a day ahead of this one may already write the next month.
  time_t clock = static_cast<time_t>(seconds + 86400);
  struct tm parts;
  gmtime_r(&clock, &parts);
  year = parts.tm_year + 1900;
  month = parts.tm_mon + 1;
}

static bool readClock(const char *at, int64_t &seconds) {
  int hour = digits(at, 2), minute = digits(at + 3, 2), rest = digits(at + 6, 2);
  if (hour < 0 || minute < 0 || rest < 0 || hour > 23 || minute > 59 || rest > 60 || at[2] != ':' || at[5] != ':') return false;
  seconds = hour * 3600 + minute * 60 + rest;
  return true;
}

static const int monthDays[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

int64_t readISO(std::string_view text, const TimeContext &context, size_t &length) {
  if (text.size() < 19) return noTime;
  const char *at = text.data();
  if (at[4] != '-' || at[7] != '-' || (at[10] != 'T' && at[10] != ' ' && at[10] != 't')) return noTime;
  int year = digits(at, 4), month = digits(at + 5, 2), day = digits(at + 8, 2);
  int64_t clock = 0;
  if (year < firstYear || year > lastYear || month < 1 || month > 12 || day < 1 || day > monthDays[month - 1]) return noTime;
  if (!readClock(at + 11, clock)) return noTime;
  int64_t seconds = days(year, month, day) * 86400 + clock, fraction = 0;
  size_t end = 19;
  if (end + 1 < text.size() && (at[end] == '.' || at[end] == ',') && static_cast<unsigned char>(at[end + 1]) - '0' <= 9u) {
    int64_t unit = second / 10;
    for (++end; end < text.size() && static_cast<unsigned char>(at[end]) - '0' <= 9u; ++end, unit /= 10) fraction += (at[end] - '0') * unit;
  }
  int64_t offset = 0;
  std::string_view rest = text.substr(end);
  size_t taken = 0;
  if (!rest.empty() && (rest[0] == 'Z' || rest[0] == 'z')) {
    end += 1;
  } else if ((taken = readOffset(rest, offset)) != 0) {
    end += taken;
    seconds -= offset;
  } else if (rest.size() > 5 && rest[0] == ' ' && (taken = readOffset(rest.substr(1), offset)) != 0 &&
             (rest.size() == taken + 1 || rest[taken + 1] == ' ')) {
    end += taken + 1;
    seconds -= offset;
  } else {
    seconds = zoned(seconds, context);
  }
  length = end;
  return seconds * second + fraction;
}

static int readMonth(const char *at) {
  static const char *names = "JanFebMarAprMayJunJulAugSepOctNovDec";
  for (int month = 0; month < 12; ++month) {
    if (std::memcmp(at, names + 3 * month, 3) == 0) return month + 1;
  }
  return 0;
}

int64_t readBSD(std::string_view text, const TimeContext &context, size_t &length) {
  if (text.size() < 15) return noTime;
  const char *at = text.data();
  int month = readMonth(at);
  if (month == 0 || at[3] != ' ' || at[6] != ' ') return noTime;
  int day = at[4] == ' ' ? digits(at + 5, 1) : digits(at + 4, 2);
  int64_t clock = 0;
  if (day < 1 || day > monthDays[month - 1] || !readClock(at + 7, clock)) return noTime;
  int year = month > context.month ? context.year - 1 : context.year;
  length = 15;
  return zoned(days(year, month, day) * 86400 + clock, context) * second;
}

int64_t readCommon(std::string_view text, const TimeContext &context, size_t &length) {
  if (text.size() < 20) return noTime;
  const char *at = text.data();
  int day = digits(at, 2), month = at[2] == '/' ? readMonth(at + 3) : 0, year = digits(at + 7, 4);
  int64_t clock = 0, offset = 0;
  if (month == 0 || day < 1 || day > monthDays[month - 1] || year < firstYear || year > lastYear || at[6] != '/' || at[11] != ':') return noTime;
  if (!readClock(at + 12, clock)) return noTime;
  int64_t seconds = days(year, month, day) * 86400 + clock;
  length = 20;
  size_t taken = text.size() > 21 && at[20] == ' ' ? readOffset(text.substr(21), offset) : 0;
  if (taken == 0) return zoned(seconds, context) * second;
  length = 21 + taken;
  return (seconds - offset) * second;
}

int64_t readEpoch(std::string_view text) {
  if (text.empty() || text.size() > 30) return noTime;
  bool isWhole = true;
  for (char byte : text) isWhole = isWhole && byte >= '0' && byte <= '9';
  char copy[32];
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = 0;
  char *end = nullptr;
  if (isWhole && text.size() <= 19) {
    unsigned long long value = std::strtoull(copy, &end, 10);
    if (value > INT64_MAX) return noTime;
    int64_t number = static_cast<int64_t>(value);
    return number < 9'000'000'000 ? number * second : number < 9'000'000'000'000 ? number * 1'000'000
           : number < 9'000'000'000'000'000 ? number * 1'000 : number;
  }
  // A decimal number of seconds keeps all its digits; of milliseconds, six.
  std::string_view whole = text.substr(0, text.find('.'));
  if (whole.size() < text.size() && whole.size() <= 13 && !whole.empty()) {
    int64_t value = 0, fraction = 0, unit = whole.size() <= 10 ? second : 1'000'000;
    for (char byte : whole) {
      if (byte < '0' || byte > '9') return noTime;
      value = value * 10 + (byte - '0');
    }
    if (unit == second && value >= 9'000'000'000) unit = 1'000'000;
    int64_t scale = unit;
    for (char byte : text.substr(whole.size() + 1)) {
      if (byte < '0' || byte > '9') return noTime;
      scale /= 10;
      fraction += (byte - '0') * scale;
    }
    return value * unit + fraction;
  }
  return noTime;
}

}  // namespace logs
