/// The number by which a page proves that its copy of a window is the engine's: 32 bits over ids and revisions.
///
/// The mixing step is a multiplication by 2^32/φ and an xor-shift: each is a bijection of the state, so one differing value
/// always leads to another state. docs/protocol.md defines it for clients.
public struct Digest {
  /// The number so far.
  public private(set) var value: UInt32 = 0x811C_9DC5

  /// The digest of a window with this place, before its items.
  public init(start: Int, total: Int) {
    mix(UInt32(truncatingIfNeeded: start))
    mix(UInt32(truncatingIfNeeded: total))
  }

  /// Takes in a header that lies above the window.
  public mutating func add(leadSection: UInt32, revision: UInt32) {
    mix(3)
    mix(leadSection)
    mix(revision)
  }

  /// Takes in a header. Whether it is collapsed is the page's own affair, and has no part in its revision.
  public mutating func add(section: UInt32, revision: UInt32, isCollapsed: Bool) {
    mix(isCollapsed ? 4 : 2)
    mix(section)
    mix(revision)
  }

  /// Takes in a row.
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
