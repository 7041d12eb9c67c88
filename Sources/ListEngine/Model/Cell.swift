/// One value of one row: what a source gives and a page shows.
///
/// Texts are equal when their bytes are: two spellings of one accented letter are two values, as they are two on the page.
public enum Cell: Sendable {
  /// Empty.
  case null
  /// A whole number.
  case integer(Int64)
  /// A number; always finite (a source's NaN or infinity becomes `null`).
  case number(Double)
  /// A text.
  case text(String)
  /// Yes or no.
  case boolean(Bool)
  /// Nanoseconds since 1970-01-01T00:00Z.
  case timestamp(Int64)
  /// The key of an image that the source can load.
  case image(String)
  /// A short run of finite numbers, drawn as a sparkline.
  case series([Double])
}

extension Cell: Hashable {
  /// Whether both are the same value, byte by byte.
  public static func == (lhs: Cell, rhs: Cell) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.integer(let x), .integer(let y)), (.timestamp(let x), .timestamp(let y)): x == y
    case (.number(let x), .number(let y)): x == y
    case (.boolean(let x), .boolean(let y)): x == y
    case (.text(let x), .text(let y)), (.image(let x), .image(let y)): x.utf8.elementsEqual(y.utf8)
    case (.series(let x), .series(let y)): x == y
    default: false
    }
  }

  /// Feeds the value into a hasher.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null: hasher.combine(0)
    case .integer(let value), .timestamp(let value): hasher.combine(value)
    case .number(let value): hasher.combine(value)
    case .boolean(let value): hasher.combine(value)
    case .text(var value), .image(var value): value.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    case .series(let value): hasher.combine(value)
    }
  }
}

/// The source's own name for a row.
public enum RowKey: Hashable, Codable, Sendable {
  /// A number, such as a pid.
  case integer(Int64)
  /// A text, such as a path.
  case text(String)
}

extension RowKey: CustomStringConvertible {
  /// The key as a person would write it.
  public var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .text(let value): value
    }
  }
}

/// The engine's name for a row: never used again while the engine runs, and below 2^53, so that every client can hold it.
public struct RowID: Hashable, Comparable, Codable, Sendable {
  /// The number itself.
  public let rawValue: UInt64

  /// The id with this number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Whether `lhs` has the smaller number; says nothing about age.
  public static func < (lhs: RowID, rhs: RowID) -> Bool { lhs.rawValue < rhs.rawValue }
}
