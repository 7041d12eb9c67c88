#include "conversation.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace logs {

void Conversation::send(const std::string &line) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::string bytes = line + "\n";
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t written = write(1, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(0);  // the host is gone
    done += static_cast<size_t>(written);
  }
}

void Conversation::state(bool isStale, const std::string &message) {
  std::string line = std::string(R"({"type":"state","state":")") + (isStale ? "stale" : "live") + R"(","message":)";
  std::string cleaned;
  clean(message, cleaned);
  appendJSON(cleaned, line);
  line += "}";
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (line == lastState_) return;
    lastState_ = line;
  }
  send(line);
}

void Conversation::refuse(const std::string &setting, const std::string &reason) {
  std::string line = R"({"type":"refuse","setting":)", cleaned;
  clean(reason, cleaned);
  appendJSON(setting, line);
  line += R"(,"reason":)";
  appendJSON(cleaned, line);
  send(line + "}");
}

void Conversation::log(const std::string &line) { std::fprintf(stderr, "%s\n", line.c_str()); }

bool LineReader::next(std::string &line) {
  while (true) {
    size_t feed = buffer_.find('\n', from_);
    if (feed != std::string::npos) {
      line.assign(buffer_, from_, feed - from_);
      from_ = feed + 1;
      if (from_ > 65536) {
        buffer_.erase(0, from_);
        from_ = 0;
      }
      return true;
    }
    buffer_.erase(0, from_);
    from_ = 0;
    char chunk[16384];
    ssize_t got = read(0, chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    buffer_.append(chunk, static_cast<size_t>(got));
  }
}

}  // namespace logs
