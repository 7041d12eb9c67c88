// Log files of any size as a windowed table. docs/plugins/windowed.md explains the messages.

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <clocale>
#include <deque>
#include <set>

#include "conversation.h"
#include "follower.h"
#include "json.h"
#include "settings.h"
#include "table.h"

namespace logs {

/// The maximum number of concurrent queries of the host. Several, so that a query need not wait for
/// the search of another one; an export may add one.
static constexpr int mostRequests = 8;

/// A query that waits for an answer or is being answered.
struct Query {
  int64_t id = 0;
  std::string line;
  std::shared_ptr<std::atomic<bool>> isCancelled = std::make_shared<std::atomic<bool>>(false);
};

/// Answers queries on a few threads.
class Requests {
 public:
  Requests(Conversation &conversation, std::shared_ptr<Table> table, int threads) : conversation_(conversation), table_(std::move(table)) {
    for (int number = 0; number < threads; ++number) std::thread([this] { work(); }).detach();
  }

  void ask(int64_t id, const std::string &line) {
    std::lock_guard<std::mutex> lock(mutex_);
    waiting_.push_back({id, line});
    change_.notify_one();
  }

  void cancel(int64_t id) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto isIt = [&](const Query &query) { return query.id == id; };
    waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), isIt), waiting_.end());
    for (Query &query : current_) {
      if (query.id == id) *query.isCancelled = true;
    }
    table_->wake();
  }

 private:
  void work() {
    Scanner scanner = table_->newScanner();
    simdjson::dom::parser parser;
    while (true) {
      Query query;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        change_.wait(lock, [this] { return !waiting_.empty(); });
        query = waiting_.front();
        waiting_.pop_front();
        current_.push_back(query);
      }
      std::string answer = this->answer(query, parser, scanner);
      {
        std::lock_guard<std::mutex> lock(mutex_);
        current_.erase(std::remove_if(current_.begin(), current_.end(), [&](const Query &other) { return other.id == query.id; }), current_.end());
      }
      if (!*query.isCancelled) conversation_.send(answer);
    }
  }

  std::string answer(const Query &query, simdjson::dom::parser &parser, Scanner &scanner) {
    std::string out = R"({"type":"page","id":)" + std::to_string(query.id);
    JSON root;
    Table::RowRequest request;
    std::string error;
    if (parser.parse(query.line).get(root)) {
      error = "the query is not JSON";
    } else {
      error = read(root, request);
    }
    Table::Answer answer;
    if (error.empty()) {
      request.isCancelled = [&] { return query.isCancelled->load(); };
      answer = table_->rows(request, scanner);
      error = answer.error;
    }
    if (!error.empty()) {
      out += ",\"error\":";
      appendJSON(error, out);
      return out + "}";
    }
    out += ",\"more\":";
    out += answer.hasMore ? "true" : "false";
    out += ",\"count\":" + std::to_string(answer.count);
    if (!answer.end.empty()) {
      out += ",\"begin\":";
      appendJSON(answer.begin, out);
      out += ",\"end\":";
      appendJSON(answer.end, out);
    }
    return out + ",\"rows\":[" + answer.rows + "]}";
  }

  /// Reads a query. Returns an error, or an empty text.
  std::string read(JSON root, Table::RowRequest &request) {
    auto rows = member(root, "rows");
    if (!rows) return "this table has no sections";
    const auto &columns = table_->columns();
    request.isDescending = table_->options().isNewestFirst;
    bool isByLine = false;
    simdjson::dom::array sort;
    if (auto list = member(root, "sort"); list && !list->get(sort)) {
      bool isFirst = true;
      for (JSON term : sort) {
        auto name = textOf(member(term, "column"));
        bool isDescending = flagOf(member(term, "descending")).value_or(false);
        if (name != "time" && name != "line") return "this table sorts by time and line only";
        if (isFirst) {
          request.isDescending = isDescending;
          request.isByTime = name == "time";
          isByLine = name == "line";
        } else if (!isByLine && name == "line") {
          request.reversesTies = isDescending != request.isDescending;
          isByLine = true;
        }
        isFirst = false;
      }
    }
    std::string identity;
    for (const char *name : {"search", "filter"}) {
      if (auto part = member(root, name)) identity += std::string(name) + simdjson::minify(*part);
    }
    std::string error;
    request.view = table_->view(identity, [&]() -> std::shared_ptr<const Filter> {
      auto filter = std::make_shared<Filter>();
      error = filter->read(root, *table_->format(), columns);
      return error.empty() ? filter : nullptr;
    });
    if (!request.view) return error;
    auto after = textOf(member(*rows, "after")), upTo = textOf(member(*rows, "upTo"));
    request.hasAfter = after.has_value();
    request.hasUpTo = upTo.has_value();
    request.after = after.value_or("");
    request.upTo = upTo.value_or("");
    request.skip = static_cast<uint64_t>(std::max<int64_t>(0, integerOf(member(*rows, "skip")).value_or(0)));
    request.count = static_cast<size_t>(std::clamp<int64_t>(integerOf(member(*rows, "count")).value_or(100), 0, 10'000));
    return {};
  }

  Conversation &conversation_;
  std::shared_ptr<Table> table_;
  std::mutex mutex_;
  std::condition_variable change_;
  std::deque<Query> waiting_;
  std::vector<Query> current_;
};

static const char *typeName(Type type) {
  switch (type) {
    case Type::text: return "text";
    case Type::integer: return "integer";
    case Type::number: return "number";
    case Type::boolean: return "boolean";
    case Type::timestamp: return "timestamp";
  }
  return "text";
}

static std::string schemaLine(const Table &table) {
  std::string out = R"({"type":"schema","name":"logs","key":"integer","newest":"top","prefetch":{"inFlight":)" + std::to_string(mostRequests) +
                    R"(,"patience":600000},"columns":[)", names;
  bool isFirst = true;
  for (const Column &column : table.columns()) {
    if (column.isHidden) continue;
    if (!isFirst) out += ',';
    isFirst = false;
    out += "{\"name\":";
    appendJSON(column.name, out);
    out += std::string(",\"type\":\"") + typeName(column.type) + '"';
    if (!column.title.empty()) {
      out += ",\"title\":";
      appendJSON(column.title, out);
    }
    if (!column.style.empty()) out += ",\"style\":\"" + column.style + '"';
    if (!column.form.empty()) out += ",\"format\":\"" + column.form + '"';
    out += '}';
    if (column.name == "line") continue;
    if (!names.empty()) names += ',';
    appendJSON(column.name, names);
  }
  bool hasTime = !table.columns()[timeColumn].isHidden;
  std::string sort = table.options().isMerged ? "\"time\"" : hasTime ? "\"line\",\"time\"" : "\"line\"";
  return out + R"(],"windowed":{"sort":[)" + sort +
         R"(],"filters":["equal","notEqual","order","range","contains","startsWith","matches","oneOf","isEmpty","any","not"],"filterColumns":[)" +
         names + R"(],"searches":true,"count":"exact","paging":"keysetAndOffset","tellsChanges":true,"refresh":50,"cancels":true}})";
}

/// Reads the host's lines until the end of its input, which ends the process.
class Listener {
 public:
  explicit Listener(Conversation &conversation) : conversation_(conversation) {}

  /// Waits for the settings and returns them.
  std::string settings() {
    std::unique_lock<std::mutex> lock(mutex_);
    change_.wait(lock, [this] { return !settings_.empty(); });
    return settings_;
  }
  /// Sets what is done before the process ends.
  void atEnd(std::function<void()> body) {
    std::lock_guard<std::mutex> lock(mutex_);
    onEnd_ = std::move(body);
  }
  void serve(Requests *requests) {
    std::lock_guard<std::mutex> lock(mutex_);
    requests_ = requests;
    for (const auto &[id, line] : early_) requests_->ask(id, line);
    early_.clear();
  }

  void run() {
    simdjson::dom::parser parser;
    LineReader reader;
    std::string line;
    while (reader.next(line)) {
      JSON root;
      if (line.empty() || parser.parse(line).get(root)) continue;
      auto type = textOf(member(root, "type")).value_or("");
      if (type == "health") {
        conversation_.send(R"({"type":"health","id":)" +
                           std::to_string(integerOf(member(root, "id")).value_or(0)) + "}");
      } else if (type == "configure") {
        std::lock_guard<std::mutex> lock(mutex_);
        if (settings_.empty()) settings_ = line;
        change_.notify_all();
      } else if (type == "query") {
        std::lock_guard<std::mutex> lock(mutex_);
        int64_t id = integerOf(member(root, "id")).value_or(0);
        if (requests_) {
          requests_->ask(id, line);
        } else {
          early_.emplace_back(id, line);
        }
      } else if (type == "cancel") {
        std::lock_guard<std::mutex> lock(mutex_);
        simdjson::dom::array ids;
        auto list = member(root, "queries");
        if (!requests_ || !list || list->get(ids)) continue;
        for (JSON id : ids) {
          if (auto number = integerOf(id)) requests_->cancel(*number);
        }
      }
    }
    std::lock_guard<std::mutex> lock(mutex_);
    if (onEnd_) onEnd_();
    _exit(0);
  }

 private:
  Conversation &conversation_;
  std::mutex mutex_;
  std::condition_variable change_;
  std::function<void()> onEnd_;
  std::string settings_;
  Requests *requests_ = nullptr;
  /// The queries received before the table was ready.
  std::vector<std::pair<int64_t, std::string>> early_;
};

static int run() {
  static Conversation conversation;
  conversation.send(R"({"type":"hello","version":1,"capabilities":["health"],"settings":)" + Settings::schema() + "}");
  static Listener listener(conversation);
  std::thread([] { listener.run(); }).detach();
  simdjson::dom::parser parser;
  std::string line = listener.settings(), setting, error;
  JSON root;
  static Settings settings;
  if (parser.parse(line).get(root)) return 1;
  error = settings.read(member(root, "settings").value_or(root), setting);
  if (!error.empty()) {
    conversation.refuse(setting, error);
    return 0;
  }
  static Follower follower(settings, conversation);
  listener.atEnd([] { follower.stop(); });
  std::vector<std::string> lines;
  TimeContext times;
  times.setZone(settings.zone);
  double recordBytes = 100;
  error = follower.findLines(lines, times, recordBytes);
  if (!error.empty()) {
    conversation.refuse("path", error);
    return 0;
  }
  auto format = makeFormat(settings.format, lines, times, error, setting);
  if (!format) {
    conversation.refuse(setting, error);
    return 0;
  }
  std::vector<Column> columns = format->columns();
  bool hasFiles = settings.hasParts || settings.isMerged || settings.path.find_first_of("*?[{") != std::string::npos;
  if (hasFiles) columns.push_back({"file", Type::text, "File", "", "", false});
  columns.push_back({"line", Type::integer, "Line", "", "", false});
  Table::Options options;
  options.limit = settings.limit;
  options.isNewestFirst = settings.isNewestFirst;
  options.isMerged = settings.isMerged;
  options.threads = settings.threads;
  options.follows = settings.follows && settings.command.empty();
  auto table = std::make_shared<Table>(format, columns, options, recordBytes);
  table->onChange = [] { conversation.send(R"({"type":"changed"})"); };
  conversation.send(schemaLine(*table));
  follower.start(table);
  static Requests requests(conversation, table, mostRequests + 1);
  listener.serve(&requests);
  conversation.state(false, "");
  while (true) pause();
}

}  // namespace logs

int main() {
  std::setlocale(LC_CTYPE, "C.UTF-8");
  signal(SIGPIPE, SIG_IGN);
  int code = logs::run();
  fflush(nullptr);
  _exit(code);
}
