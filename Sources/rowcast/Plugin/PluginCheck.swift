import ArgumentParser
import Glibc
import Locales
import PluginExam

/// The command `rowcast plugin check PATH`.
struct PluginCheck: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Runs a plugin under faults, and reports the rules that it breaks.",
    discussion: """
      A folder with a Makefile is built first. Exits with 0 if the plugin passes, else with 1. docs/plugins/exam.md \
      lists the rules of each level.
      """)

  /// The format of a report.
  enum Format: String, ExpressibleByArgument, CaseIterable { case text, json, junit }

  @OptionGroup var choice: PluginChoice

  @Option(help: "The format of the report: text, json or junit.")
  var format = Format.text

  @Option(help: ArgumentHelp("The level that the plugin must reach, 0 to 3.", valueName: "level"))
  var level = 0

  @Option(
    help: ArgumentHelp(
      "The time limit for the first list. Those for an answer and for ending grow with it.", valueName: "seconds"))
  var patience = 10.0

  @Flag(help: "Load a shared library into this process, where a crash of it ends the exam.")
  var inProcess = false

  func validate() throws {
    if inProcess, choice.path?.hasSuffix(".so") != true {
      throw ValidationError("--in-process is for shared libraries: a path that ends with .so")
    }
    guard (0...3).contains(level) else { throw ValidationError("--level must be 0, 1, 2 or 3, not \(level)") }
    guard (0.1...3_600).contains(patience) else {
      throw ValidationError("--patience must be between 0.1 and 3600 seconds, not \(patience)")
    }
  }

  func run() throws {
    var options = ExamOptions()
    options.settings = choice.settings
    options.level = level
    options.patience = .seconds(patience)
    options.longestList = max(options.longestList, options.patience * 6)
    options.answer = max(options.answer, options.patience / 2)
    options.termination = max(options.termination, options.patience / 5)
    options.collators = LocaleCollator.find
    let report =
      if inProcess, let file = try choice.file() {
        Exam.hold(ofLibrary: file, named: choice.name, options)
      } else {
        Exam.hold(of: try choice.program(), named: choice.name, options)
      }
    let text =
      switch format {
      case .text: report.text
      case .json: report.json
      case .junit: report.junit
      }
    announce(String(text.dropLast()))
    if !report.isPassed { throw Verdict() }
  }
}
