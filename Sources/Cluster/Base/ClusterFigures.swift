/// The figures of one table for the metrics.
package struct ClusterFigures: Sendable {
  /// The table's name.
  package var table: String
  /// The keys of the part, such as `a..m`; `nil` if the table is not split.
  package var keys: String? = nil
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
  /// The number of changes that a publisher has left out, because their keys are not its own; `nil`
  /// if the table is not split.
  package var filtered: UInt64? = nil
  /// The number of other live publishers with some of the same keys; `nil` if it is not counted.
  package var overlaps: Int? = nil
  /// The number of snapshots written or read.
  package var snapshots: UInt64 = 0
}
