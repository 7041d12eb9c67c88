/// The names of a table's streams, subjects and keys in NATS.
///
/// Letters, digits, `-` and `_` of the table's name stay as they are. Each other byte becomes `=`
/// and two hexadecimal digits.
struct TableNames: Hashable {
  /// The bucket of the leases.
  static let leaseBucket = "ROWCAST_LEASES"
  /// The bucket with the newest whole snapshot of each table.
  static let tableBucket = "ROWCAST_TABLES"
  /// The bucket of what all relays share.
  static let clusterBucket = "ROWCAST_CLUSTER"
  /// The key of the relays' epoch. It names the way in which row ids follow from keys.
  static let epochKey = "epoch-1"
  /// The stream of all snapshots.
  static let snapshotStream = "ROWCAST-SNAPSHOTS"
  /// The subjects of all snapshots.
  static let snapshotSubjects = "rowcast.snapshot.>"

  /// The greatest length of a token. NATS allows 255 bytes for the name of a stream.
  static let greatestToken = 220

  /// The table's name as a part of a subject, and as the key in both buckets.
  let token: String

  init(_ table: String) {
    var token = ""
    for byte in table.utf8 {
      let scalar = Unicode.Scalar(byte)
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", "-", "_": token.unicodeScalars.append(scalar)
      default: token += "=" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }
    self.token = token
  }

  /// Creates the names of a part of a table: those of the table, followed by `==` and the first
  /// key, and `==` and the end, which are empty at the ends of all keys.
  ///
  /// No table has such names, because `=` is followed by two digits there.
  init(_ table: String, part: KeyRange?) {
    var token = TableNames(table).token
    if let part { token += "==\(TableNames(part.from.text).token)==\(TableNames(part.to.text).token)" }
    self.init(token: token)
  }

  /// Creates the names of a table whose key in a bucket is known.
  init(token: String) { self.token = token }

  /// The table's stream of changes.
  var stream: String { "ROWCAST_\(token)" }
  /// The subject of the changes.
  var changes: String { "rowcast.changes.\(token)" }
  /// The subject of requests for actions.
  var actions: String { "rowcast.act.\(token)" }
  /// The subject of requests for deferred cells.
  var loads: String { "rowcast.load.\(token)" }
  /// The subject of requests for images.
  var images: String { "rowcast.image.\(token)" }
  /// The subject of requests for rows of a windowed table.
  var queries: String { "rowcast.query.\(token)" }
  /// The subject of all snapshots of the table.
  var snapshots: String { "rowcast.snapshot.\(token).>" }

  /// The subject of the chunks of one snapshot.
  func snapshot(_ id: String) -> String { "rowcast.snapshot.\(token).\(id)" }
}
