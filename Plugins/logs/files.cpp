// Opening, decompressing and naming of files.

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "follower.h"

namespace logs {

Opened openFile(const std::string &path) {
  Opened opened;
  // A pipe without a writer must not block.
  int number = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (number < 0) {
    opened.isMissing = errno == ENOENT || errno == ENOTDIR;
    opened.error = "'" + path + "' cannot be read: " + std::strerror(errno);
    if (errno == EACCES || errno == EPERM) opened.error += "; give the server's user the right to read it";
    return opened;
  }
  opened.file = std::make_shared<Descriptor>(number);
  struct stat status;
  if (fstat(number, &status) != 0) {
    opened.error = "'" + path + "' cannot be read: " + std::strerror(errno);
  } else if (S_ISDIR(status.st_mode)) {
    opened.error = "'" + path + "' is a folder: name a file, or several by a pattern such as " + path + "/*.log";
  } else if (!S_ISREG(status.st_mode)) {
    opened.error = "'" + path + "' is not a file: for a pipe or a device set command, such as cat " + path;
  }
  if (!opened.error.empty()) {
    opened.file = nullptr;
    return opened;
  }
  opened.size = static_cast<uint64_t>(status.st_size);
  opened.device = status.st_dev;
  opened.inode = status.st_ino;
  opened.written = status.st_mtime;
  return opened;
}

static bool endsWith(const std::string &text, const char *end) {
  size_t length = std::strlen(end);
  return text.size() > length && text.compare(text.size() - length, length, end) == 0;
}

bool isCompressed(const std::string &path) { return endsWith(path, ".gz") || endsWith(path, ".zst"); }

std::shared_ptr<Descriptor> openTemporary() {
  const char *folder = std::getenv("TMPDIR");
  std::string path = std::string(folder && *folder ? folder : "/tmp") + "/rowcast-logs-XXXXXX";
  int number = mkostemp(path.data(), O_CLOEXEC);
  if (number < 0) return nullptr;
  unlink(path.c_str());
  return std::make_shared<Descriptor>(number);
}

static bool writeAll(int to, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t written = write(to, bytes, length);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    length -= static_cast<size_t>(written);
  }
  return true;
}

/// Writes pieces of a decompressed file up to a limit.
class Output {
 public:
  Output(int to, uint64_t limit, const std::function<bool(uint64_t)> &onGrowth) : to_(to), limit_(limit), onGrowth_(onGrowth) {}

  /// Returns whether to go on.
  bool write(const char *bytes, size_t length) {
    if (done_ + length > limit_) {
      error = "it is larger than the setting spool allows; the rest is left out";
      return false;
    }
    if (!writeAll(to_, bytes, length)) {
      error = std::string("writing its text to a temporary file failed: ") + std::strerror(errno);
      return false;
    }
    done_ += length;
    if (done_ - reported_ < (4 << 20)) return true;
    reported_ = done_;
    return onGrowth_(done_);
  }
  void finish() { onGrowth_(done_); }

  std::string error;

 private:
  int to_;
  uint64_t limit_, done_ = 0, reported_ = 0;
  const std::function<bool(uint64_t)> &onGrowth_;
};

static std::string decompressGZ(const std::string &path, Output &output) {
  gzFile file = gzopen(path.c_str(), "rbe");
  if (file == nullptr) return std::strerror(errno);
  gzbuffer(file, 1 << 18);
  std::vector<char> buffer(1 << 20);
  std::string error;
  while (true) {
    int got = gzread(file, buffer.data(), static_cast<unsigned>(buffer.size()));
    int code = 0;
    const char *reason = gzerror(file, &code);
    if (got > 0 && !output.write(buffer.data(), static_cast<size_t>(got))) break;
    if (got < 0 || (got == 0 && code != Z_OK && code != Z_STREAM_END)) error = reason;
    if (got <= 0) break;
  }
  gzclose(file);
  return error;
}

