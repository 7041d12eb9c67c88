import CListPlugin
import ListEngine
import SourceTesting
import Testing

@testable import LibrarySource

/// Actions that a shared library offers through the C interface.
@Suite struct ActionReaderTests {
  /// Offers one modified action and returns the actions as read, or the reason for refusing them.
  private func read(
    count: UInt32 = 1, stride: Int = MemoryLayout<list_action>.stride,
    _ change: (inout list_action, RequestMemory) -> Void = { _, _ in },
    argument: ((inout list_argument, RequestMemory) -> Void)? = nil
  ) -> (actions: [Action], reason: String) {
    let texts = RequestMemory()
    var action = list_action()
    action.name = texts.text("stop")
    var declared = list_argument(
      name: texts.text("grace"), label: nil, type: LIST_INTEGER.rawValue, choice_count: 0, choices: nil,
      standard: list_null(), minimum: list_null(), maximum: list_null())
    argument?(&declared, texts)
    return withUnsafePointer(to: declared) { arguments in
      if argument != nil {
        action.arguments = arguments
        action.argument_count = 1
        action.argument_size = UInt32(MemoryLayout<list_argument>.stride)
      }
      change(&action, texts)
      // Several actions need distinct names.
      let names = (0..<max(1, Int(count))).map { $0 == 0 ? action.name! : texts.text("stop \($0)") }
      let actions = names.map { name in
        var copy = action
        copy.name = name
        return copy
      }
      return actions.withUnsafeBufferPointer { buffer in
        do throws(ActionReader.Fault) {
          return (try ActionReader.read(buffer.baseAddress, count: count, stride: UInt32(stride)), "")
        } catch {
          return ([], error.reason)
        }
      }
    }
  }

  @Test func `reads all members of an action, or their defaults`() {
    #expect(read().actions == [Action("stop")])
    #expect(
      read { action, texts in
        action.title = texts.text("Stop")
        action.confirm = texts.text("Sure?")
        action.flags = LIST_ACTION_DANGER.rawValue | LIST_ACTION_TABLE.rawValue | 1 << 30
        action.patience_ms = 500
      }.actions == [
        Action(
          "stop", title: "Stop", confirm: "Sure?", isDangerous: true, appliesToRows: false,
          patience: .milliseconds(500))
      ])
  }

  @Test func `reads an argument's label, choices, default and bounds`() {
    let choices = [list_integer(0), list_number(5)]
    choices.withUnsafeBufferPointer { buffer in
      let read = read(argument: { declared, texts in
        declared.label = texts.text("Seconds")
        declared.choice_count = 2
        declared.choices = buffer.baseAddress
        declared.standard = list_integer(5)
        declared.minimum = list_number(-0.5)
        declared.maximum = list_integer(8)
      })
      #expect(
        read.actions.first?.arguments == [
          ActionArgument(
            "grace", .integer, label: "Seconds", choices: [.integer(0), .integer(5)], standard: .integer(5),
            minimum: -0.5, maximum: 8)
        ], "\(read.reason)")
    }
  }

  @Test func `accepts 64 actions and refuses 0 or 65`() {
    #expect(read(count: 0).reason == "action_count must be 1 to 64, not 0")
    #expect(read(count: 64).actions.count == 64)
    #expect(read(count: 65).reason == "action_count must be 1 to 64, not 65")
  }

  @Test func `refuses strides that are too small or misaligned`() {
    #expect(read(stride: 47).reason == "action_size is 47, 48 is needed")
    #expect(read(stride: 40).reason == "action_size is 40, 48 is needed")
    #expect(read(stride: 49).reason == "action_size is 49, 48 is needed")
    #expect(read(stride: 56).actions.count == 1)
    #expect(
      read({ action, _ in action.argument_size = 72 }, argument: { _, _ in }).reason
        == "argument_size of action 'stop' is 72, 80 is needed")
  }

  @Test func `refuses empty names and texts over 255 bytes`() {
    #expect(
      read { action, texts in action.name = texts.text("") }.reason
        == "the name of action 0 must be 1 to 255 bytes of UTF-8")
    #expect(read { action, texts in action.name = texts.text(String(repeating: "n", count: 255)) }.actions.count == 1)
    #expect(
      read { action, texts in action.name = texts.text(String(repeating: "n", count: 256)) }.reason
        == "the name of action 0 must be 1 to 255 bytes of UTF-8")
    #expect(
      read { action, texts in action.confirm = texts.text(String(repeating: "n", count: 256)) }.reason
        == "title and confirm of action 'stop' must be at most 255 bytes of UTF-8")
  }

  @Test func `refuses two actions with the same name`() {
    let texts = RequestMemory()
    var action = list_action()
    action.name = texts.text("stop")
    let two = [action, action]
    #expect(throws: ActionReader.Fault.self) {
      try two.withUnsafeBufferPointer { try ActionReader.read($0.baseAddress, count: 2, stride: 48) }
    }
  }

  @Test func `refuses a patience over ten minutes`() {
    #expect(read { action, _ in action.patience_ms = 600_000 }.actions.first?.patience == .seconds(600))
    #expect(
      read { action, _ in action.patience_ms = 600_001 }.reason
        == "patience_ms of action 'stop' must be at most 600000")
  }

  @Test func `refuses invalid arguments with a reason`() {
    func reason(_ change: @escaping (inout list_argument, RequestMemory) -> Void) -> String {
      read(argument: change).reason
    }
    #expect(
      reason { declared, _ in declared.type = LIST_SERIES.rawValue }
        == "argument 0 of action 'stop' has type 8, which no argument can have")
    #expect(
      reason { declared, _ in declared.minimum = list_boolean(1) }
        == "minimum of argument 0 of action 'stop' is not a number")
    #expect(
      reason { declared, _ in declared.choice_count = 2 } == "the choices of argument 0 of action 'stop' are NULL")
    #expect(
      reason { declared, _ in declared.choice_count = 1_001 }
        == "argument 0 of action 'stop' has 1001 choices, more than 1000")
    #expect(
      reason { declared, _ in
        declared.standard = list_integer(9)
        declared.maximum = list_integer(8)
      }
        == "standard of argument 0 of action 'stop' is invalid: the argument “grace” must be at most 8")
    #expect(
      read({ action, _ in action.argument_count = 33 }, argument: { _, _ in }).reason
        == "action 'stop' has 33 arguments, more than 32")
    #expect(
      read({ action, _ in action.arguments = nil }, argument: { _, _ in }).reason
        == "the arguments of action 'stop' are NULL")
  }
}
