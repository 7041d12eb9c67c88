/// A row of the table `quotes`. Texts are stored as numbers and written on demand.
public struct Quote: Hashable, Sendable {
  /// The key.
  public var id: Int
  /// The number of the symbol, below 10,000. It determines the sector.
  public var symbol: Int
  /// The price.
  public var price: Double
  /// The size.
  public var size: Int
  /// The bid, slightly below the price.
  public var bid: Double
  /// The ask, slightly above the price.
  public var ask: Double
  /// The time in milliseconds since 1970-01-01T00:00Z.
  public var milliseconds: Int64
  /// Whether the side is `SELL`, not `BUY`.
  public var isSell: Bool
  /// The number that the note is derived from.
  public var note: UInt64

  @usableFromInline
  init(
    id: Int, symbol: Int, price: Double, size: Int, bid: Double, ask: Double, milliseconds: Int64, isSell: Bool,
    note: UInt64
  ) {
    self.id = id
    self.symbol = symbol
    self.price = price
    self.size = size
    self.bid = bid
    self.ask = ask
    self.milliseconds = milliseconds
    self.isSell = isSell
    self.note = note
  }

  /// The length of ``symbolText`` in bytes.
  public static let symbolLength = 8
  /// The length of ``sectorText`` in bytes.
  public static let sectorLength = 9
  /// The length of ``noteText`` in bytes.
  public static let noteLength = 24

  /// Writes a text such as `SYM04158` and returns its length in bytes.
  ///
  /// - Precondition: There is room for ``symbolLength`` bytes.
  @inlinable
  public func writeSymbol(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    Self.write("SYM", into: buffer, at: 0)
    Self.write(decimal: symbol, digits: 5, into: buffer, at: 3)
    return 8
  }

  /// Writes a text such as `Sector-18` and returns its length in bytes.
  ///
  /// - Precondition: There is room for ``sectorLength`` bytes.
  @inlinable
  public func writeSector(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    Self.write("Sector-", into: buffer, at: 0)
    Self.write(decimal: symbol % 20, digits: 2, into: buffer, at: 7)
    return 9
  }

  /// Writes a text such as `note-b5d8c8503fa207b1-01` and returns its length in bytes.
  ///
  /// - Precondition: There is room for ``noteLength`` bytes.
  @inlinable
  public func writeNote(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    Self.write("note-", into: buffer, at: 0)
    for place in 0..<16 {
      let digit = UInt8(truncatingIfNeeded: note &>> UInt64(60 - 4 * place)) & 15
      buffer[5 + place] = digit < 10 ? 48 + digit : 87 + digit
    }
    buffer[21] = 45
    Self.write(decimal: Int(note % 100), digits: 2, into: buffer, at: 22)
    return 24
  }

  /// The symbol as a text, such as `SYM04158`.
  public var symbolText: String { text(Self.symbolLength) { writeSymbol(into: $0) } }
  /// The sector as a text, such as `Sector-18`.
  public var sectorText: String { text(Self.sectorLength) { writeSector(into: $0) } }
  /// The side as a text: `SELL` or `BUY`.
  public var sideText: String { isSell ? "SELL" : "BUY" }
  /// The note as a text, such as `note-b5d8c8503fa207b1-01`.
  public var noteText: String { text(Self.noteLength) { writeNote(into: $0) } }

  private func text(_ length: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int) -> String {
    String(unsafeUninitializedCapacity: length) { write(UnsafeMutableRawBufferPointer($0)) }
  }

  @inlinable
  static func write(_ text: StaticString, into buffer: UnsafeMutableRawBufferPointer, at place: Int) {
    for index in 0..<text.utf8CodeUnitCount { buffer[place + index] = text.utf8Start[index] }
  }

  @inlinable
  static func write(decimal value: Int, digits: Int, into buffer: UnsafeMutableRawBufferPointer, at place: Int) {
    var rest = value
    for index in stride(from: place + digits - 1, through: place, by: -1) {
      buffer[index] = UInt8(48 + rest % 10)
      rest /= 10
    }
  }
}
