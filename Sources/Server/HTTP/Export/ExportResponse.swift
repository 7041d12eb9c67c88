import CWebSockets
import ListEngine
import Wire

/// An export in progress, encoded only as fast as the socket accepts it.
struct ExportResponse {
  /// The maximum number of rows per read; a slice ends earlier when it is large enough.
  static let rowsAtOnce = 64
  private static let greatestSliceCount = 64
  /// The size at which a piece is sent, in bytes.
  static let pieceSize = 16_384

  let id: ExportID
  let schema: Schema
  let format: ExportFormat
  let layout: ExportLayout
  /// The token whose share the export counts towards.
  let token: AccessToken?
  var pace: ExportPace
  /// The file name suggested to the browser.
  var fileName: String { "\(schema.name).\(format.fileExtension(layout))" }
  private var isHeadSent = false
  private var isEndSent = false

  init(
    _ id: ExportID, schema: Schema, format: ExportFormat, layout: ExportLayout, for token: AccessToken?,
    pace: ExportPace
  ) {
    self.id = id
    self.schema = schema
    self.format = format
    self.layout = layout
    self.token = token
    self.pace = pace
  }

  enum Piece {
    case notYet
    /// A chunk with its framing (RFC 9112, 7.1).
    case chunk([UInt8])
    case end
    /// The export failed for this reason; the file must not look complete.
    case cut(String)
  }

  /// Returns the next piece to send.
  mutating func nextPiece(_ read: (Int) -> ExportSlice) -> Piece {
    guard !isEndSent else { return .end }
    var body: [UInt8] = []
    body.reserveCapacity(Self.pieceSize + 4_096)
    if !isHeadSent {
      isHeadSent = true
      body = format.head(schema, layout)
    }
    var isAtEnd = false
    var slices = 0
    // Rows that were deleted meanwhile produce no bytes but take time, so the slices are bounded,
    // too.
    reading: while body.count < Self.pieceSize, slices < Self.greatestSliceCount {
      slices += 1
      switch read(Self.rowsAtOnce) {
      case .notYet:
        if body.isEmpty { return .notYet }
        break reading
      case .rows(let rows): for row in rows { format.append(row, schema, layout, to: &body) }
      case .end:
        isAtEnd = true
        break reading
      case .refused(let error):
        if body.isEmpty { return .cut(error.reason) }
        break reading
      case .failed(let reason):
        if body.isEmpty { return .cut(reason) }
        break reading
      }
    }
    var chunk: [UInt8] = []
    if !body.isEmpty { chunk = Array("\(String(body.count, radix: 16))\r\n".utf8) + body + Array("\r\n".utf8) }
    if isAtEnd {
      // Without the final chunk, the client detects a truncated file.
      chunk += Array("0\r\n\r\n".utf8)
      isEndSent = true
    }
    return .chunk(chunk)
  }
}
