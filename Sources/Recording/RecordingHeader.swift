import Foundation
import ListEngine

/// What a recording says before its first record.
///
/// A recording is the eight bytes `ROWCAST` and 1, then frames: the length of a frame's contents (4 bytes, little-endian), their CRC-32C (4),
/// and they themselves. The first frame is this, as JSON; every other is a record. A file that ends within a frame was not closed, and
/// is good up to there.
public struct RecordingHeader: Codable, Hashable, Sendable {
  /// The version of the records.
  public var version = Self.currentVersion
  /// The name of the run.
  public var epoch: String
  /// The bounds that were in force.
  public var limits: Limits

  /// This rowcast writes this version. Schemas of version 1 said nothing of actions and images; in version 2 no table took the place of another.
  public static let currentVersion = 3
  /// It reads these.
  static let readableVersions = 2...currentVersion
  static let magic: [UInt8] = Array("ROWCAST".utf8) + [1]
  /// No record is longer.
  static let greatestFrame = 256 << 20

  /// What a new recording begins with.
  public init(epoch: String, limits: Limits) {
    self.epoch = epoch
    self.limits = limits
  }

  /// A frame around these contents.
  static func frame(_ contents: [UInt8]) -> [UInt8] {
    func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }
    return bytes(UInt32(contents.count)) + bytes(Checksum.of(contents)) + contents
  }
}
