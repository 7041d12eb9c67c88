#include "settings.h"

#include <thread>

#include "text.h"

namespace logs {

std::string Settings::schema() {
  std::string formats;
  for (const std::string &name : formatNames()) formats += (formats.empty() ? "\"" : ",\"") + name + "\"";
  return R"({"type":"object","properties":{"path":{"type":"string"},"command":{"type":"string"},"format":{"enum":[)" + formats +
         R"(]},"pattern":{"type":"string"},"parts":{"type":"boolean"},"merge":{"type":"boolean"},)"
         R"("order":{"enum":["newest","oldest"]},"follow":{"type":"boolean"},"join":{"type":"boolean"},"zone":{"type":"string"},)"
         R"("limit":{"type":"integer","minimum":256,"maximum":20000},"spool":{"type":"integer","minimum":1,"maximum":1048576},)"
         R"("threads":{"type":"integer","minimum":1,"maximum":16}}})";
}

std::string Settings::read(JSON settings, std::string &setting) {
  path = textOf(member(settings, "path")).value_or("");
  command = textOf(member(settings, "command")).value_or("");
  setting = "path";
  if (path.empty() == command.empty()) {
    return "set either path, a file or a pattern of files, or command, whose output is shown";
  }
  if (!path.empty() && path[0] != '/') {
    return "'" + path + "' is relative: write it from the root, such as /var/log/syslog";
  }
  format.format = textOf(member(settings, "format")).value_or("auto");
  format.pattern = textOf(member(settings, "pattern")).value_or("");
  format.joins = flagOf(member(settings, "join")).value_or(true);
  hasParts = flagOf(member(settings, "parts")).value_or(false);
  isMerged = flagOf(member(settings, "merge")).value_or(false);
  isNewestFirst = textOf(member(settings, "order")).value_or("newest") == "newest";
  follows = flagOf(member(settings, "follow")).value_or(true);
  zone = textOf(member(settings, "zone")).value_or("local");
  setting = "zone";
  if (TimeContext context; !context.setZone(zone)) {
    return "'" + zone + "' is not a zone: write local, UTC or an offset such as +02:00";
  }
  setting = "pattern";
  if (!format.pattern.empty() && format.format != "auto") return "leave out format: the pattern is the format";
  limit = static_cast<size_t>(integerOf(member(settings, "limit")).value_or(16384));
  spoolBytes = static_cast<uint64_t>(integerOf(member(settings, "spool")).value_or(4096)) << 20;
  int64_t processors = static_cast<int64_t>(std::thread::hardware_concurrency());
  threads = static_cast<int>(integerOf(member(settings, "threads")).value_or(processors < 1 ? 1 : processors > 4 ? 4 : processors));
  return {};
}

}  // namespace logs
