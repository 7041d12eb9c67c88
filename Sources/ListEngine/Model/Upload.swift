/// A part of a request by which a client sends rows to a source.
///
/// The identifier is never reused. Every upload that began is answered by one
/// ``UploadAnswer/ended(_:_:)`` unless it was abandoned.
public enum UploadRequest: Sendable {
  /// The beginning of an upload.
  case begin(UInt64, UploadHead)
  /// Further bytes of the body; each needs an ``UploadAnswer/taken(_:byteCount:)``.
  case bytes(UInt64, [UInt8])
  /// The end of the body, or of the part that one request may have.
  case end(UInt64, isWhole: Bool = true)
  /// The loss of the connection before the end of the body.
  case abandon(UInt64)

  /// The identifier of the upload.
  public var id: UInt64 {
    switch self {
    case .begin(let id, _), .bytes(let id, _), .end(let id, _), .abandon(let id): id
    }
  }
}

/// The properties of an upload that precede its body.
public struct UploadHead: Hashable, Sendable {
  /// The media type without parameters in lower case, or empty.
  public var mediaType: String
  /// Whether the body is the complete list, so that rows missing from it are deleted at its end.
  public var replaces: Bool

  /// Creates a head.
  public init(mediaType: String = "", replaces: Bool = false) {
    self.mediaType = mediaType
    self.replaces = replaces
  }
}

/// A message about an upload.
public enum UploadAnswer: Sendable {
  /// The number of further bytes that were processed.
  case taken(UInt64, byteCount: Int)
  /// The result after the last row.
  case ended(UInt64, UploadReport)
}

/// The result of an upload.
public struct UploadReport: Hashable, Sendable {
  /// The maximum number of ``reasons``.
  public static let greatestReasonCount = 20

  /// The number of rows that the table has taken.
  public var accepted = 0
  /// The number of rows that were left out.
  public var rejected = 0
  /// The number of faults, among them those of cells that stay empty in an accepted row.
  public var faults = 0
  /// The number of complete lines of the body.
  public var lines = 0
  /// The first faults, each with its line.
  public var reasons: [String] = []
  /// The reason why the upload as a whole was refused or not finished, or `nil`.
  public var failure: Failure?

  /// A reason that concerns an upload as a whole.
  public enum Failure: Hashable, Sendable {
    /// Another client sends a complete list at the same time.
    case conflict(String)
    /// The body is not text.
    case unreadable(String)
    /// The source takes no rows now.
    case unavailable(String)

    /// The reason in words.
    public var reason: String {
      switch self {
      case .conflict(let reason), .unreadable(let reason), .unavailable(let reason): reason
      }
    }
  }

  /// Creates a report without rows.
  public init(failure: Failure? = nil) { self.failure = failure }

  /// Counts faults, and keeps the first reasons.
  public mutating func note(faults count: Int, _ further: some Sequence<String>) {
    faults += count
    reasons += further.prefix(Self.greatestReasonCount - reasons.count)
  }
}
