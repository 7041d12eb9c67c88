#include "follower.h"

#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace logs {

/// The bytes of a file from which its format is detected.
static constexpr size_t sampleBytes = 262144;
static constexpr size_t sampleLines = 500;
/// The number of bytes at the beginning of a file that are compared to detect a replaced content.
static constexpr size_t headBytes = 256;
/// The time for which a notice is shown.
static constexpr auto noticeTime = std::chrono::seconds(60);

static std::string baseName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

// MARK: The first lines

/// Whether more than 4 % of the first bytes are control characters that texts do not have.
static bool isBinary(const std::string &head) {
  std::string_view beginning = std::string_view(head).substr(0, 4096);
  auto isControl = [](char byte) { return static_cast<unsigned char>(byte) < 0x20 && (byte < '\t' || byte > '\r') && byte != 0x1B; };
  return static_cast<size_t>(std::count_if(beginning.begin(), beginning.end(), isControl)) * 25 > beginning.size();
}

std::vector<std::string> Follower::paths() const {
  const std::string &path = settings_.path;
  if (path.find_first_of("*?[{") == std::string::npos) return {path};
  if (access(path.c_str(), F_OK) == 0) return {path};
  glob_t found;
  std::vector<std::string> result;
  if (glob(path.c_str(), GLOB_BRACE | GLOB_NOSORT, nullptr, &found) == 0) {
    for (size_t index = 0; index < found.gl_pathc; ++index) {
      struct stat status;
      if (stat(found.gl_pathv[index], &status) == 0 && S_ISREG(status.st_mode)) result.push_back(found.gl_pathv[index]);
    }
    globfree(&found);
  }
  std::sort(result.begin(), result.end(), isBefore);
  return result;
}

std::string Follower::firstBytes(const std::string &path, std::string &error, bool &isMissing, int64_t &written) {
  Opened opened = openFile(path);
  error = opened.error;
  isMissing = opened.isMissing;
  written = opened.written;
  if (!error.empty()) return {};
  if (!isCompressed(path)) return readHead(*opened.file, sampleBytes);
  auto temporary = openTemporary();
  if (!temporary) return {};
  std::string fault = decompress(path, temporary->number(), 1ull << 40, [](uint64_t done) { return done < sampleBytes; });
  std::string head = readHead(*temporary, sampleBytes);
  if (head.empty() && !fault.empty()) error = "'" + path + "' cannot be decompressed: " + fault;
  return head;
}

/// Adds the lines of a beginning. Returns the bytes that they take.
static size_t takeLines(const std::string &head, bool isExport, std::vector<std::string> &lines) {
  size_t from = 0;
  while (from < head.size() && lines.size() < sampleLines) {
    size_t feed = head.find('\n', from);
    if (feed == std::string::npos && !lines.empty()) break;
    std::string line = head.substr(from, feed == std::string::npos ? feed : feed - from);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    std::string cleaned;
    clean(line, cleaned);
    lines.push_back(isExport ? line : cleaned);
    from = feed == std::string::npos ? head.size() : feed + 1;
  }
  return std::max<size_t>(1, from);
}

/// Adds lines of older files if a file has few, so that a file that was just rotated has the same
/// columns as the one before.
void Follower::sampleOthers(const std::string &newest, bool isExport, std::vector<std::string> &lines) {
  if (!settings_.command.empty()) return;
  auto candidates = rotatedParts(newest);
  auto others = paths();
  candidates.insert(candidates.begin(), others.begin(), others.end());
  for (size_t tries = 0; tries < 4 && !candidates.empty() && lines.size() < sampleLines / 5; candidates.pop_back()) {
    if (candidates.back() == newest) continue;
    std::string error;
    bool isMissing = false;
    int64_t written = 0;
    std::string head = firstBytes(candidates.back(), error, isMissing, written);
    if (!isBinary(head)) takeLines(head, isExport, lines);
    ++tries;
  }
}

