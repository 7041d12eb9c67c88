/// What an ``Exam`` looks at; docs/plugins.md explains each.
///
/// The raw value is what reports call it.
public enum ExamRule: String, CaseIterable, Comparable, Sendable {
  // MARK: Level 0: rows
  /// It can be started, and tells rows or an empty list before our patience is at its end.
  case start
  /// Every line is one JSON object in UTF-8, no longer and no deeper than may be.
  case lines
  /// The last line has an end.
  case wholeLines = "whole-lines"
  /// Every row has a key and the cells that the table wants, and what is changed is there.
  case rows
  /// It does not end by itself, whatever the host does.
  case stays
  /// It ends when it is to end, and leaves no process behind.
  case end
  /// It comes back after a sudden end, with the same columns, and its list replaces the old one.
  case restart
  /// Rows have the same keys after a restart.
  case keys

  // MARK: Level 1: messages
  /// It introduces itself as the protocol wants.
  case hello
  /// It says its columns once, before its rows, and they can be.
  case schema
  /// Every message is one that there is, with what belongs into it.
  case messages
  /// A list that it begins has an end.
  case commit
  /// It answers when it is asked whether it is well, if it has said so.
  case health
  /// Settings that cannot be are refused with a reason, or ignored.
  case settings

  // MARK: Level 2: deferred cells, images, and tables whose rows it keeps
  /// Each deferred cell and each query that it is asked is answered.
  case answers
  /// What it answers fits the column.
  case values
  /// It goes on answering after cells or queries were cancelled again and again.
  case cancel
  /// The sections that it tells of rows it keeps add up, and hold what they say.
  case sections
  /// The rows of a sorted query come in the order that was asked for.
  case order
  /// Rows that a filter or a search leaves out do not come, and those that pass do.
  case filter
  /// Pages of one query fit together: no gap, no row twice, and the first row is the first.
  case pages
  /// A count is the number of rows.
  case counts
  /// Each image that it is asked for is answered, with what a page can show.
  case images

  // MARK: Level 3: actions
  /// Each action is answered, once, and one that there is not with an error.
  case actions

  /// The level that a rule belongs to.
  public var level: Int {
    switch self {
    case .start, .lines, .wholeLines, .rows, .stays, .end, .restart, .keys: 0
    case .hello, .schema, .messages, .commit, .health, .settings: 1
    case .answers, .values, .cancel, .sections, .order, .filter, .pages, .counts, .images: 2
    case .actions: 3
    }
  }

  /// What is looked at, in a few words.
  public var title: String {
    switch self {
    case .start: "it starts, and tells what it has"
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

  /// What an author does about a finding.
  public var remedy: String {
    switch self {
    case .start:
      "print a row (or an empty list: reload and commit) soon after the start, and flush standard output after it: into a pipe it is "
        + "kept back otherwise"
    case .lines:
      "print nothing but one JSON object a line to standard output; what is for people belongs on standard error"
    case .wholeLines: "end each line with a newline, the last one too, and write a line as a whole"
    case .rows:
      "give every row a key of the schema's type (in rows without messages: the member “id”, a text or a whole number) and cells of their "
        + "columns' types; update and delete only rows that are there"
    case .stays:
      "let nothing that the host says or does end the program: ignore messages and members that it does not know, join lines that come "
        + "in pieces, and wait when its output is not read"
    case .end: "end when standard input ends and at SIGTERM, and end what was started beside"
    case .restart:
      "keep nothing that hinders a second start (locks, temporary files, ports), say the same schema again, and begin with reload"
    case .keys: "make the key of what the row stands for, not of a counter or of chance"
    case .hello: "begin with {\"type\":\"hello\",\"version\":1,\"capabilities\":[]}"
    case .schema: "say the schema once, before the first row, with a name, a key, and columns of known types"
    case .messages: "look the message up in docs/plugins.md: its type and its members must be as it says there"
    case .commit:
      "end what begins with reload, and each group of changes if commits is among the capabilities, with commit"
    case .health:
      "answer {\"type\":\"health\"} with any line within five seconds, also while a list is loaded; or do not claim health"
    case .settings:
      "refuse what it cannot take with {\"type\":\"refuse\",\"setting\":...,\"reason\":...}, or ignore it; and say settings as a JSON "
        + "Schema, so that the host checks them"
    case .answers:
      "answer each cell of each load with loaded or failed, also one of a row that is gone; and each query with page"
    case .values: "give a value of the column's type, or null; what cannot be loaded is failed"
    case .cancel: "take cancel as a hint: forget what waits, and go on with what is asked for afterwards"
    case .sections:
      "tell each section of the group once, with the number of its rows, empty values as null; and of a section only the rows that are in it"
    case .order:
      "sort by the columns of “sort”, the first one first, empty cells last in both directions, texts as the column's collation says, ties "
        + "always in the same order; or do not name the column in “sort” of the schema's “windowed”"
    case .filter:
      "give exactly the rows that pass “filter” and “search”, as docs/protocol.md says what they mean; or do not name the operator in "
        + "“filters” or the column in “filterColumns” of the schema's “windowed”"
    case .pages:
      "begin with the first row, leave out “skip” rows and no more, go on behind the place “after”, and give “count” rows unless the list ends "
        + "before; “more” says whether rows follow"
    case .counts:
      "count the rows of the query that was asked, with its filter and search; or say “count”: “estimated” or “unknown” in the schema's “windowed”"
    case .images:
      "answer each image with a PNG, JPEG, WebP or GIF of at most 524,288 bytes in base64, one that there is not with null or an error, also "
        + "after many were cancelled"
    case .actions:
      "answer each action with one acted of the same id, one that it does not know with an error; do nothing for it"
    }
  }

  /// In the order in which they are explained.
  public static func < (lhs: Self, rhs: Self) -> Bool {
    allCases.firstIndex(of: lhs)! < allCases.firstIndex(of: rhs)!
  }
}
