import Synchronization

/// A source's settings, read in its `init`.
///
///     init(_ configuration: Configuration) throws {
///       rows = try configuration.integer("rows", default: 1_000, in: 1...1_000_000)
///     interval = try configuration.duration(
///       "interval", default: .seconds(1), in: .milliseconds(10) ... .seconds(3600))
///     }
///
/// It records the keys that the source reads. The host refuses all other keys with a list of the
/// known ones.
public final class Configuration: Sendable {
  private let values: [String: String]
  private let known = Mutex<Set<String>>([])

  /// Creates a configuration from keys and values.
  public init(_ values: [String: String]) { self.values = values }

  /// Returns a setting's text, or nil if it is not set.
  public func text(_ key: String) -> String? {
    _ = known.withLock { $0.insert(key) }
    return values[key]
  }

  /// Returns a setting's text, or the default.
  public func text(_ key: String, default standard: String) -> String { text(key) ?? standard }

  /// Returns an integer setting.
  public func integer(
    _ key: String, default standard: Int, in range: ClosedRange<Int> = .min ... .max
  ) throws(ConfigurationError) -> Int {
    guard let text = text(key) else { return standard }
    guard let value = Int(text) else { throw ConfigurationError(key, "'\(text)' is not a whole number") }
    return try check(value, key, text, range)
  }

  /// Returns a number setting.
  public func number(
    _ key: String, default standard: Double, in range: ClosedRange<Double> = -.infinity ... .infinity
  ) throws(ConfigurationError) -> Double {
    guard let text = text(key) else { return standard }
    guard let value = Double(text), value.isFinite else { throw ConfigurationError(key, "'\(text)' is not a number") }
    return try check(value, key, text, range)
  }

  /// Returns a duration setting, which is written in seconds.
  public func duration(
    _ key: String, default standard: Duration, in range: ClosedRange<Duration> = .zero ... .seconds(1_000_000_000)
  ) throws(ConfigurationError) -> Duration {
    guard let text = text(key) else { return standard }
    guard let value = Double(text), value.isFinite, abs(value) <= 1e15 else {
      throw ConfigurationError(key, "'\(text)' is not a number of seconds")
    }
    return try check(.seconds(value), key, text, range)
  }

  /// Returns a Boolean setting: `true`, `yes`, `on`, `1` or `false`, `no`, `off`, `0`.
  public func boolean(_ key: String, default standard: Bool) throws(ConfigurationError) -> Bool {
    guard let text = text(key) else { return standard }
    switch text.lowercased() {
    case "true", "yes", "on", "1": return true
    case "false", "no", "off", "0": return false
    default: throw ConfigurationError(key, "'\(text)' is neither true nor false")
    }
  }

  private func check<Value>(
    _ value: Value, _ key: String, _ text: String, _ range: ClosedRange<Value>
  ) throws(ConfigurationError) -> Value {
    guard range.contains(value) else {
      throw ConfigurationError(key, "\(text) is out of range: \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// Throws an error for the first key that the source has not read.
  func checkUnknown() throws(ConfigurationError) {
    let known = known.withLock { $0 }
    guard let unknown = values.keys.sorted().first(where: { !known.contains($0) }) else { return }
    throw ConfigurationError(
      unknown,
      known.isEmpty
        ? "there are no settings" : "unknown setting; the settings are \(known.sorted().joined(separator: ", "))")
  }
}
