import CWebSockets
import ListEngine
import Wire

/// A table on its way out: what is made of it is what the socket takes, and no more.
struct TableDownload {
  /// How many rows are read at once; a slice ends sooner when it is large enough.
  static let rowsAtOnce = 64
  private static let greatestSliceCount = 64
  /// When a piece is large enough to be sent.
  static let pieceSize = 16_384

  let id: ExportID
  let schema: Schema
  let format: ExportFormat
  /// In whose share it is.
  let token: AccessToken?
  var pace: DownloadPace
  /// What the browser calls it.
  var fileName: String { "\(schema.name).\(format.rawValue)" }
  private var isHeadSent = false
  private var isEndSent = false

  init(_ id: ExportID, schema: Schema, format: ExportFormat, for token: AccessToken?, pace: DownloadPace) {
    self.id = id
    self.schema = schema
    self.format = format
    self.token = token
    self.pace = pace
  }

  enum Piece {
    case notYet
    /// A chunk with its frame (RFC 9112, 7.1).
    case chunk([UInt8])
    case end
    /// The rest is missing, for this reason: what was sent must not look whole.
    case cut(String)
  }

  /// What is to be sent next.
  mutating func nextPiece(_ read: (Int) -> ExportSlice) -> Piece {
    guard !isEndSent else { return .end }
    var body: [UInt8] = []
    body.reserveCapacity(Self.pieceSize + 4_096)
    if !isHeadSent {
      isHeadSent = true
      body = format.head(schema)
    }
    var isAtEnd = false
    var slices = 0
    // Of rows that have gone nothing is made, and yet they take time.
    reading: while body.count < Self.pieceSize, slices < Self.greatestSliceCount {
      slices += 1
      switch read(Self.rowsAtOnce) {
      case .notYet:
        if body.isEmpty { return .notYet }
        break reading
      case .rows(let rows): for row in rows { format.append(row, schema, to: &body) }
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
      // Whoever does not get this knows that something is missing.
      chunk += Array("0\r\n\r\n".utf8)
      isEndSent = true
    }
    return .chunk(chunk)
  }
}
