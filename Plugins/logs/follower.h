// The files of the table: finds them, opens them, follows them as they grow, rotate and go.

#ifndef LOGS_FOLLOWER_H
#define LOGS_FOLLOWER_H

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "conversation.h"
#include "feed.h"
#include "settings.h"
#include "table.h"

namespace logs {

/// An open file, or the reason why it was not opened.
struct Opened {
  std::shared_ptr<Descriptor> file;
  uint64_t size = 0;
  dev_t device = 0;
  ino_t inode = 0;
  int64_t written = 0;
  std::string error;
  /// Whether waiting may help: the file does not exist.
  bool isMissing = false;
};

class Follower {
 public:
  Follower(const Settings &settings, Conversation &conversation) : settings_(settings), conversation_(conversation) {}

  /// Finds the first lines of the newest file; waits until there are some. Returns an error for the
  /// setting `path`.
  std::string findLines(std::vector<std::string> &lines, TimeContext &times, double &recordBytes);
  /// Adds the parts to the table, and follows them until the end of the process.
  void start(std::shared_ptr<Table> table);
  /// Ends the command, if there is one.
  void stop() {
    if (feed_) feed_->stop();
  }

 private:
  /// A file that is followed under its path.
  struct Live {
    std::string path;
    std::shared_ptr<Part> part;
    bool isMissing = false;
  };

  std::vector<std::string> paths() const;
  void sampleOthers(const std::string &newest, bool isExport, std::vector<std::string> &lines);
  std::string firstBytes(const std::string &path, std::string &error, bool &isMissing, int64_t &written);
  std::shared_ptr<Part> makePart(const std::string &path, const Opened &opened, bool isLive);
  void addPath(const std::string &path);
  /// Adds a part, at once or when it is whole.
  void addRotated(const std::string &path, bool isWhole = false);
  size_t placeOf(const std::shared_ptr<Part> &part);
  void follow();
  void rescan();
  void rescan(Live &live);
  void rescanPrevious();
  void rescanParts();
  void rescanJoining();
  bool isDecompressing() const;
  bool isDeleted(const Part &part) const;
  std::string pathOf(const Part &part) const;
  std::shared_ptr<Part> copyOf(const Live &live);
  void watch();
  /// Adds what a command has written to the table.
  void growFeed(const Feed::File &file);
  void note(const std::string &text);
  void report();

  const Settings &settings_;
  Conversation &conversation_;
  std::shared_ptr<Table> table_;
  std::vector<Live> live_;
  /// Parts that were rotated out, or that are compressed.
  std::vector<std::shared_ptr<Part>> previous_;
  /// Compressed parts that are not in the table before they are decompressed.
  std::vector<std::shared_ptr<Part>> joining_;
  std::map<std::string, int> watches_;
  int inotify_ = -1;
  std::unique_ptr<Feed> feed_;
  /// The files of the command's output that are in the table, and the number of the last.
  std::vector<std::shared_ptr<Part>> fed_;
  int fedNumber_ = -1;
  std::mutex feedMutex_;
  std::mutex mutex_;
  std::string notice_;
  Clock::time_point noticed_, foldersRead_;
};

/// Opens a file for reading.
Opened openFile(const std::string &path);

/// Whether the name is of a compressed file.
bool isCompressed(const std::string &path);

/// Decompresses a file to a temporary file. `onGrowth` is called with the bytes written so far and
/// returns whether to go on. Returns an error, or an empty text.
std::string decompress(const std::string &path, int to, uint64_t limit, const std::function<bool(uint64_t)> &onGrowth);

/// Opens a temporary file without a name.
std::shared_ptr<Descriptor> openTemporary();

/// The rotated parts of a file, the oldest first.
std::vector<std::string> rotatedParts(const std::string &path);

/// Compares names with runs of digits as numbers.
bool isBefore(const std::string &a, const std::string &b);

}  // namespace logs

#endif