std::string Follower::findLines(std::vector<std::string> &lines, TimeContext &times, double &recordBytes) {
  bool hasWaited = false;
  while (true) {
    std::string head, error, problem;
    auto candidates = settings_.command.empty() ? paths() : std::vector<std::string>();
    std::string name = settings_.path;
    if (!settings_.command.empty()) {
      if (!feed_) {
        feed_ = std::make_unique<Feed>(settings_.command, settings_.spoolBytes / 2);
        feed_->start();
      }
      Feed::File file;
      if (feed_->waitForLines(file)) head = readHead(*file.file, sampleBytes);
      problem = feed_->state();
      if (problem.empty()) problem = "waiting for the first line of the command";
      name = "the output of the command";
      times.setWritten(time(nullptr));
    }
    for (auto path = candidates.rbegin(); path != candidates.rend() && head.empty(); ++path) {
      bool isMissing = false;
      int64_t written = 0;
      head = firstBytes(*path, error, isMissing, written);
      if (!error.empty() && !isMissing) return error;
      if (isMissing) problem = "waiting for " + *path + ": it does not exist";
      if (error.empty() && head.empty()) problem = "waiting for the first line of " + *path;
      times.setWritten(written);
      name = *path;
    }
    if (candidates.empty() && !feed_) problem = "waiting for a file that fits " + settings_.path;
    // A line without an end may be written just now.
    if (!head.empty() && head.find('\n') == std::string::npos && head.size() < sampleBytes && !hasWaited) {
      problem = "waiting for the end of the first line of " + name;
      hasWaited = true;
      head.clear();
    }
    if (!head.empty()) {
      bool isExport = head.compare(0, 9, "__CURSOR=") == 0;
      bool isChosen = settings_.format.format != "auto" || !settings_.format.pattern.empty();
      if (!isExport && !isChosen && isBinary(head)) {
        return "'" + name + "' is not a text file: too many control characters at its beginning " +
               "(convert UTF-16 with iconv, or set format to read it all the same)";
      }
      size_t bytes = takeLines(head, isExport, lines);
      recordBytes = static_cast<double>(bytes) / static_cast<double>(lines.size());
      sampleOthers(name, isExport, lines);
      return {};
    }
    conversation_.state(true, problem);
    poll(nullptr, 0, hasWaited ? 100 : 200);
  }
}

// MARK: Parts

std::shared_ptr<Part> Follower::makePart(const std::string &path, const Opened &opened, bool isLive) {
  auto part = std::make_shared<Part>();
  part->slot = table_->newSlot(opened.device, opened.inode);
  part->path = path;
  part->name = baseName(path);
  part->device = opened.device;
  part->inode = opened.inode;
  part->file = part->origin = opened.file;
  part->size = opened.size;
  part->isLive = isLive;
  part->times.setZone(settings_.zone);
  part->times.setWritten(opened.written);
  part->head = readHead(*opened.file, std::min<size_t>(headBytes, static_cast<size_t>(opened.size)));
  if (!isCompressed(path)) return part;
  // Its text goes to a temporary file, which grows like one that is followed.
  auto temporary = openTemporary();
  if (!temporary) {
    note(part->name + " is left out: no temporary file can be made (TMPDIR)");
    return nullptr;
  }
  part->file = temporary;
  part->size = 0;
  part->isLive = false;
  part->isFilling = true;
  std::thread([this, part, path] {
    std::string error = decompress(path, part->file->number(), settings_.spoolBytes, [&](uint64_t done) {
      table_->grow(part, done);
      return !part->isGone;
    });
    table_->change([&] { part->isFilling = false; });
    if (!error.empty()) note(part->name + ": " + error + "; the rows up to there are shown");
  }).detach();
  return part;
}

/// Returns where a part belongs: parts are ordered by the file they belong to, then by age.
size_t Follower::placeOf(const std::shared_ptr<Part> &part) {
  auto parts = table_->parts();
  auto groupOf = [&](const std::string &path) {
    size_t group = live_.size(), length = 0;
    for (size_t index = 0; index < live_.size(); ++index) {
      const std::string &base = live_[index].path;
      if (base.size() <= length || path.compare(0, base.size(), base) != 0) continue;
      group = index;
      length = base.size();
    }
    return group;
  };
  size_t group = groupOf(part->path), place = 0;
  auto order = rotatedParts(group < live_.size() ? live_[group].path : part->path);
  auto ageOf = [&](const std::string &path) { return static_cast<size_t>(std::find(order.begin(), order.end(), path) - order.begin()); };
  size_t age = ageOf(part->path);
  for (; place < parts.size(); ++place) {
    size_t other = groupOf(parts[place]->path);
    if (other > group || (other == group && (parts[place]->isLive || ageOf(parts[place]->path) > age) && !part->isLive)) break;
  }
  return place;
}

