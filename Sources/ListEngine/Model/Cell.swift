/// A value of a row in one column.
///
/// Texts are equal if their bytes are equal, without Unicode normalization.
public enum Cell: Sendable {
  /// No value.
  case null
  /// A 64-bit integer.
  case integer(Int64)
  /// A finite number; a source's NaN or infinity becomes `null`.
  case number(Double)
  /// A string.
  case text(String)
  /// A boolean.
  case boolean(Bool)
  /// A time in nanoseconds since 1970-01-01T00:00Z.
  case timestamp(Int64)
  /// The key of an image that the source can load.
  case image(String)
  /// A short run of finite numbers, drawn as a sparkline.
  case series([Double])
}

extension Cell: Hashable {
  /// Whether both values are equal, with texts compared bytewise.
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

  /// Hashes the value.
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

/// The source's identifier of a row.
public enum RowKey: Hashable, Codable, Sendable {
  /// A number, such as a process identifier.
  case integer(Int64)
  /// A string, such as a path.
  case text(String)
}

extension RowKey: CustomStringConvertible {
  /// The key as text, for display.
  public var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .text(let value): value
    }
  }
}

/// The engine's identifier of a row.
///
/// It is never reused for another key during a run of the engine. Values stay below 2^53, so that
/// JavaScript represents them exactly.
public struct RowID: Hashable, Comparable, Codable, Sendable {
  /// The identifier's number.
  public let rawValue: UInt64

  /// Creates the identifier with this number.
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Whether `lhs` has the smaller number, which does not reflect age.
  public static func < (lhs: RowID, rhs: RowID) -> Bool { lhs.rawValue < rhs.rawValue }
}
