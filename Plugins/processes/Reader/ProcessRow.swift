/// One process, as it was when it was looked at.
public struct ProcessRow: Hashable, Sendable {
  /// Its number; used again after it has ended.
  public var pid: Int32
  /// When it was started, in the kernel's ticks since the machine was.
  public var startTicks: UInt64
  /// Whose it is: a name, or the number of a user without one.
  public var user: String
  /// Its short name, at most 15 bytes.
  public var name: String
  /// What it does, such as `running`.
  public var state: String
  /// How much of one core it has used since it was looked at last, in percent; 0 the first time.
  public var cpu: Double
  /// How much of its memory is resident, in bytes.
  public var memory: Int64
  /// How many threads it has.
  public var threads: Int64
  /// When it was started, in nanoseconds since 1970; nil when the machine does not tell when it was started itself.
  public var started: Int64?
  /// Its command line; its name in brackets when it has none.
  public var command: String

  /// A number that no other process has while the machine is up: a pid that is used again has another start.
  public var key: Int64 { Self.key(pid: pid, startTicks: startTicks) }

  /// The key of the process with this number that was started then.
  static func key(pid: Int32, startTicks: UInt64) -> Int64 {
    // Linux has no pid beyond 2^22; the ticks of seven centuries fit above.
    Int64(truncatingIfNeeded: startTicks << 22 | UInt64(UInt32(bitPattern: pid)))
  }

  /// The number of the process with this key.
  public static func pid(ofKey key: Int64) -> Int32 { Int32(truncatingIfNeeded: key & (1 << 22 - 1)) }
}
