/// A 32-bit digest of a window's row identifiers and revisions.
///
/// Clients compare it to verify their copy of the window.
///
/// Each step multiplies by 2^32/φ and applies an xor-shift. Both are bijections of the state, so a
/// single differing value always changes the digest. `docs/protocol.md` defines it for clients.
public struct Digest {
  /// The current value.
  public private(set) var value: UInt32 = 0x811C_9DC5

  /// Creates the digest of a window's position, before its items.
  public init(start: Int, total: Int) {
    mix(UInt32(truncatingIfNeeded: start))
    mix(UInt32(truncatingIfNeeded: total))
  }

  /// Adds a header that lies above the window.
  public mutating func add(leadSection: UInt32, revision: UInt32) {
    mix(3)
    mix(leadSection)
    mix(revision)
  }

  /// Adds a header.
  ///
  /// The collapsed state is separate because it belongs to the session and does not change the
  /// revision.
  public mutating func add(section: UInt32, revision: UInt32, isCollapsed: Bool) {
    mix(isCollapsed ? 4 : 2)
    mix(section)
    mix(revision)
  }

  /// Adds a row.
  public mutating func add(row: RowID, revision: UInt32) {
    mix(1)
    mix(UInt32(truncatingIfNeeded: row.rawValue))
    mix(UInt32(truncatingIfNeeded: row.rawValue >> 32))
    mix(revision)
  }

  private mutating func mix(_ word: UInt32) {
    value = (value ^ word) &* 0x9E37_79B1
    value ^= value >> 15
  }

  static func of(start: Int, total: Int, lead: [HeaderSnapshot], items: [WindowItem]) -> UInt32 {
    var digest = Digest(start: start, total: total)
    for header in lead { digest.add(leadSection: header.section, revision: header.revision) }
    for item in items {
      switch item {
      case .row(let row): digest.add(row: row.id, revision: row.revision)
      case .header(let header):
        digest.add(section: header.section, revision: header.revision, isCollapsed: header.isCollapsed)
      }
    }
    return digest.value
  }
}
