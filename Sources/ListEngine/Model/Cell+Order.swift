extension Cell {
  /// Returns whether a cell of a column stands before another one: by value, ascending, null last.
  ///
  /// - Precondition: Both have the same type, or are null.
  static func precedes(_ a: Cell, _ b: Cell) -> Bool {
    switch (a, b) {
    case (.null, _): false
    case (_, .null): true
    case (.integer(let x), .integer(let y)), (.timestamp(let x), .timestamp(let y)): x < y
    case (.number(let x), .number(let y)): x < y
    case (.boolean(let x), .boolean(let y)): !x && y
    case (.text(let x), .text(let y)), (.image(let x), .image(let y)): x.utf8.lexicographicallyPrecedes(y.utf8)
    case (.series(let x), .series(let y)): x.lexicographicallyPrecedes(y)
    default: preconditionFailure("a column holds both \(a) and \(b)")
    }
  }
}
