import ListEngine

/// Encoding of actions and of their results.
extension JSONWriter {
  /// Appends a list of actions.
  ///
  /// - Parameter isForHost: Whether to include the timeout, which plugin hosts need and clients do
  ///   not.
  package mutating func actions(_ actions: [Action], isForHost: Bool = false) {
    list(actions) { writer, action in
      writer.object {
        $0.member("name", action.name)
        $0.member("title", action.title)
        $0.member("confirm", action.confirm)
        $0.member("danger", action.isDangerous)
        $0.member("rows", action.appliesToRows)
        if let trial = action.trial { $0.member("trial", trial) }
        if isForHost { $0.member("patience", max(1, action.patience.nanoseconds / 1_000_000)) }
        $0.member("arguments", action.arguments) { $0.argument($1) }
      }
    }
  }

  private mutating func argument(_ argument: ActionArgument) {
    beginObject()
    member("name", argument.name)
    member("label", argument.label)
    member("type", argument.kind.rawValue)
    if !argument.choices.isEmpty {
      member("choices", argument.choices) { $0.value($1) }
    }
    if let standard = argument.standard {
      name("default")
      value(standard)
    }
    if let minimum = argument.minimum {
      name("minimum")
      number(minimum)
    }
    if let maximum = argument.maximum {
      name("maximum")
      number(maximum)
    }
    endObject()
  }

  /// Appends a scalar argument value; values of other types are written as `null`.
  package mutating func value(_ cell: Cell) {
    switch cell {
    case .integer(let value): integer(value)
    case .number(let value): number(value)
    case .text(let value): text(value)
    case .boolean(let value): boolean(value)
    case .null, .timestamp, .image, .series: raw("null")
    }
  }

  mutating func acted(_ id: UInt64, _ token: String?, _ outcome: ActionOutcome) {
    beginObject()
    type("acted")
    member("id", id)
    if let token {
      member("session", token)
    }
    switch outcome {
    case .done(let result):
      member("result", result)
    case .failed(let failure, let reason):
      member("error") {
        $0.member("code", failure.rawValue)
        $0.member("reason", reason)
      }
    }
  }
}