void Follower::addRotated(const std::string &path, bool isWhole) {
  Opened opened = openFile(path);
  if (!opened.error.empty()) {
    if (!opened.isMissing) note(opened.error);
    return;
  }
  auto part = makePart(path, opened, false);
  if (part && isWhole && isCompressed(path)) {
    joining_.push_back(part);
  } else if (part) {
    previous_.push_back(part);
    table_->add(part, placeOf(part));
  }
}

void Follower::addPath(const std::string &path) {
  auto place = std::find_if(live_.begin(), live_.end(), [&](const Live &live) { return isBefore(path, live.path); });
  size_t index = static_cast<size_t>(place - live_.begin());
  live_.insert(place, {path, nullptr, false});
  if (settings_.hasParts) {
    for (const std::string &part : rotatedParts(path)) addRotated(part);
  }
  rescan(live_[index]);
}

void Follower::start(std::shared_ptr<Table> table) {
  table_ = std::move(table);
  if (!settings_.command.empty()) {
    feed_->onGrowth = [this](const Feed::File &file) { growFeed(file); };
    growFeed(feed_->current());
  } else {
    for (const std::string &path : paths()) addPath(path);
  }
  std::thread([this] { follow(); }).detach();
}

// MARK: Following

void Follower::note(const std::string &text) {
  Conversation::log("warning: " + text);
  std::lock_guard<std::mutex> lock(mutex_);
  notice_ = text;
  noticed_ = Clock::now();
}

void Follower::report() {
  std::string message = table_->progress();
  bool isStale = false;
  std::string missing;
  for (const Live &live : live_) {
    if (live.isMissing) missing = live.path;
  }
  if (!missing.empty()) {
    bool hasOthers = std::any_of(live_.begin(), live_.end(), [](const Live &live) { return !live.isMissing; });
    isStale = !hasOthers;
    message = "waiting for " + missing + ": it was removed";
  } else if (feed_ && !feed_->state().empty()) {
    message = feed_->state();
    isStale = message.find("again") != std::string::npos;
  } else if (message.empty()) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!notice_.empty() && Clock::now() - noticed_ < noticeTime) message = notice_;
  }
  conversation_.state(isStale, message);
}

void Follower::watch() {
  if (inotify_ < 0) return;
  for (const Live &live : live_) {
    std::string folder = live.path.substr(0, live.path.rfind('/') + 1);
    if (watches_.count(folder)) continue;
    watches_[folder] = inotify_add_watch(
        inotify_, folder.c_str(), IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ATTRIB | IN_CLOSE_WRITE);
  }
}

void Follower::follow() {
  inotify_ = settings_.command.empty() ? inotify_init1(IN_CLOEXEC | IN_NONBLOCK) : -1;
  watch();
  auto lastScan = Clock::now();
  while (true) {
    // While something is counted its progress is reported; otherwise events wake the thread.
    struct pollfd wait = {inotify_, POLLIN, 0};
    bool isBusy = !table_->progress().empty();
    int ready = poll(&wait, inotify_ >= 0 ? 1 : 0, isBusy ? 100 : 250);
    if (ready > 0) {
      alignas(struct inotify_event) char events[16384];
      while (read(inotify_, events, sizeof events) > 0) continue;
    }
    // Each second also without an event: files on network drives have none.
    if (settings_.follows && settings_.command.empty() && (ready > 0 || isDecompressing() || Clock::now() - lastScan > std::chrono::seconds(1))) {
      lastScan = Clock::now();
      rescan();
      watch();
    }
    table_->tick();
    report();
    if (ready > 0) poll(nullptr, 0, 20);  // many small writes are one growth
  }
}

void Follower::rescan() {
  // Each write is an event; folders need not be read that often.
  bool readsFolders = Clock::now() - foldersRead_ > std::chrono::milliseconds(250);
  if (readsFolders) foldersRead_ = Clock::now();
  if (readsFolders && settings_.path.find_first_of("*?[{") != std::string::npos) {
    for (const std::string &path : paths()) {
      bool isKnown = std::any_of(live_.begin(), live_.end(), [&](const Live &live) { return live.path == path; });
      bool isFormer = std::any_of(previous_.begin(), previous_.end(), [&](const auto &part) { return part->path == path; });
      struct stat status;
      // A file that was renamed and still fits the pattern is in the table already.
      bool isMoved = stat(path.c_str(), &status) == 0 && std::any_of(previous_.begin(), previous_.end(), [&](const auto &part) {
        return part->inode == status.st_ino && part->device == status.st_dev;
      });
      if (!isKnown && !isFormer && !isMoved) {
        note("there is a new file: " + path);
        addPath(path);
      }
    }
  }
  for (Live &live : live_) rescan(live);
  rescanPrevious();
  if (settings_.hasParts && readsFolders) rescanParts();
  rescanJoining();
}