static std::string decompressZST(const std::string &path, Output &output) {
  int number = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) return std::strerror(errno);
  Descriptor file(number);
  ZSTD_DStream *stream = ZSTD_createDStream();
  std::vector<char> input(1 << 18), text(1 << 20);
  std::string error;
  size_t left = 0;
  bool goesOn = true;
  while (goesOn && error.empty()) {
    ssize_t got = read(number, input.data(), input.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = std::strerror(errno);
    if (got <= 0) break;
    ZSTD_inBuffer in{input.data(), static_cast<size_t>(got), 0};
    while (goesOn && in.pos < in.size) {
      ZSTD_outBuffer out{text.data(), text.size(), 0};
      left = ZSTD_decompressStream(stream, &out, &in);
      if (ZSTD_isError(left)) {
        error = ZSTD_getErrorName(left);
        break;
      }
      goesOn = output.write(text.data(), out.pos);
    }
    if (!error.empty()) break;
  }
  if (error.empty() && goesOn && left != 0) error = "unexpected end of file";
  ZSTD_freeDStream(stream);
  return error;
}

std::string decompress(const std::string &path, int to, uint64_t limit, const std::function<bool(uint64_t)> &onGrowth) {
  Output output(to, limit, onGrowth);
  std::string error = endsWith(path, ".gz") ? decompressGZ(path, output) : decompressZST(path, output);
  output.finish();
  return error.empty() ? output.error : error;
}

// MARK: Names

bool isBefore(const std::string &a, const std::string &b) {
  size_t i = 0, j = 0;
  auto isDigit = [](char byte) { return byte >= '0' && byte <= '9'; };
  while (i < a.size() && j < b.size()) {
    if (isDigit(a[i]) && isDigit(b[j])) {
      while (i + 1 < a.size() && a[i] == '0' && isDigit(a[i + 1])) ++i;
      while (j + 1 < b.size() && b[j] == '0' && isDigit(b[j + 1])) ++j;
      size_t m = i, n = j;
      while (m < a.size() && isDigit(a[m])) ++m;
      while (n < b.size() && isDigit(b[n])) ++n;
      if (m - i != n - j) return m - i < n - j;
      int order = a.compare(i, m - i, b, j, n - j);
      if (order != 0) return order < 0;
      i = m;
      j = n;
    } else {
      if (a[i] != b[j]) return a[i] < b[j];
      ++i;
      ++j;
    }
  }
  return a.size() - i < b.size() - j || (a.size() - i == b.size() - j && a < b);
}

std::vector<std::string> rotatedParts(const std::string &path) {
  size_t slash = path.rfind('/');
  std::string folder = path.substr(0, slash + 1), name = path.substr(slash + 1);
  struct Found {
    std::string name;
    /// The number of a numbered part, which grows with its age; -1 for one with a date.
    int64_t number;
  };
  std::vector<Found> found;
  DIR *directory = opendir(folder.c_str());
  if (directory == nullptr) return {};
  while (const dirent *entry = readdir(directory)) {
    std::string other = entry->d_name;
    if (other.size() <= name.size() + 1 || other.compare(0, name.size(), name) != 0) continue;
    std::string suffix = other.substr(name.size());
    if (isCompressed(suffix)) suffix = suffix.substr(0, suffix.rfind('.'));
    if (suffix.size() < 2 || (suffix[0] != '.' && suffix[0] != '-') || suffix[1] < '0' || suffix[1] > '9') continue;
    if (suffix.find_first_not_of("0123456789-_.T:") != std::string::npos) continue;
    int64_t number = 0;
    bool isNumber = suffix[0] == '.' && suffix.size() <= 5 && readInteger(suffix.substr(1), number);
    found.push_back({other, isNumber ? number : -1});
  }
  closedir(directory);
  std::sort(found.begin(), found.end(), [](const Found &a, const Found &b) {
    if ((a.number < 0) != (b.number < 0)) return a.number < 0;
    return a.number != b.number ? a.number > b.number : isBefore(a.name, b.name);
  });
  std::vector<std::string> parts;
  for (const Found &part : found) {
    // While a part is being compressed both exist.
    bool isCopy = isCompressed(part.name) && std::any_of(found.begin(), found.end(), [&](const Found &other) {
      return other.name == part.name.substr(0, part.name.rfind('.'));
    });
    if (!isCopy) parts.push_back(folder + part.name);
  }
  return parts;
}

}  // namespace logs
