/// A rule that an ``Exam`` checks.
///
/// All rules are explained in docs/plugins/exam.md.
/// The raw value is the rule's name in reports.
package enum ExamRule: String, CaseIterable, Comparable, Sendable {
  // MARK: Level 0: rows
  /// The plugin starts, and sends rows or an empty list within the time limit.
  case start
  /// Every line is one JSON object in UTF-8, within the limits of length and depth.
  case lines
  /// The last line ends with a line break.
  case wholeLines = "whole-lines"
  /// Every row has a key and matching cells, and every changed row exists.
  case rows
  /// The plugin does not exit by itself, regardless of the host's input.
  case stays
  /// The plugin exits when it should, and leaves no processes behind.
  case end
  /// After a kill, the plugin restarts with the same columns, and its list replaces the old one.
  case restart
  /// Rows have the same keys after a restart.
  case keys

  // MARK: Level 1: messages
  /// The plugin sends a valid hello.
  case hello
  /// The plugin sends one valid schema, before its rows.
  case schema
  /// Every message has a known type and valid members.
  case messages
  /// Every reload is ended by a commit.
  case commit
  /// The plugin answers health checks if it claims to.
  case health
  /// Invalid settings are refused with a reason, or ignored.
  case settings

  // MARK: Level 2: deferred cells, images and remote tables
  /// Every requested deferred cell and every query is answered.
  case answers
  /// Answers fit their columns.
  case values
  /// The plugin still answers after many cancellations.
  case cancel
  /// The sections of a remote table are complete and contain the rows they claim.
  case sections
  /// The rows of a sorted query arrive in the requested order.
  case order
  /// A filtered or searched query returns exactly the matching rows.
  case filter
  /// The blocks of one query fit together: no gaps, no duplicates, and a correct first row.
  case pages
  /// Every count equals the number of rows.
  case counts
  /// Every image request is answered, and images have a format that browsers can show.
  case images

  // MARK: Level 3: actions
  /// Every action is answered once, and unknown ones with an error.
  case actions

  /// The level that the rule belongs to.
  package var level: Int {
    switch self {
    case .start, .lines, .wholeLines, .rows, .stays, .end, .restart, .keys: 0
    case .hello, .schema, .messages, .commit, .health, .settings: 1
    case .answers, .values, .cancel, .sections, .order, .filter, .pages, .counts, .images: 2
    case .actions: 3
    }
  }

  /// A short description of the rule.
  package var title: String {
    switch self {
    case .start: "it starts, and declares its schema"
    case .lines: "each line is a JSON object"
    case .wholeLines: "the last line has an end"
    case .rows: "each row can be taken"
    case .stays: "it goes on, whatever the host does"
    case .end: "it ends when it is to, and leaves nothing behind"
    case .restart: "it comes back after a sudden end, with its list"
    case .keys: "a row keeps its key after a restart"
    case .hello: "it introduces itself"
    case .schema: "it says its columns, once"
    case .messages: "each message is understood"
    case .commit: "a list that begins has an end"
    case .health: "it answers when asked how it is"
    case .settings: "wrong settings are refused or ignored"
    case .answers: "each deferred cell and each query is answered"
    case .values: "deferred cells fit their column"
    case .cancel: "it goes on after many cancels"
    case .sections: "its sections add up"
    case .order: "its rows are sorted as asked"
    case .filter: "its rows are those that pass the filter"
    case .pages: "its pages fit together"
    case .counts: "its counts are right"
    case .images: "its images can be shown"
    case .actions: "each action is answered"
    }
  }

  /// The remedy for the plugin's author.
  package var remedy: String {
    switch self {
    case .start:
      "print a row (or an empty list: reload and commit) soon after the start, and flush standard "
        + "output after it: into a pipe it is kept back otherwise"
    case .lines:
      "print nothing but one JSON object a line to standard output; what is for people belongs on standard error"
    case .wholeLines: "end each line with a newline, the last one too, and write a line as a whole"
    case .rows:
      "give every row a key of the schema's type (in rows without messages: the member “id”, a text "
        + "or a whole number) and cells of their columns' types; update and delete only rows that are "
        + "there"
    case .stays:
      "let nothing that the host says or does end the program: ignore messages and members that it "
        + "does not know, join lines that come in pieces, and wait when its output is not read"
    case .end: "end when standard input ends and at SIGTERM, and end the processes that it has started"
    case .restart:
      "keep nothing that hinders a second start (locks, temporary files, ports), say the same schema "
        + "again, and begin with reload"
    case .keys: "make the key of what the row stands for, not of a counter or of chance"
    case .hello: "begin with {\"type\":\"hello\",\"version\":1,\"capabilities\":[]}"
    case .schema: "say the schema once, before the first row, with a name, a key, and columns of known types"
    case .messages: "look the message up in docs/plugins/programs.md: its type and its members must be as it says there"
    case .commit:
      "end what begins with reload, and each group of changes if commits is among the capabilities, with commit"
    case .health:
      "answer {\"type\":\"health\"} with any line within five seconds, also while a list is loaded; or do not claim health"
    case .settings:
      "refuse what it cannot take with {\"type\":\"refuse\",\"setting\":...,\"reason\":...}, or ignore "
        + "it; and say settings as a JSON Schema, so that the host checks them"
    case .answers:
      "answer each cell of each load with loaded or failed, also one of a row that is gone; and each query with page"
    case .values: "give a value of the column's type, or null; what cannot be loaded is failed"
    case .cancel: "take cancel as a hint: forget what waits, and go on with what is asked for afterwards"
    case .sections:
      "tell each section of the group once, with the number of its rows, empty values as null; and of "
        + "a section only the rows that are in it"
    case .order:
      "sort by the columns of “sort”, the first one first, empty cells last in both directions, texts "
        + "as the column's collation says, ties always in the same order; or do not name the column in "
        + "“sort” of the schema's “windowed”"
    case .filter:
      "give exactly the rows that pass “filter” and “search”, as docs/protocol.md defines them; or do "
        + "not name the operator in “filters” or the column in “filterColumns” of the schema's “windowed”"
    case .pages:
      "begin with the first row, leave out “skip” rows and no more, go on behind the place “after”, and "
        + "give “count” rows unless the list ends before; “more” is true if rows follow"
    case .counts:
      "count the rows of the query that was asked, with its filter and search; or say “count”: "
        + "“estimated” or “unknown” in the schema's “windowed”"
    case .images:
      "answer each image with a PNG, JPEG, WebP or GIF of at most 524,288 bytes in base64, a missing "
        + "one with null or an error, also after many were cancelled"
    case .actions:
      "answer each action with one acted of the same id, one that it does not know with an error; do nothing for it"
    }
  }

  /// Orders rules as documented.
  package static func < (lhs: Self, rhs: Self) -> Bool {
    allCases.firstIndex(of: lhs)! < allCases.firstIndex(of: rhs)!
  }
}