void Follower::rescan(Live &live) {
  struct stat status;
  if (stat(live.path.c_str(), &status) != 0) {
    if (!live.isMissing) Conversation::log("warning: " + live.path + " was removed");
    live.isMissing = true;
  }
  auto &part = live.part;
  bool isSame = part && !live.isMissing && status.st_ino == part->inode && status.st_dev == part->device;
  if (part && !isSame) {
    // What was still written to the former file.
    struct stat previous;
    if (fstat(part->file->number(), &previous) == 0 && !isCompressed(live.path)) table_->grow(part, static_cast<uint64_t>(previous.st_size));
  }
  if (stat(live.path.c_str(), &status) != 0) return;
  live.isMissing = false;
  isSame = part && status.st_ino == part->inode && status.st_dev == part->device;
  if (isSame && !isCompressed(live.path)) {
    uint64_t size = static_cast<uint64_t>(status.st_size);
    bool isReplaced = size < part->size;
    if (!isReplaced && !part->head.empty()) isReplaced = readHead(*part->file, part->head.size()) != part->head;
    if (!isReplaced) {
      if (part->head.size() < headBytes) {
        std::string head = readHead(*part->file, std::min<size_t>(headBytes, static_cast<size_t>(size)));
        if (head != part->head) table_->change([&] { part->head = head; });
      }
      if (size > part->size) {
        TimeContext times = part->times;
        times.setWritten(status.st_mtime);
        table_->change([&] { part->times = times; });
        table_->grow(part, size);
      }
      return;
    }
    note(part->name + " was truncated: the rows before that are gone" +
         (settings_.hasParts ? " unless a part has them" : ""));
    auto previous = part;
    Opened opened = openFile(live.path);
    if (!opened.error.empty()) return;
    auto copy = copyOf(live);
    part = makePart(live.path, opened, true);
    table_->replace(previous, copy ? std::vector{copy, part} : std::vector{part}, copy != nullptr);
    return;
  }
  if (isSame) return;
  Opened opened = openFile(live.path);
  if (!opened.error.empty()) {
    if (!opened.isMissing) note(opened.error);
    return;
  }
  auto previous = part;
  part = makePart(live.path, opened, true);
  if (!part) return;
  if (previous) {
    previous_.push_back(previous);
    table_->change([&] { previous->isLive = false; });
    rescanPrevious();
    note(baseName(live.path) + " was rotated: the rows before that are in " + previous->name);
  }
  table_->add(part, placeOf(part));
}

/// Returns the part with the rows that a file had before it was truncated, or null.
std::shared_ptr<Part> Follower::copyOf(const Live &live) {
  if (!settings_.hasParts || live.part->head.empty()) return nullptr;
  auto paths = rotatedParts(live.path);
  for (auto path = paths.rbegin(); path != paths.rend(); ++path) {
    Opened opened = openFile(*path);
    if (!opened.file || isCompressed(*path) || readHead(*opened.file, live.part->head.size()) != live.part->head) continue;
    auto known = table_->parts();
    bool isKnown = std::any_of(known.begin(), known.end(), [&](const auto &part) { return part->inode == opened.inode && part->device == opened.device; });
    if (isKnown) continue;
    previous_.push_back(makePart(*path, opened, false));
    return previous_.back();
  }
  return nullptr;
}

/// Returns the path at which a part that was rotated out is now, or an empty text.
std::string Follower::pathOf(const Part &part) const {
  std::string found;
  for (const Live &live : live_) {
    for (const std::string &path : rotatedParts(live.path)) {
      struct stat other;
      if (stat(path.c_str(), &other) == 0 && other.st_ino == part.inode && other.st_dev == part.device) found = path;
    }
  }
  return found;
}

/// Whether no name is left of a part's file.
bool Follower::isDeleted(const Part &part) const {
  struct stat status;
  return fstat(part.origin->number(), &status) != 0 || status.st_nlink == 0;
}

