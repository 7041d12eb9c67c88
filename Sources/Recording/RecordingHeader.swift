import Foundation
import ListEngine
import Wire

/// The header of a recording.
///
/// A recording starts with the eight bytes `ROWCAST` and 1. Frames follow: the length of the
/// content (4 bytes, little-endian), its CRC-32C (4 bytes), and the content. The first frame is
/// this header as JSON, and all others are records. A file that ends within a frame was not closed
/// properly, and is valid up to that frame.
public struct RecordingHeader: Codable, Hashable, Sendable {
  /// The version of the record format.
  public var version = Self.currentVersion
  /// The identifier of the engine's run.
  public var epoch: String
  /// The engine's limits.
  public var limits: Limits
  /// Whether the engine shares row ids with others; left out for `false`.
  public var sharesRowIDs: Bool?

  /// The version that is written. Version 1 has schemas without actions and images, version 2 has
  /// no table replacements, and version 3 has neither the time of day nor filters by age.
  public static let currentVersion = 4
  /// The versions that can be read.
  static let readableVersions = 2...currentVersion
  static let magic: [UInt8] = Array("ROWCAST".utf8) + [1]
  /// The maximum length of a frame's content.
  static let greatestFrame = 256 << 20

  /// Creates the header of a new recording.
  public init(epoch: String, limits: Limits, sharesRowIDs: Bool = false) {
    self.epoch = epoch
    self.limits = limits
    self.sharesRowIDs = sharesRowIDs ? true : nil
  }

  /// Returns a frame with this content.
  static func frame(_ contents: [UInt8]) -> [UInt8] {
    func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }
    return bytes(UInt32(contents.count)) + bytes(Checksum.of(contents)) + contents
  }
}
