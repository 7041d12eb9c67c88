/// A metric of a part of the program that the server does not know.
public struct OtherMetric: Sendable {
  /// A value with the name of its table.
  public typealias Sample = (table: String, value: Double)

  /// The name of the metric.
  public var name: String
  /// Whether it only grows.
  public var isCounter: Bool
  /// The text that explains it.
  public var help: String
  /// The values.
  public var samples: [Sample]

  /// Creates a metric.
  public init(_ name: String, isCounter: Bool = false, help: String, samples: [Sample]) {
    (self.name, self.isCounter, self.help, self.samples) = (name, isCounter, help, samples)
  }
}
