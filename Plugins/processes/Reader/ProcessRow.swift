/// The state of one process.
public struct ProcessRow: Hashable, Sendable {
  /// The process id, which the kernel may reuse after the process has ended.
  public var pid: Int32
  /// The start time in kernel ticks since boot.
  public var startTicks: UInt64
  /// The owner's name, or user id if the name is unknown.
  public var user: String
  /// The short name, at most 15 bytes.
  public var name: String
  /// The scheduler state, such as `running`.
  public var state: String
  /// The CPU time used since the previous read, in percent of one core; 0 in the first read.
  public var cpu: Double
  /// The resident memory in bytes.
  public var memory: Int64
  /// The number of threads.
  public var threads: Int64
  /// The start time in nanoseconds since 1970-01-01T00:00Z; nil if the boot time is unknown.
  public var started: Int64?
  /// Whether the process is a thread of the kernel.
  public var isKernel: Bool
  /// The command line, or the name in brackets if it is empty.
  public var command: String

  /// A key that is unique until the machine reboots, even if a process id is reused.
  public var key: Int64 { Self.key(pid: pid, startTicks: startTicks) }

  /// Returns the key of the process with this id and start time.
  static func key(pid: Int32, startTicks: UInt64) -> Int64 {
    // Linux ids are below 2^22. The ticks of seven centuries fit into the other bits.
    Int64(truncatingIfNeeded: startTicks << 22 | UInt64(UInt32(bitPattern: pid)))
  }

  /// Returns the process id of a key.
  public static func pid(ofKey key: Int64) -> Int32 { Int32(truncatingIfNeeded: key & (1 << 22 - 1)) }
}
