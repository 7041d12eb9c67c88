import ListEngine

/// Encoding of actions and of their results.
extension JSONWriter {
  /// Appends a list of actions.
  ///
  /// - Parameter isForHost: Whether to include the timeout, which plugin hosts need and clients do
  ///   not.
  package mutating func actions(_ actions: [Action], isForHost: Bool = false) {
    byte("[")
    for (place, action) in actions.enumerated() {
      if place > 0 { byte(",") }
      raw("{\"name\":")
      text(action.name)
      raw(",\"title\":")
      text(action.title)
      raw(",\"confirm\":")
      text(action.confirm)
      raw(",\"danger\":")
      boolean(action.isDangerous)
      raw(",\"rows\":")
      boolean(action.appliesToRows)
      if isForHost {
        raw(",\"patience\":")
        integer(max(1, action.patience.nanoseconds / 1_000_000))
      }
      raw(",\"arguments\":[")
      for (number, argument) in action.arguments.enumerated() {
        if number > 0 { byte(",") }
        self.argument(argument)
      }
      raw("]}")
    }
    byte("]")
  }

  private mutating func argument(_ argument: ActionArgument) {
    raw("{\"name\":")
    text(argument.name)
    raw(",\"label\":")
    text(argument.label)
    raw(",\"type\":")
    text(argument.kind.rawValue)
    if !argument.choices.isEmpty {
      raw(",\"choices\":[")
      for (number, choice) in argument.choices.enumerated() {
        if number > 0 { byte(",") }
        value(choice)
      }
      byte("]")
    }
    if let standard = argument.standard {
      raw(",\"default\":")
      value(standard)
    }
    if let minimum = argument.minimum {
      raw(",\"minimum\":")
      number(minimum)
    }
    if let maximum = argument.maximum {
      raw(",\"maximum\":")
      number(maximum)
    }
    byte("}")
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

  private mutating func boolean(_ flag: Bool) { flag ? raw("true") : raw("false") }

  mutating func acted(_ id: UInt64, _ token: String?, _ outcome: ActionOutcome) {
    raw("{\"type\":\"acted\",\"id\":")
    unsigned(id)
    if let token {
      raw(",\"session\":")
      text(token)
    }
    switch outcome {
    case .done(let result):
      raw(",\"result\":")
      text(result)
    case .failed(let failure, let reason):
      raw(",\"error\":{\"code\":")
      text(failure.rawValue)
      raw(",\"reason\":")
      text(reason)
      byte("}")
    }
  }
}
