/// The figures of one table for the metrics.
package struct ClusterFigures: Sendable {
  /// The table's name.
  package var table: String
  /// Whether the table is published here; otherwise it is relayed.
  package var isPublished: Bool
  /// The fencing number of the lease, or of the publisher that a relay follows; `nil` if there is
  /// none.
  package var fence: UInt64?
  /// The number of messages written or read.
  package var messages: UInt64 = 0
  /// The number of messages that the stream has and the relay has not read.
  package var lagMessages: UInt64 = 0
  /// The age of the oldest event in the last message when it was written or read, in seconds.
  package var lagSeconds: Double = 0
  /// The age of the last snapshot that was written or read, in seconds; `nil` without one.
  package var snapshotAge: Double?
  /// The number of snapshots written or read.
  package var snapshots: UInt64 = 0
}