/// Follows parts that were rotated out: they may still grow, be renamed, compressed and deleted.
void Follower::rescanPrevious() {
  for (size_t index = 0; index < previous_.size();) {
    auto part = previous_[index];
    struct stat status;
    bool isAtPath = stat(part->path.c_str(), &status) == 0 && status.st_ino == part->inode && status.st_dev == part->device;
    bool isHeld = !part->isLive && !isCompressed(part->path) && fstat(part->file->number(), &status) == 0;
    if (isHeld && static_cast<uint64_t>(status.st_size) > part->size) table_->grow(part, static_cast<uint64_t>(status.st_size));
    if (isAtPath) {
      ++index;
      continue;
    }
    std::string found = pathOf(*part);
    bool isGone = found.empty() && isDeleted(*part);
    if (isGone && settings_.hasParts) {
      // Its rows stay until the compressed part that takes its place has them.
      rescanParts();
      rescanJoining();
      if (previous_[index] != part) continue;
      if (isDecompressing()) {
        ++index;
        continue;
      }
    }
    if (!found.empty()) {
      table_->change([&] {
        part->path = found;
        part->name = baseName(found);
      });
    } else if (isGone) {
      table_->remove(part);
      previous_.erase(previous_.begin() + static_cast<std::ptrdiff_t>(index));
      if (!settings_.hasParts) note(part->name + " was deleted: its rows are gone");
      continue;
    }
    ++index;
  }
}

/// Whether a part that will join the table is not complete.
bool Follower::isDecompressing() const {
  return std::any_of(joining_.begin(), joining_.end(), [](const auto &part) { return part->isFilling.load(); });
}

/// Adds compressed parts whose text is complete, in place of the deleted files with the same text.
void Follower::rescanJoining() {
  for (size_t index = 0; index < joining_.size();) {
    auto part = joining_[index];
    auto twin = previous_.end();
    if (!part->isFilling) {
      twin = std::find_if(previous_.begin(), previous_.end(), [&](const auto &other) {
        return !isCompressed(other->path) && other->size == part->size && readHead(*other->file, headBytes) == readHead(*part->file, headBytes);
      });
    }
    // While a file is compressed, both exist.
    if (part->isFilling || (twin != previous_.end() && !isDeleted(**twin))) {
      ++index;
      continue;
    }
    if (twin != previous_.end()) {
      table_->replace(*twin, {part}, true);
      *twin = part;
    } else {
      table_->add(part, placeOf(part));
      previous_.push_back(part);
    }
    joining_.erase(joining_.begin() + static_cast<std::ptrdiff_t>(index));
  }
}

/// Adds the rotated parts that have appeared.
void Follower::rescanParts() {
  for (const Live &live : live_) {
    for (const std::string &path : rotatedParts(live.path)) {
      struct stat status;
      if (stat(path.c_str(), &status) != 0) continue;
      bool isKnown = false;
      auto known = table_->parts();
      known.insert(known.end(), joining_.begin(), joining_.end());
      for (const auto &part : known) isKnown = isKnown || (part->inode == status.st_ino && part->device == status.st_dev);
      if (isKnown) continue;
      // A copy that precedes a truncation has what the file itself still has, or a beginning of it.
      if (live.part && !isCompressed(path)) {
        Opened opened = openFile(path);
        if (!opened.file || live.part->head.empty()) continue;
        std::string head = readHead(*opened.file, live.part->head.size());
        if (live.part->head.compare(0, head.size(), head) == 0) continue;
      }
      addRotated(path, true);
    }
  }
}

// MARK: Commands

void Follower::growFeed(const Feed::File &file) {
  std::lock_guard<std::mutex> lock(feedMutex_);
  if (file.number > fedNumber_) {
    Opened opened;
    opened.file = file.file;
    opened.size = file.size;
    opened.inode = static_cast<ino_t>(file.number);
    opened.written = time(nullptr);
    fedNumber_ = file.number;
    fed_.push_back(makePart("/command", opened, true));
    table_->add(fed_.back(), fed_.size() - 1);
    if (fed_.size() > 2) {
      note("the output of the command is larger than the setting spool: its oldest rows are gone");
      table_->remove(fed_.front());
      fed_.erase(fed_.begin());
    }
  } else if (file.number == fedNumber_) {
    table_->grow(fed_.back(), file.size);
  }
}

}  // namespace logs
